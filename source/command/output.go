package command

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

// output is what a verb prints.
type output struct {
	Format    format            `json:"format"`
	Pattern   string            `json:"pattern,omitempty"`   // text: a regular expression with named groups, for each record
	Separator string            `json:"separator,omitempty"` // text: between records; empty: a line break
	Columns   []string          `json:"columns,omitempty"`   // csv: where its first line does not name them
	Delimiter string            `json:"delimiter,omitempty"` // csv; empty: a comma
	Types     map[string]string `json:"types,omitempty"`     // column or group → integer, number, boolean
	MediaType string            `json:"media_type,omitempty"`
	Stderr    bool              `json:"stderr,omitempty"` // text: what is said on stderr is the answer
	Progress  *progress         `json:"progress,omitempty"`
	Schema    json.RawMessage   `json:"-"`
}

// format is how the output is written.
type format string

const (
	formatJSON  format = "json"
	formatJSONL format = "jsonl"
	formatCSV   format = "csv"
	formatText  format = "text"
	formatBytes format = "bytes"
	formatNone  format = "none"
)

var formats = []format{formatJSON, formatJSONL, formatCSV, formatText, formatBytes, formatNone}

// progress says which lines of a jsonl stream tell how far the program is: those with the field done.
// They are no records.
type progress struct {
	Done    string `json:"done"`
	Total   string `json:"total,omitempty"`
	Message string `json:"message,omitempty"`
}

// output reads what a verb prints: the format alone, or a mapping.
func (r *fileReader) output(n *rawjson.Node, path string) (o output) {
	if !n.Is(rawjson.KindObject) {
		o.Format = format(r.text(n, path))
	} else {
		var name string
		r.keys(n, path, map[string]func(*rawjson.Node){
			"format":     r.textInto(&name, join(path, "format")),
			"pattern":    r.textInto(&o.Pattern, join(path, "pattern")),
			"separator":  r.textInto(&o.Separator, join(path, "separator")),
			"columns":    func(n *rawjson.Node) { o.Columns = r.texts(n, join(path, "columns")) },
			"delimiter":  r.textInto(&o.Delimiter, join(path, "delimiter")),
			"types":      func(n *rawjson.Node) { o.Types = r.types(n, join(path, "types")) },
			"media_type": r.textInto(&o.MediaType, join(path, "media_type")),
			"stderr":     r.truthInto(&o.Stderr, join(path, "stderr")),
			"progress":   func(n *rawjson.Node) { o.Progress = r.progress(n, join(path, "progress")) },
			"schema":     func(n *rawjson.Node) { o.Schema = n.JSON() },
		})
		o.Format = format(name)
		if name == "" {
			o.Format = formatText
		}
	}
	r.checkOutput(&o, n, path)
	return o
}

func (r *fileReader) types(n *rawjson.Node, path string) map[string]string {
	types := map[string]string{}
	r.each(n, path, func(key string, n *rawjson.Node) {
		types[key] = r.text(n, path)
		if !slices.Contains([]string{"string", "integer", "number", "boolean"}, types[key]) {
			r.fault(n, path, "%s: %q is none of string, integer, number, boolean", path, types[key])
		}
	})
	return types
}

func (r *fileReader) progress(n *rawjson.Node, path string) *progress {
	p := &progress{}
	r.keys(n, path, map[string]func(*rawjson.Node){
		"done": r.textInto(&p.Done, path), "total": r.textInto(&p.Total, path), "message": r.textInto(&p.Message, path),
	})
	if p.Done == "" {
		r.fault(n, path, "%s has no done: the field by which its lines are known", path)
	}
	return p
}

