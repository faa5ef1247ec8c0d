package hosts

import (
	"fmt"
	"regexp"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Rules are what an MCP host, or the model API behind it, refuses in an input
// schema. One tool that breaks them makes a whole session fail.
type Rules struct {
	Host string
	// PropertyKey is the expression that every property's name must match.
	PropertyKey string
	// ObjectRoot wants "type": "object" and properties at the top.
	ObjectRoot bool
	// RefusedAtRoot and Refused are keywords that may not stand at the top, or anywhere.
	RefusedAtRoot, Refused []string
	// SingleTypes refuses lists of types.
	SingleTypes bool
	// NoBooleans refuses true and false in the place of a schema; additionalProperties may be either.
	NoBooleans bool
	// PlainEnums refuses an empty enum, and null or "" in one.
	PlainEnums bool
	// ItemsNeeded refuses an array without items.
	ItemsNeeded bool
}

// All returns the rules of the hosts that are known.
func All() []Rules {
	const key = `^[a-zA-Z0-9_.-]{1,64}$`
	unions := []string{"oneOf", "anyOf", "allOf"}
	outside := []string{"$id", "$anchor", "$schema", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"}
	return []Rules{
		{Host: "Anthropic", PropertyKey: key, ObjectRoot: true, RefusedAtRoot: unions, Refused: outside},
		{Host: "OpenAI", PropertyKey: key, ObjectRoot: true, RefusedAtRoot: append([]string{"enum", "not", "const"}, unions...), Refused: outside, ItemsNeeded: true},
		{Host: "Gemini", PropertyKey: key, ObjectRoot: true, RefusedAtRoot: append([]string{"$ref"}, unions...), Refused: append([]string{"discriminator", "xml", "externalDocs", "nullable"}, outside...),
			SingleTypes: true, NoBooleans: true, PlainEnums: true, ItemsNeeded: true},
		{Host: "Copilot and VS Code", PropertyKey: key, ObjectRoot: true, RefusedAtRoot: unions, Refused: outside, SingleTypes: true, ItemsNeeded: true},
		{Host: "Cursor", PropertyKey: key, ObjectRoot: true, RefusedAtRoot: unions, Refused: outside, SingleTypes: true, NoBooleans: true},
	}
}

// Violation is one thing that a host refuses.
type Violation struct {
	Host    string
	Path    string // a JSON pointer into the schema
	Message string
}

// Check lists what in an input schema breaks the rules of a host.
func Check(raw []byte, rules Rules) []Violation {
	root, err := rawjson.Parse(raw)
	if err != nil {
		return []Violation{{rules.Host, "", err.Error()}}
	}
	p := prover{rules: rules, key: regexp.MustCompile(rules.PropertyKey)}
	p.root(root)
	walk(root, "", p.visit)
	return p.found
}

type prover struct {
	rules Rules
	key   *regexp.Regexp
	found []Violation
}

func (p *prover) add(path, format string, args ...any) {
	p.found = append(p.found, Violation{p.rules.Host, path, fmt.Sprintf(format, args...)})
}

func (p *prover) root(n *rawjson.Node) {
	if p.rules.ObjectRoot && n.Get("type").Str() != "object" {
		p.add("", `the type at the top must be "object"`)
	}
	if p.rules.ObjectRoot && !n.Get("properties").Is(rawjson.KindObject) {
		p.add("", "the top has no properties")
	}
	for _, keyword := range p.rules.RefusedAtRoot {
		if n.Get(keyword) != nil {
			p.add("/"+keyword, "%s may not stand at the top", keyword)
		}
	}
}

func (p *prover) visit(path string, n *rawjson.Node) {
	if n.Kind != rawjson.KindObject {
		if p.rules.NoBooleans || n.Kind != rawjson.KindBool {
			p.add(path, "%.20s in the place of a schema", n.JSON())
		}
		return
	}
	for _, keyword := range p.rules.Refused {
		if n.Get(keyword) != nil {
			p.add(path, "%s is refused", keyword)
		}
	}
	for name := range n.Get("properties").Members() {
		if !p.key.MatchString(name) {
			p.add(path, "property %q does not match %s", name, p.rules.PropertyKey)
		}
	}
	if p.rules.SingleTypes && n.Get("type").Is(rawjson.KindArray) {
		p.add(path, "a list of types")
	}
	if p.rules.ItemsNeeded && n.Get("type").Str() == "array" && n.Get("items") == nil {
		p.add(path, "an array without items")
	}
	if enum := n.Get("enum"); p.rules.PlainEnums && enum != nil {
		p.enum(path, enum)
	}
}

func (p *prover) enum(path string, enum *rawjson.Node) {
	if enum.Len() == 0 {
		p.add(path, "an empty enum")
	}
	for v := range enum.Elements() {
		if v.Kind == rawjson.KindNull || string(v.Text) == `""` {
			p.add(path, "%s in an enum", v.Text)
		}
	}
}
