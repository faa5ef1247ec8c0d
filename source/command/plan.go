package command

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/twodoor/twodoor"
)

// plan is how a verb becomes processes: all that its Invoker knows of it.
type plan struct {
	Steps   []step                     `json:"steps"`
	Params  []rule                     `json:"params,omitempty"`
	Fixed   map[string]json.RawMessage `json:"fixed,omitempty"` // values that callers do not give
	Output  output                     `json:"output"`
	Pass    []string                   `json:"pass,omitempty"`
	Bytes   int64                      `json:"max_bytes,omitempty"`
	Refuse  []string                   `json:"refuse,omitempty"`
	Session string                     `json:"session,omitempty"` // parameter; its calls are made one after the other
	Serial  bool                       `json:"serial,omitempty"`  // so are all calls of the source that say so
}

// step is one program of a verb.
type step struct {
	Program string         `json:"program"`
	Argv    []element      `json:"argv,omitempty"`
	Dir     template       `json:"dir,omitempty"`
	Env     []variable     `json:"env,omitempty"`
	Stdin   template       `json:"stdin,omitempty"`
	Pipe    bool           `json:"pipe,omitempty"` // its input is what the step before it printed
	As      string         `json:"as,omitempty"`   // what it prints is a value of this name for the steps after it
	MayFail bool           `json:"may_fail,omitempty"`
	Success []int          `json:"success,omitempty"` // exit statuses that are no fault; empty: 0
	Faults  map[int]string `json:"faults,omitempty"`  // exit status → name of a code
}

// element is one place of an argument list: a text with parameters, left out where one of them has
// no value; or several elements that stand or fall together.
type element struct {
	Text   template  `json:"text,omitempty"`
	If     string    `json:"if,omitempty"`     // a parameter that must be true, or have a value
	Unless string    `json:"unless,omitempty"` // one that must not
	Args   []element `json:"args,omitempty"`
}

// rule is what holds for the values of one parameter, beyond what its schema says.
type rule struct {
	Name     string   `json:"name"`
	Kind     kind     `json:"kind"`
	Local    bool     `json:"local,omitempty"`    // a path that does not lead out of the folder
	Anywhere bool     `json:"anywhere,omitempty"` // a folder to run in may lie outside that of the file
	Safe     bool     `json:"safe,omitempty"`     // all values stand in the file: nothing can be smuggled in
	Allow    []string `json:"allow,omitempty"`    // options: those that may be given; empty: all that are not refused
	Input    bool     `json:"input,omitempty"`    // it goes to a program's input only

	Default json.RawMessage `json:"default,omitempty"` // where the caller gives none
}

// kind is what a parameter's texts are to the program.
type kind string

const (
	kindWord    kind = "word"    // one line that names something
	kindText    kind = "text"    // any text, several lines too
	kindNumber  kind = "number"  // digits
	kindTruth   kind = "truth"   // decides what else stands in the list
	kindOptions kind = "options" // options in the program's own spelling
	kindJSON    kind = "json"    // an object, as JSON
)

func planOf(op *twodoor.Operation) (p plan, err error) {
	if err = json.Unmarshal(op.Plan, &p); err != nil {
		return p, fmt.Errorf("read the plan of %s: %w", op.ID, err)
	}
	return p, nil
}

func (p *plan) rule(name string) *rule {
	for i := range p.Params {
		if p.Params[i].Name == name {
			return &p.Params[i]
		}
	}
	return nil
}

// line is a step as one reads it: "git log --max-count={limit} {ref}".
func (s *step) line() string {
	words := []string{s.Program}
	var walk func([]element)
	walk = func(list []element) {
		for _, e := range list {
			if e.Text != "" {
				words = append(words, string(e.Text))
			}
			from := len(words)
			walk(e.Args)
			if e.If+e.Unless != "" && len(words) > from {
				words[from] = "[" + words[from]
				words[len(words)-1] += "]"
			}
		}
	}
	walk(s.Argv)
	return strings.Join(words, " ")
}

// name is the program as messages call it.
func (s *step) name() string { return path.Base(strings.ReplaceAll(s.Program, `\`, "/")) }

// keys lists the references to keys in a plan, and the variables that it passes on.
func (p *plan) keys() (keys []string) {
	for i := range p.Steps {
		templates := []template{p.Steps[i].Stdin}
		for _, v := range p.Steps[i].Env {
			templates = append(templates, v.Value)
		}
		for _, t := range templates {
			parts, _ := t.parts()
			for _, part := range parts {
				if part.secret {
					keys = append(keys, part.text)
				}
			}
		}
	}
	for _, name := range p.Pass {
		keys = append(keys, "${env:"+name+"}")
	}
	return keys
}
