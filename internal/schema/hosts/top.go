package hosts

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// top makes the one object that hosts want. References, allOf and the forms of
// oneOf and anyOf at the top are merged into it.
func (s *slimmer) top() *rawjson.Node {
	m := s.merge(s.root, nil)
	if s.brief {
		m.description = firstSentence(m.description, maxText)
	}
	out := newObject(s.root)
	if text := strings.TrimSpace(m.text()); text != "" {
		out.Put("description", rawjson.StringNode(text))
	}
	out.Put("type", rawjson.StringNode("object"))
	whole := s.properties(out, m.propertyNode(), m.required)
	s.required(out, m.requiredNode())
	for key, value := range s.root.Members() {
		switch key {
		case "patternProperties":
			whole = s.named(out, key, value) && whole
		case "additionalProperties", "propertyNames", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "x-mcp-header":
			s.keyword(out, key, value, "")
		}
	}
	if !whole {
		out.Remove("additionalProperties")
	}
	return out
}

// merged is what several object schemas come to together.
type merged struct {
	description string
	names       []string
	properties  map[string]*rawjson.Node
	required    []string
	forms       []*merged
	other       bool // takes no object at all
}

func (m *merged) put(name string, n *rawjson.Node) {
	known := m.properties[name]
	switch {
	case known == nil:
		m.names = append(m.names, name)
		m.properties[name] = n
	case string(known.JSON()) != string(n.JSON()):
		both := newObject(n)
		both.Put("allOf", newArray(known, n))
		m.properties[name] = both
	}
}

func (m *merged) require(names ...string) {
	for _, name := range names {
		if !slices.Contains(m.required, name) {
			m.required = append(m.required, name)
		}
	}
}

func (m *merged) propertyNode() *rawjson.Node {
	out := newObject(nil)
	for _, name := range m.names {
		out.Keys = append(out.Keys, name)
		out.Items = append(out.Items, m.properties[name])
	}
	return out
}

// requiredNode lists what is required and can be seen.
func (m *merged) requiredNode() *rawjson.Node {
	out := newArray()
	for _, name := range m.required {
		if n := m.properties[name]; n != nil && !isFalse(n) {
			out.Items = append(out.Items, rawjson.StringNode(name))
		}
	}
	return out
}

// maxActive bounds how deep references and parts are merged.
const maxActive = 30

// merge gathers a schema and all that holds together with it. active are the
// schemas that it is being gathered for, against circles.
func (s *slimmer) merge(n *rawjson.Node, active []*rawjson.Node) *merged {
	m := &merged{properties: make(map[string]*rawjson.Node)}
	const most = 10_000 // parts of parts multiply
	if s.work++; s.work > most || slices.Contains(active, n) || len(active) > maxActive || !n.Is(rawjson.KindObject) {
		return m
	}
	active = append(active, n)
	m.description = n.Get("description").Str()
	m.other = takesNoObject(n)
	for name, part := range n.Get("properties").Members() {
		m.put(name, part)
	}
	m.require(n.Get("required").Strings()...)
	if ref := n.Get("$ref"); ref != nil {
		m.add(s.merge(s.target(ref.Str()), active))
	}
	for part := range n.Get("allOf").Elements() {
		m.add(s.merge(part, active))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := n.Get(keyword); branches.Len() > 0 {
			s.mergeForms(m, branches, active)
		}
	}
	return m
}

func (s *slimmer) target(ref string) *rawjson.Node {
	_, n := find(s.root, ref)
	return n
}

func (m *merged) add(other *merged) {
	for _, name := range other.names {
		m.put(name, other.properties[name])
	}
	m.require(other.required...)
	if m.description == "" {
		m.description = other.description
	}
	m.forms = append(m.forms, other.forms...)
	m.other = m.other || other.other
}

