package hosts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Rewrite rewrites an input schema so that every host takes it, see [All],
// and so that it costs fewer tokens while it tells an agent the same: one object
// at the top, no lists of types, no vendor keys, definitions used once in their
// place. null is not offered any more; for the rest it allows more than the schema
// did, never less, since values are still checked against the true one. (Where
// forms at the top are merged, a field that only some have keeps its type.) The
// result of a schema that is none takes any object.
func Rewrite(raw []byte) []byte {
	text, _ := rewrite(raw, false)
	return text
}

const anyObject = `{"type":"object","properties":{}}`

// rewrite returns the result also as a tree, which is nil where the schema is none.
func rewrite(raw []byte, brief bool) ([]byte, *rawjson.Node) {
	root, err := rawjson.Parse(raw)
	if err != nil || root.Kind != rawjson.KindObject {
		return []byte(anyObject), nil
	}
	s := slimmer{root: root, brief: brief, byPointer: make(map[string]*definition)}
	out := s.top()
	s.finishDefinitions()
	s.place(out)
	text := out.JSON()
	if rawjson.Check(text) != nil { // too deep once definitions are in place
		return []byte(anyObject), nil
	}
	return text, out
}

// slimmer rewrites one schema.
type slimmer struct {
	root      *rawjson.Node
	brief     bool // for a list: see [Slim]
	byPointer map[string]*definition
	inOrder   []*definition
	work      int // schemas merged at the top
}

// definition is what references lead to.
type definition struct {
	name  string
	node  *rawjson.Node   // as it was
	slim  *rawjson.Node   // as it becomes
	sites []*rawjson.Node // the references to it
}

// finishDefinitions slims what is reached; that may reach more.
func (s *slimmer) finishDefinitions() {
	for i := 0; i < len(s.inOrder); i++ {
		d := s.inOrder[i]
		d.slim = s.schema(d.node, d.name)
	}
}

// schema slims a part. name is what it is the schema of, for its title.
func (s *slimmer) schema(n *rawjson.Node, name string) *rawjson.Node {
	out := newObject(n)
	if !n.Is(rawjson.KindObject) {
		return out
	}
	whole := true // nothing left out that additionalProperties would then mean
	for key, value := range n.Members() {
		switch key {
		case "properties":
			whole = s.properties(out, value, n.Get("required").Strings()) && whole
		case "patternProperties":
			whole = s.named(out, key, value) && whole
		default:
			s.keyword(out, key, value, name)
		}
	}
	if !whole {
		out.Remove("additionalProperties")
	}
	if ref := n.Get("$ref"); ref != nil {
		s.reference(out, ref.Str())
	}
	s.settleTypes(out)
	if out.Get("type").Str() == "array" && out.Get("items") == nil {
		out.Put("items", newObject(n))
	}
	if s.brief {
		shorten(out, name)
	}
	return out
}

func newObject(from *rawjson.Node) *rawjson.Node {
	out := &rawjson.Node{Kind: rawjson.KindObject}
	if from != nil {
		out.Line = from.Line
	}
	return out
}

func newArray(items ...*rawjson.Node) *rawjson.Node {
	return &rawjson.Node{Kind: rawjson.KindArray, Items: items}
}

// keyword copies one keyword in its slim form, or leaves it out.
func (s *slimmer) keyword(out *rawjson.Node, key string, value *rawjson.Node, name string) {
	switch key {
	case "$ref", "$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef", "$vocabulary", "$comment", "$defs", "definitions",
		"nullable", "discriminator", "xml", "externalDocs", "example", "examples", "unevaluatedProperties", "unevaluatedItems", "maxContains":
	case "title":
		if title := value.Str(); title != "" && !sameWord(title, name) {
			out.Put(key, value)
		}
	case "description":
		if text := strings.TrimSpace(value.Str()); text != "" {
			out.Put(key, rawjson.StringNode(text))
		}
	case "enum":
		s.enum(out, value)
	case "const":
		s.enum(out, newArray(value))
	case "required":
		s.required(out, value)
	case "additionalProperties", "contains", "propertyNames", "then", "else", "contentSchema":
		if part := s.schema(value, ""); part.Len() > 0 {
			out.Put(key, part)
		}
	case "not", "if":
		// What allows more here would allow less outside.
		if part := s.schema(value, ""); part.Len() > 0 && string(part.JSON()) == string(value.JSON()) {
			out.Put(key, part)
		}
	case "items":
		s.items(out, value)
	case "prefixItems":
		out.Put(key, s.list(value))
	case "allOf":
		if parts := s.list(value); parts.Len() > 0 {
			out.Put(key, newArray(slices.Concat(parts.Items, itemsOf(out.Get(key)))...))
		}
	case "anyOf", "oneOf":
		s.branches(out, value)
	case "dependentSchemas":
		s.named(out, key, value)
	default:
		if !strings.HasPrefix(key, "x-") && !saysNothing(key, value) || key == "x-mcp-header" {
			out.Put(key, value)
		}
	}
}

