package mcpclient

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

// Definition is a tool's definition as its server wrote it, for doors that list tools themselves;
// nil for operations of other kinds. The address of a view in it is the one that we serve it under.
func Definition(op *twodoor.Operation) json.RawMessage {
	return readdress(defined(op), op.Source())
}

// defined is the definition as it came.
func defined(op *twodoor.Operation) json.RawMessage {
	if op.Kind != Kind {
		return nil
	}
	raw, _ := rawjson.Get(op.Plan, "tool")
	return raw
}

// reader turns a list of tools into operations.
type reader struct {
	source  *Source
	server  *Server
	conn    *conn
	reading *twodoor.Reading
	ids     map[string]bool
	tools   map[string]string // spelling → id
}

func (r *reader) read() *twodoor.Reading {
	r.reading = r.describe()
	r.ids, r.tools = map[string]bool{}, map[string]string{}
	for _, t := range *r.conn.tools.Load() {
		if !r.server.serves(t.name) {
			r.reading.Skipped = append(r.reading.Skipped, twodoor.Exception{Operation: t.name, At: r.at(), Reason: "the configuration leaves it out"})
			continue
		}
		op, problem := r.operation(&t)
		if problem != "" {
			r.reading.Exceptions = append(r.reading.Exceptions, twodoor.Exception{Operation: t.name, At: r.at(), Reason: problem})
			continue
		}
		r.ids[op.ID] = true
		r.reading.Operations = append(r.reading.Operations, op)
	}
	slices.SortStableFunc(r.reading.Operations, func(a, b twodoor.Operation) int { return cmp.Compare(a.ID, b.ID) })
	for i := range r.reading.Operations {
		r.spell(&r.reading.Operations[i])
	}
	return r.reading
}

// describe is what the server says of itself: in its greeting, or in its metadata since 2026-07-28.
func (r *reader) describe() *twodoor.Reading {
	hello := r.conn.greeted.Load().hello
	info, ok := rawjson.Get(hello, "serverInfo")
	if !ok {
		info, _ = rawjson.GetPath(hello, "_meta", "io.modelcontextprotocol/serverInfo")
	}
	reading := &twodoor.Reading{
		Source: r.source.Name, Title: cmp.Or(field(info, "title"), field(info, "name")), Version: field(info, "version"),
		Description: cmp.Or(field(hello, "instructions"), r.server.Description),
	}
	if address, err := url.Parse(r.server.URL); err == nil && address.Host != "" {
		reading.Origins = []string{address.Scheme + "://" + address.Host}
	}
	return reading
}

func (r *reader) at() string { return "tools/list of " + cmp.Or(r.server.ID, r.source.Name) }

// operation makes an operation of a tool, or says why it is not served: one bad tool takes no
// other with it.
func (r *reader) operation(t *tool) (op twodoor.Operation, problem string) {
	if problem := r.problem(t); problem != "" {
		return op, problem
	}
	annotations, _ := rawjson.Get(t.raw, "annotations")
	op = twodoor.Operation{
		ID: r.source.Name + "." + idWord(t.name), Kind: Kind, Verbatim: true, Prefix: r.source.Prefix,
		Title:       cmp.Or(field(t.raw, "title"), field(annotations, "title"), firstSentence(field(t.raw, "description"))),
		Description: field(t.raw, "description"),
		Input:       t.input, Origin: "tools/call " + t.name, At: r.at(),
	}
	if r.ids[op.ID] {
		return op, "an earlier tool has its name, or one that is spelled alike"
	}
	var p rawjson.Object
	p.Put("tool", t.raw)
	op.Plan = p.Bytes()
	setEffect(&op, t.name, annotations)
	if output, ok := rawjson.Get(t.raw, "outputSchema"); ok && rawjson.KindOf(output) == rawjson.KindObject {
		if _, err := schema.Compile(output); err != nil {
			r.reading.Notes = append(r.reading.Notes, fmt.Sprintf("%s: its output schema is left out: %v", t.name, err))
		} else {
			op.Output = output
		}
	}
	return op, ""
}

// maxTitle bounds a title that is made of a description, in bytes.
const maxTitle = 100

// firstSentence is what a description begins with, cut to the length of a title.
func firstSentence(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	sentence, _, _ := strings.Cut(line, ". ")
	return shorten(strings.TrimSuffix(strings.TrimSpace(sentence), "."), maxTitle)
}

func (r *reader) problem(t *tool) string {
	switch {
	case t.problem != "":
		return t.problem
	case idWord(t.name) == "":
		return fmt.Sprintf("its name is %q: a name has letters or digits", t.name)
	case len(t.name) > maxName:
		return fmt.Sprintf("its name has %d bytes, more than %d", len(t.name), maxName)
	case rawjson.KindOf(t.input) != rawjson.KindObject:
		return "its input schema is no object"
	}
	if kind, ok := rawjson.Get(t.input, "type"); ok && string(kind) != `"object"` {
		return fmt.Sprintf("its input schema is of type %s, not object", kind)
	}
	if _, err := schema.Compile(t.input); err != nil {
		return "its input schema cannot be read: " + err.Error()
	}
	return ""
}

// maxName bounds a tool's name, in bytes. The specification asks for 128 at most.
const maxName = 256

// idWord is a tool's name as an id has it: its own spelling, without what no id can hold.
func idWord(name string) string {
	word := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, name)
	return strings.Trim(word, "._")
}

// spell gives a tool another MCP spelling where an earlier one has it: a.b and a_b are two tools.
func (r *reader) spell(op *twodoor.Operation) {
	tool := op.Spelling().MCP
	if other, taken := r.tools[tool]; taken {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(op.ID))
		op.Tool = tool + "_" + strconv.FormatUint(uint64(sum.Sum32()), 36)
		r.reading.Notes = append(r.reading.Notes, fmt.Sprintf("%s and %s are both spelled %s: the latter is %s", other, op.ID, tool, op.Spelling().MCP))
		tool = op.Spelling().MCP
	}
	r.tools[tool] = op.ID
}