func (r *fileReader) checkOutput(o *output, n *rawjson.Node, path string) {
	if !slices.Contains(formats, o.Format) {
		r.fault(n, path, "%s is %q, none of json, jsonl, csv, text, bytes, none", path, o.Format)
	}
	pattern, err := regexp.Compile(o.Pattern)
	switch {
	case err != nil:
		r.fault(n, path, "%s: %v", path, err)
	case o.Pattern != "" && o.Format != formatText:
		r.fault(n, path, "%s: a pattern is for text", path)
	case o.Pattern != "" && len(groupsOf(pattern)) == 0:
		r.fault(n, path, "%s: the pattern has no named group: write (?P<name>…)", path)
	case o.Separator != "" && o.Pattern == "":
		r.fault(n, path, "%s: a separator is for a pattern", path)
	case utf8.RuneCountInString(o.Delimiter) > 1:
		r.fault(n, path, "%s: a delimiter is one character", path)
	case o.Progress != nil && o.Format != formatJSONL:
		r.fault(n, path, "%s: progress is for jsonl", path)
	}
	if o.Schema != nil {
		if _, err := schema.Compile(o.Schema); err != nil {
			r.fault(n, path, "%s: its schema cannot be read: %v", path, err)
		}
	}
}

func groupsOf(pattern *regexp.Regexp) (names []string) {
	for _, name := range pattern.SubexpNames() {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// schema is that of the answer: the file's own, else what the columns or groups tell.
func (o *output) schema() json.RawMessage {
	names := o.Columns
	if o.Pattern != "" {
		names = groupsOf(regexp.MustCompile(o.Pattern))
	}
	switch {
	case o.Schema != nil:
		return o.Schema
	case o.Format == formatText && o.Pattern == "":
		return json.RawMessage(`{"type":"string"}`)
	case len(names) == 0:
		return nil
	}
	var properties, item, whole rawjson.Object
	for _, name := range names {
		var property rawjson.Object
		kind := o.Types[name]
		if kind == "" {
			kind = "string"
		}
		property.PutString("type", kind)
		properties.Put(name, property.Bytes())
	}
	item.PutString("type", "object")
	item.Put("properties", properties.Bytes())
	whole.PutString("type", "array")
	whole.Put("items", item.Bytes())
	return whole.Bytes()
}

// read makes a value of what a program printed.
func (o *output) read(r *ran) (*twodoor.Value, error) {
	switch o.Format {
	case formatNone:
		return &twodoor.Value{}, nil
	case formatBytes:
		return &twodoor.Value{Blobs: []twodoor.Blob{{MediaType: o.MediaType, Data: r.stdout}}}, nil
	case formatJSON:
		if len(bytes.TrimSpace(r.stdout)) == 0 {
			return &twodoor.Value{}, nil
		}
		if err := rawjson.Check(r.stdout); err != nil {
			return nil, r.nonsense("JSON", err)
		}
		return &twodoor.Value{JSON: rawjson.Trim(r.stdout)}, nil
	case formatJSONL:
		return o.readLines(r)
	case formatCSV:
		return o.readTable(r)
	}
	text := string(r.stdout)
	if o.Stderr {
		text = strings.Join(r.stderr, "\n")
	}
	if o.Pattern != "" {
		return o.readRecords(text), nil
	}
	text = escapes.ReplaceAllString(strings.ToValidUTF8(text, "�"), "")
	return &twodoor.Value{JSON: rawjson.Quote(strings.TrimRight(text, "\n")), MediaType: "text/plain"}, nil
}

// nonsense tells that the output is not what the file says.
func (r *ran) nonsense(what string, err error) error {
	return &twodoor.Error{
		Code: twodoor.CodeUpstream, Message: fmt.Sprintf("%s printed what is no %s (%v); it begins: %s", r.step.name(), what, err, printable(short(string(r.stdout)))),
		Hint: "does the verbs file ask the program for " + what + "?",
	}
}

func (o *output) readLines(r *ran) (*twodoor.Value, error) {
	list, number := rawjson.Array{}, 0
	for line := range bytes.Lines(r.stdout) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := rawjson.Check(line); err != nil {
			return nil, r.nonsense("JSON in each line", fmt.Errorf("line %d: %w", number, err))
		}
		if _, told := o.Progress.read(line); !told {
			list.Add(line)
		}
	}
	return &twodoor.Value{JSON: list.Bytes()}, nil
}

// read is what a line tells of progress.
func (p *progress) read(line []byte) (twodoor.Progress, bool) {
	if p == nil {
		return twodoor.Progress{}, false
	}
	number := func(path string) float64 {
		raw, _ := rawjson.GetPath(line, strings.Split(path, ".")...)
		n, _ := strconv.ParseFloat(string(raw), 64)
		return n
	}
	if _, has := rawjson.GetPath(line, strings.Split(p.Done, ".")...); !has {
		return twodoor.Progress{}, false
	}
	told := twodoor.Progress{Done: number(p.Done), Total: number(p.Total)}
	raw, _ := rawjson.GetPath(line, strings.Split(p.Message, ".")...)
	told.Message, _ = rawjson.String(raw)
	return told, true
}

// watch tells progress while the program runs: what its lines tell, else how many there are.
func (o *output) watch(tell func(twodoor.Progress)) func([]byte) {
	if tell == nil || o.Format != formatJSONL {
		return nil
	}
	records := 0
	return func(line []byte) {
		if told, ok := o.Progress.read(line); ok {
			tell(told)
			return
		}
		if records++; o.Progress == nil {
			tell(twodoor.Progress{Done: float64(records)})
		}
	}
}

func (o *output) readTable(r *ran) (*twodoor.Value, error) {
	reader := csv.NewReader(bytes.NewReader(r.stdout))
	if o.Delimiter != "" {
		reader.Comma, _ = utf8.DecodeRuneInString(o.Delimiter)
	}
	reader.FieldsPerRecord = len(o.Columns)
	columns, list := o.Columns, rawjson.Array{}
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return &twodoor.Value{JSON: list.Bytes()}, nil
		}
		if err != nil {
			return nil, r.nonsense("table", err)
		}
		if columns == nil {
			columns = row
			continue
		}
		var record rawjson.Object
		for i, name := range columns {
			record.Put(name, o.typed(name, row[i]))
		}
		list.Add(record.Bytes())
	}
}