// saysNothing tells a keyword that has its default.
func saysNothing(key string, value *rawjson.Node) bool {
	text := string(value.Text)
	switch key {
	case "deprecated", "readOnly", "writeOnly", "uniqueItems", "exclusiveMinimum", "exclusiveMaximum":
		return text == "false"
	case "minLength", "minItems", "minProperties":
		return text == "0"
	case "default":
		return text == "null"
	}
	return false
}

// sameWord compares names but for case and what separates words.
func sameWord(a, b string) bool {
	const separators = " _-"
	for {
		a, b = strings.TrimLeft(a, separators), strings.TrimLeft(b, separators)
		if a == "" || b == "" {
			return a == b
		}
		if lower(a[0]) != lower(b[0]) {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

// list slims a list of schemas; true becomes {}.
func (s *slimmer) list(n *rawjson.Node) *rawjson.Node {
	out := newArray()
	for part := range n.Elements() {
		out.Items = append(out.Items, s.schema(part, ""))
	}
	return out
}

// named slims schemas by name; whole tells that none was left out.
func (s *slimmer) named(out *rawjson.Node, key string, value *rawjson.Node) (whole bool) {
	parts := newObject(value)
	for name, part := range value.Members() {
		if !isFalse(part) {
			parts.Put(name, s.schema(part, name))
		}
	}
	if parts.Len() > 0 {
		out.Put(key, parts)
	}
	return parts.Len() == value.Len()
}

func isFalse(n *rawjson.Node) bool { return n.Is(rawjson.KindBool) && !n.Bool() }

// enum keeps the values that every host takes. null is left out as it is from
// lists of types.
func (s *slimmer) enum(out, values *rawjson.Node) {
	if out.Get("enum") != nil && values.Len() != 1 {
		return // const came first and is narrower
	}
	kept := newArray()
	for v := range values.Elements() {
		if v.Kind != rawjson.KindNull && string(v.Text) != `""` {
			kept.Items = append(kept.Items, v)
		}
	}
	if kept.Len() > 0 {
		out.Put("enum", kept)
	}
}

// properties keeps the names that hosts take; the description tells the others.
// What is deprecated and not required is in no list. whole tells that nothing
// was left out.
func (s *slimmer) properties(out, value *rawjson.Node, required []string) (whole bool) {
	kept := newObject(value)
	var others []string
	for name, part := range value.Members() {
		switch {
		case isFalse(part), value.Get(name) != part, s.brief && part.Get("deprecated").Bool() && !slices.Contains(required, name):
		case legalKey(name):
			kept.Keys = append(kept.Keys, name)
			kept.Items = append(kept.Items, s.schema(part, name))
		default:
			others = append(others, name)
		}
	}
	out.Put("properties", kept)
	if len(others) > 0 {
		describe(out, "Also takes "+few(others, 20)+".")
	}
	return kept.Len() == value.Len()
}

// describe adds a sentence to a description.
func describe(out *rawjson.Node, text string) {
	out.Put("description", rawjson.StringNode(sentences(out.Get("description").Str(), text)))
}

// sentences joins texts, with a stop between them.
func sentences(before, after string) string {
	before = strings.TrimSpace(before)
	if before == "" || after == "" {
		return before + after
	}
	if !strings.ContainsAny(before[len(before)-1:], ".!?:") && !strings.HasSuffix(before, "…") && !strings.HasSuffix(before, "。") {
		before += "."
	}
	return before + " " + after
}

// required keeps what the hosts can see, each name once.
func (s *slimmer) required(out, value *rawjson.Node) {
	kept := newArray()
	var seen []string
	for name := range value.Elements() {
		text := name.Str()
		if name.Kind == rawjson.KindString && legalKey(text) && !slices.Contains(seen, text) {
			seen = append(seen, text)
			kept.Items = append(kept.Items, name)
		}
	}
	if kept.Len() > 0 {
		out.Put("required", kept)
	}
}

// items slims the schema of elements; the tuples of old drafts become a choice.
func (s *slimmer) items(out, value *rawjson.Node) {
	if value.Kind != rawjson.KindArray {
		out.Put("items", s.schema(value, ""))
		return
	}
	any := newObject(value)
	if parts := s.list(value); parts.Len() > 0 {
		any.Put("anyOf", parts)
	}
	out.Put("items", any)
}

// branches keeps the branches that are not null, each form once. A branch that
// takes anything makes the choice pointless.
func (s *slimmer) branches(out, value *rawjson.Node) {
	kept := newArray()
	var seen []string
	for branch := range value.Elements() {
		if isFalse(branch) || branch.Get("type").Str() == "null" {
			continue
		}
		part := s.schema(branch, "")
		text := string(part.JSON())
		if part.Len() == 0 {
			return
		}
		if !slices.Contains(seen, text) {
			seen = append(seen, text)
			kept.Items = append(kept.Items, part)
		}
	}
	switch {
	case kept.Len() == 0:
	case out.Get("anyOf") == nil:
		out.Put("anyOf", kept)
	default: // the other keyword came first
		choice := newObject(value)
		choice.Put("anyOf", kept)
		out.Put("allOf", newArray(slices.Concat([]*rawjson.Node{choice}, itemsOf(out.Get("allOf")))...))
	}
}

// few joins texts, at most so many, and tells how many there are.
func few(texts []string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s, … (%d in all)", strings.Join(texts[:most], ", "), len(texts))
}

func itemsOf(n *rawjson.Node) []*rawjson.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// reference puts a reference in: alone it stands as it is, beside other keywords
// as the only choice, since hosts refuse its siblings.
func (s *slimmer) reference(out *rawjson.Node, ref string) {
	d := s.define(ref)
	if d == nil {
		return
	}
	site := out
	if out.Len() > 0 {
		site = newObject(s.root)
		key := "anyOf"
		if out.Get(key) != nil {
			key = "allOf"
		}
		out.Put(key, newArray(slices.Concat([]*rawjson.Node{site}, itemsOf(out.Get(key)))...))
	}
	site.Put("$ref", rawjson.StringNode("#/$defs/"+d.name))
	d.sites = append(d.sites, site)
}

// define finds or makes the definition that a reference leads to.
func (s *slimmer) define(ref string) *definition {
	pointer, node := find(s.root, ref)
	if node == nil {
		return nil
	}
	if known := s.byPointer[pointer]; known != nil {
		return known
	}
	d := &definition{name: s.freeName(pointer), node: node}
	s.byPointer[pointer] = d
	s.inOrder = append(s.inOrder, d)
	return d
}

// legalised makes a name of a property or definition that hosts take.
func legalised(text string) string {
	var name []byte
	for i := 0; i < len(text) && len(name) < 60; i++ {
		switch {
		case legalByte(text[i]):
			name = append(name, text[i])
		case i == 0 || legalByte(text[i-1]):
			name = append(name, '_')
		}
	}
	if len(name) == 0 {
		return "root"
	}
	return string(name)
}

func legalByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '.' || b == '-'
}

// legalKey tells a name that every host takes: see [Rules.PropertyKey].
func legalKey(name string) bool {
	for i := range len(name) {
		if !legalByte(name[i]) {
			return false
		}
	}
	return 0 < len(name) && len(name) <= 64
}

func (s *slimmer) freeName(pointer string) string {
	name := legalised(lastStep(pointer))
	taken := func(candidate string) bool {
		return slices.ContainsFunc(s.inOrder, func(d *definition) bool { return d.name == candidate })
	}
	free := name
	for i := 2; taken(free); i++ {
		free = fmt.Sprintf("%s%d", name, i)
	}
	return free
}

// settleTypes leaves one type: null goes, several become a choice.
func (s *slimmer) settleTypes(out *rawjson.Node) {
	list := out.Get("type")
	if !list.Is(rawjson.KindArray) {
		return
	}
	var kinds []string
	for _, name := range list.Strings() {
		if name != "null" && !slices.Contains(kinds, name) {
			kinds = append(kinds, name)
		}
	}
	if slices.Contains(kinds, "number") {
		kinds = slices.DeleteFunc(kinds, func(name string) bool { return name == "integer" })
	}
	switch {
	case len(kinds) == 1:
		out.Put("type", rawjson.StringNode(kinds[0]))
		return
	case len(kinds) > 1 && out.Get("anyOf") == nil:
		choice := newArray()
		for _, name := range kinds {
			choice.Items = append(choice.Items, typed(out, name))
		}
		out.Put("anyOf", choice)
	}
	out.Remove("type")
	out.Remove("items")
}

func typed(out *rawjson.Node, name string) *rawjson.Node {
	branch := newObject(out)
	branch.Put("type", rawjson.StringNode(name))
	if name == "array" {
		items := out.Get("items")
		if items == nil {
			items = newObject(out)
		}
		branch.Put("items", items)
	}
	return branch
}