// takesNoObject tells a schema that says by its type or values that it is not
// about objects.
func takesNoObject(n *rawjson.Node) bool {
	kinds := n.Get("type").Strings()
	if name := n.Get("type").Str(); name != "" {
		kinds = []string{name}
	}
	if len(kinds) > 0 {
		return !slices.Contains(kinds, "object")
	}
	if value := n.Get("const"); value != nil {
		return value.Kind != rawjson.KindObject
	}
	enum := n.Get("enum")
	return enum.Is(rawjson.KindArray) && !slices.ContainsFunc(enum.Items, func(v *rawjson.Node) bool { return v.Kind == rawjson.KindObject })
}

// mergeForms adds the fields of all forms. A field is required where every form
// requires it; one that differs between forms takes what any of them takes.
func (s *slimmer) mergeForms(m *merged, branches *rawjson.Node, active []*rawjson.Node) {
	var forms []*merged
	for branch := range branches.Elements() {
		if isFalse(branch) {
			continue
		}
		if form := s.merge(branch, active); !form.other {
			forms = append(forms, form)
		}
	}
	if len(forms) == 0 {
		m.other = true
		return
	}
	choices := make(map[string]*rawjson.Node)
	var names []string
	for _, form := range forms {
		for _, name := range form.names {
			if choices[name] == nil {
				choices[name] = newArray()
				names = append(names, name)
			}
			addChoice(choices[name], form.properties[name])
		}
		m.forms = append(m.forms, form.forms...)
	}
	for _, name := range names {
		m.put(name, choice(choices[name]))
	}
	m.require(common(forms)...)
	if len(forms) > 1 {
		m.forms = append(m.forms, forms...)
	} else if m.description == "" {
		m.description = forms[0].description
	}
}

func addChoice(choices, n *rawjson.Node) {
	text := string(n.JSON())
	for _, known := range choices.Items {
		if string(known.JSON()) == text {
			return
		}
	}
	choices.Items = append(choices.Items, n)
}

// choice joins what a field is in several forms: constants become one enum.
func choice(choices *rawjson.Node) *rawjson.Node {
	if choices.Len() == 1 {
		return choices.Items[0]
	}
	values := newArray()
	for _, n := range choices.Items {
		switch {
		case n.Get("const") != nil:
			addChoice(values, n.Get("const"))
		case n.Get("enum") != nil:
			for v := range n.Get("enum").Elements() {
				addChoice(values, v)
			}
		default:
			any := newObject(n)
			any.Put("anyOf", choices)
			return any
		}
	}
	out := newObject(values)
	if kind := choices.Items[0].Get("type"); kind != nil {
		out.Put("type", kind)
	}
	if text := choices.Items[0].Get("description"); text != nil {
		out.Put("description", text)
	}
	out.Put("enum", values)
	return out
}

// common lists what every form requires.
func common(forms []*merged) []string {
	required := slices.Clone(forms[0].required)
	for _, form := range forms[1:] {
		required = slices.DeleteFunc(required, func(name string) bool { return !slices.Contains(form.required, name) })
	}
	return required
}

// text is the description with the forms in words.
func (m *merged) text() string {
	var lines []string
	for _, form := range m.forms {
		if line := m.form(form); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) < 2 {
		return m.description
	}
	const most = 12
	text := "Give one of: " + strings.Join(lines[:min(most, len(lines))], "; or ")
	if len(lines) > most {
		text += "; or another form"
	}
	return sentences(m.description, text+".")
}

// form tells a form by its constants and by what it requires beyond the common.
func (m *merged) form(form *merged) string {
	var marks, fields []string
	for _, name := range form.required {
		n := form.properties[name]
		switch {
		case n.Get("const") != nil:
			marks = append(marks, name+" "+string(n.Get("const").JSON()))
		case n.Get("enum").Len() == 1:
			marks = append(marks, name+" "+string(n.Get("enum").Items[0].JSON()))
		case !slices.Contains(m.required, name):
			fields = append(fields, name)
		}
	}
	text := strings.Join(marks, ", ")
	if len(fields) > 0 && text != "" {
		text += " with "
	}
	return text + few(fields, 12)
}