// readRecords makes a record of each part of a text that the pattern fits; how many it does not fit
// is told.
func (o *output) readRecords(text string) *twodoor.Value {
	pattern, separator := regexp.MustCompile(o.Pattern), o.Separator
	if separator == "" {
		separator = "\n"
	}
	list, missed := rawjson.Array{}, 0
	for part := range strings.SplitSeq(text, separator) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		found := pattern.FindStringSubmatch(strings.Trim(part, "\r\n"))
		if found == nil {
			missed++
			continue
		}
		var record rawjson.Object
		for i, name := range pattern.SubexpNames() {
			if name != "" {
				record.Put(name, o.typed(name, found[i]))
			}
		}
		list.Add(record.Bytes())
	}
	value := &twodoor.Value{JSON: list.Bytes()}
	if missed > 0 {
		value.Notes = []string{fmt.Sprintf("%d lines or records of the program's output do not fit the verb's pattern and are left out", missed)}
	}
	return value
}

// typed is a text as the type that its column has; a text that is none of it stays a text.
func (o *output) typed(name, text string) json.RawMessage {
	raw := []byte(strings.TrimSpace(text))
	kind := rawjson.KindOf(raw)
	fits := rawjson.Check(raw) == nil
	switch o.Types[name] {
	case "integer":
		fits = fits && kind == rawjson.KindNumber && rawjson.IsInteger(raw)
	case "number":
		fits = fits && kind == rawjson.KindNumber
	case "boolean":
		fits = fits && kind == rawjson.KindBool
	default:
		return rawjson.Quote(strings.ToValidUTF8(text, "�"))
	}
	switch {
	case fits:
		return raw
	case len(raw) == 0:
		return json.RawMessage("null")
	}
	return rawjson.Quote(text)
}
