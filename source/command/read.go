package command

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// reading makes operations of the verbs.
func (s *Source) reading(f *file) (*twodoor.Reading, error) {
	reading := &twodoor.Reading{Source: s.Name, Title: f.title, Description: f.description, Version: f.version, Groups: f.groups}
	if s.Text == nil {
		place, err := filepath.Abs(s.File)
		if err != nil {
			return nil, fmt.Errorf("find the verbs file: %w", err)
		}
		reading.Files = []string{place}
	}
	for i := range f.verbs {
		op, notes, err := s.operation(&f.verbs[i])
		if err != nil {
			return nil, err
		}
		p := f.verbs[i].plan()
		for at := range p.Steps {
			reading.Starts = append(reading.Starts, p.Steps[at].line())
		}
		reading.Keys = append(reading.Keys, p.keys()...)
		reading.Operations = append(reading.Operations, op)
		reading.Notes = append(reading.Notes, notes...)
	}
	slices.Sort(reading.Starts)
	slices.Sort(reading.Keys)
	reading.Starts, reading.Keys = slices.Compact(reading.Starts), slices.Compact(reading.Keys)
	slices.SortStableFunc(reading.Operations, func(a, b twodoor.Operation) int { return strings.Compare(a.ID, b.ID) })
	return reading, nil
}

// operation makes an operation of a verb: what the file says, and over it what the configuration says.
func (s *Source) operation(v *verb) (op twodoor.Operation, notes []string, err error) {
	op = twodoor.Operation{
		ID: s.Name + "." + v.name, Kind: Kind, Prefix: s.Prefix, Timeout: v.timeout, Output: v.output.schema(),
		Origin: v.origin(), At: fmt.Sprintf("%s:%d", filepath.Base(s.File), v.line),
	}
	setEffect(&op, v)
	said := v.said
	for _, glob := range twodoor.Globs(s.Operations, op.ID) {
		more, err := s.configure(&said, glob)
		if err != nil {
			return op, nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("operations.%s: %v", glob, err)}
		}
		for _, note := range more {
			notes = append(notes, fmt.Sprintf("%s: operations.%s: %s", op.ID, glob, note))
		}
	}
	said.Adorn(&op)
	if op.Positional = said.Positional; op.Positional == nil {
		op.Positional = v.positional()
	}
	p, params := v.plan(), slices.Clone(v.params)
	p.tweak(&said, params)
	for _, param := range params {
		if value := param.schema.Get("default"); value != nil {
			param.Default = value.JSON()
		}
		p.Params = append(p.Params, param.rule)
	}
	op.Input = inputOf(params, p.Fixed)
	op.Positional = slices.DeleteFunc(op.Positional, func(name string) bool { return p.Fixed[name] != nil })
	if op.Plan, err = json.Marshal(p); err != nil {
		return op, nil, fmt.Errorf("write the plan of %s: %w", op.ID, err)
	}
	return op, notes, nil
}

func (v *verb) plan() plan {
	return plan{Steps: v.steps, Output: v.output, Pass: v.pass, Bytes: v.bytes, Refuse: v.refuse, Session: v.session, Serial: v.serial}
}

// origin is the verb's command lines, the way its file writes them.
func (v *verb) origin() string {
	var lines []string
	for i := range v.steps {
		line := v.steps[i].line()
		if v.steps[i].Pipe {
			line = "| " + line
		}
		lines = append(lines, line)
	}
	return strings.ReplaceAll(strings.Join(lines, "; "), "; | ", " | ")
}

// positional are the parameters that the CLI takes by position: those that are an argument of the
// program by themselves and must be given, and a list of texts after them.
func (v *verb) positional() (names []string) {
	for _, name := range usageOf(v).alone {
		p := find(v.params, name)
		if p != nil && (p.required || p.list && p.Kind != kindOptions) && !slices.Contains(names, name) {
			names = append(names, name)
			if p.list {
				break
			}
		}
	}
	return names
}

// inputOf is the schema of a verb's arguments.
func inputOf(params []param, fixed map[string]json.RawMessage) json.RawMessage {
	var whole, properties rawjson.Object
	var required []string
	for _, p := range params {
		if _, ok := fixed[p.Name]; ok {
			continue
		}
		properties.Put(p.Name, p.schema.JSON())
		if p.required {
			required = append(required, p.Name)
		}
	}
	whole.PutString("type", "object")
	whole.Put("properties", properties.Bytes())
	if len(required) > 0 {
		whole.PutStrings("required", required)
	}
	whole.PutBool("additionalProperties", false)
	return whole.Bytes()
}
