package schema

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// foreign checks a schema that has a keyword of the rarer vocabulary, with the
// JSON Schema library. It compiles on first use.
type foreign struct {
	compile func() *jsonschema.Schema
}

func newForeign(s *Schema) *foreign {
	if s.foreign != nil {
		return s.foreign
	}
	return &foreign{sync.OnceValue(func() *jsonschema.Schema {
		compiled, err := s.doc.compileForeign(s.pointer())
		if err != nil {
			return nil // a part that no library understands refuses nothing
		}
		return compiled
	})}
}

func (d *document) compileForeign(pointer string) (*jsonschema.Schema, error) {
	const base = "twodoor:schema"
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.withoutIDs()))
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nowhere{})
	c.UseRegexpEngine(leniently)
	if err := c.AddResource(base, doc); err != nil {
		return nil, err
	}
	return c.Compile(base + "#" + fragment(pointer))
}

// withoutIDs drops the $id of every part: it would move the base of references,
// and ours all lead into the one document.
func (d *document) withoutIDs() []byte {
	raw := d.closed()
	root, err := rawjson.Parse(raw)
	if err != nil || !bytes.Contains(raw, []byte(`"$id"`)) {
		return raw
	}
	walk(root, "", func(_ string, n *rawjson.Node) { n.Remove("$id") })
	return root.JSON()
}

// nowhere loads nothing: a schema is never fetched.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("%q is outside of the schema", url)
}

// anything stands for a regular expression that Go cannot compile.
type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }

func leniently(pattern string) (jsonschema.Regexp, error) {
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return anything(pattern), nil
	}
	return compiled, nil
}

var percent = strings.NewReplacer("%", "%25", " ", "%20", "\"", "%22", "<", "%3C", ">", "%3E", "`", "%60", "#", "%23", "^", "%5E", "{", "%7B", "}", "%7D", "|", "%7C", "\\", "%5C")

// fragment writes a JSON pointer as the library wants it in a URL.
func fragment(pointer string) string { return percent.Replace(pointer) }

// check returns what the library finds wrong, as our problems.
func (f *foreign) check(c *checker, s *Schema, value []byte) {
	compiled := f.compile()
	if compiled == nil {
		return
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return
	}
	fault, ok := compiled.Validate(instance).(*jsonschema.ValidationError)
	if !ok {
		return
	}
	c.addLeaves(fault, "", s, value)
}

// addLeaves adds the innermost errors, which say what is really wrong. An error
// of a key says which key.
func (c *checker) addLeaves(fault *jsonschema.ValidationError, about string, s *Schema, value []byte) {
	if names, ok := fault.ErrorKind.(*kind.PropertyNames); ok {
		about = fmt.Sprintf("key %q: ", names.Property)
	}
	for _, cause := range fault.Causes {
		c.addLeaves(cause, about, s, value)
	}
	if len(fault.Causes) == 0 {
		c.addAt(fault.InstanceLocation, value, about+fault.BasicOutput().Error.String(), s)
	}
}
