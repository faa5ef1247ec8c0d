package schemas

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
)

// keywords writes the keywords of a schema that JSON Schema knows, in the order of the description
// after the type. A keyword of the wrong kind is left out, so that what is left compiles.
func (e *Emitter) keywords(p document.Place) {
	n := p.Node
	t := TypesOf(n)
	enum := n.Get("enum")
	if enum.Is(rawjson.KindArray) && len(t.Names) > 0 {
		t.null = t.null || slices.ContainsFunc(enum.Items, func(v *rawjson.Node) bool { return v.Is(rawjson.KindNull) })
	}
	e.types(t)
	e.enum(enum, t)
	e.describe(n, e.hiddenKeys(p))
	e.format(n, t)
	for key, item := range n.Members() {
		if item.Get(document.TooDeepKey) != nil {
			e.Err = errTooDeep
			continue
		}
		e.keyword(key, p, e.child(p, item), t)
	}
}

func (e *Emitter) types(t Types) {
	names := t.Names
	if t.null && len(names) > 0 {
		names = append(slices.Clip(names), "null")
	}
	switch len(names) {
	case 0:
		if t.none {
			e.putString("type", "null")
		}
	case 1:
		e.putString("type", names[0])
	default:
		e.key("type")
		e.buf = rawjson.AppendStrings(e.buf, names)
	}
}

func (e *Emitter) enum(enum *rawjson.Node, t Types) {
	if enum.Len() == 0 || !enum.Is(rawjson.KindArray) {
		return
	}
	var values rawjson.Array
	null := false
	for item := range enum.Elements() {
		null = null || item.Is(rawjson.KindNull)
		values.Add(fit(item, t))
	}
	if t.null && !null {
		values.Add([]byte("null"))
	}
	if !values.Empty() {
		e.key("enum")
		e.buf = append(e.buf, values.Bytes()...)
	}
}

// describe writes the description, and after it the keys that no host could list.
func (e *Emitter) describe(n *rawjson.Node, hidden []string) {
	text := strings.TrimSpace(n.Get("description").Str())
	if note := n.Get("x-twodoor").Get("description").Str(); note != "" {
		text = note
	}
	if len(hidden) > 0 {
		text = strings.TrimSpace(text + "\nIt also takes the keys " + strings.Join(hidden, ", ") + ".")
	}
	if text != "" {
		e.putString("description", text)
	}
}

// format writes what tells how a string or a number is to be read.
func (e *Emitter) format(n *rawjson.Node, t Types) {
	format := n.Get("format").Str()
	given := n.Get("x-twodoor").Get("time")
	switch {
	case TimeFormat(given, t) != "":
		format = TimeFormat(given, t)
	case IsBinary(n), t.Only("string") && (format == "byte" || format == "base64"):
		e.putString("contentEncoding", "base64")
		return
	case t.Only("integer") && !given.Is(rawjson.KindBool):
		if epoch := EpochFormat(n.Get("description").Str()); epoch != "" {
			format = epoch
		}
	}
	if format != "" {
		e.putString("format", format)
	}
}

// keyword writes one keyword; those that keywords has dealt with are passed over.
func (e *Emitter) keyword(key string, p, value document.Place, t Types) {
	n := value.Node
	switch key {
	case "title", "pattern", "$comment", "contentMediaType", "contentEncoding":
		if n.Is(rawjson.KindString) && !(key == "contentEncoding" && t.File) && !(key == "contentMediaType" && IsBinary(p.Node) && n.Str() == "application/octet-stream") {
			e.put(key, n)
		}
	case "minimum", "maximum", "multipleOf":
		e.bound(key, p.Node)
	case "exclusiveMinimum", "exclusiveMaximum":
		if n.Is(rawjson.KindNumber) {
			e.put(key, n)
		}
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		if size, whole := n.Int(); whole && size >= 0 {
			e.put(key, n)
		}
	case "uniqueItems":
		if n.Bool() && t.Has("array") {
			e.put(key, n)
		}
	case "deprecated":
		if n.Bool() {
			e.put(key, n)
		}
	case "const":
		if value := fit(n, t); value != nil {
			e.key(key)
			e.buf = append(e.buf, value...)
		}
	case "default":
		if value := fit(n, t); value != nil && !n.Is(rawjson.KindNull) {
			e.key(key)
			e.buf = append(e.buf, value...)
		}
	case "example", "x-example", "examples":
		e.examples(key, p.Node, n, t)
	default:
		e.applicator(key, p, value, t)
	}
}

// bound writes a bound of numbers; a boolean exclusiveMinimum (OpenAPI 3.0) makes it one that is
// not reached.
func (e *Emitter) bound(key string, n *rawjson.Node) {
	value := n.Get(key)
	if !value.Is(rawjson.KindNumber) {
		return
	}
	if key == "multipleOf" {
		if number, ok := new(big.Float).SetString(string(value.Text)); !ok || number.Sign() <= 0 {
			return
		}
	}
	exclusive := map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[key]
	if exclusive != "" && n.Get(exclusive).Bool() {
		key = exclusive
	}
	e.put(key, value)
}

// Bounds of the examples in a schema.
const (
	maxSchemaExamples    = 3
	maxSchemaExampleSize = 500
)

func (e *Emitter) examples(key string, n, value *rawjson.Node, t Types) {
	var kept rawjson.Array
	count := 0
	add := func(v *rawjson.Node) {
		if text := fit(v, t); text != nil && len(text) <= maxSchemaExampleSize && count < maxSchemaExamples {
			kept.Add(text)
			count++
		}
	}
	switch {
	case key == "examples":
		for item := range value.Elements() {
			add(item)
		}
	case !n.Get("examples").Is(rawjson.KindArray):
		add(value)
	}
	if !kept.Empty() {
		e.key("examples")
		e.buf = append(e.buf, kept.Bytes()...)
	}
}

// applicator writes a keyword that holds schemas.
func (e *Emitter) applicator(key string, p, value document.Place, t Types) {
	n := value.Node
	switch key {
	case "properties":
		e.properties(p, value)
	case "required":
		e.required(p)
	case "items", "additionalItems":
		e.items(value)
	case "additionalProperties", "unevaluatedProperties":
		e.rest(key, p, value)
	case "allOf", "oneOf", "anyOf":
		e.union(key, p, value, t)
	case "prefixItems":
		if n.Is(rawjson.KindArray) && n.Len() > 0 {
			e.list(key, value)
		}
	case "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems":
		if n.Is(rawjson.KindObject) {
			e.key(key)
			e.schema(value)
		}
	case "patternProperties", "dependentSchemas":
		if n.Is(rawjson.KindObject) {
			e.byName(key, value)
		}
	case "dependentRequired":
		if n.Is(rawjson.KindObject) && !slices.ContainsFunc(n.Items, func(l *rawjson.Node) bool { return len(l.Strings()) != l.Len() }) {
			e.put(key, n)
		}
	}
}

func (e *Emitter) properties(p, value document.Place) {
	if !value.Node.Is(rawjson.KindObject) {
		return
	}
	e.key("properties")
	e.open('{')
	for name, item := range value.Node.Members() {
		if prop := e.child(value, item); e.shows(name, prop) {
			e.key(name)
			e.schema(prop)
		}
	}
	e.close('}')
}

// shows reports whether a property is listed in this direction.
func (e *Emitter) shows(name string, prop document.Place) bool {
	if e.Way == Inward && !legalKey(name) {
		return false
	}
	return !e.Withheld(prop, e.Way)
}

// required writes the required properties that are listed.
func (e *Emitter) required(p document.Place) {
	props := e.ChildAt(p, "properties")
	var names []string
	for _, name := range p.Node.Get("required").Strings() {
		prop := props.Node.Get(name)
		listed := prop == nil && (e.Way == Outward || legalKey(name)) || prop != nil && e.shows(name, e.child(props, prop))
		if listed && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		e.key("required")
		e.buf = rawjson.AppendStrings(e.buf, names)
	}
}

// hiddenKeys are the properties that hosts refuse to list: the object stays open for them, and its
// description names them.
func (e *Emitter) hiddenKeys(p document.Place) (hidden []string) {
	if e.Way == Outward {
		return nil
	}
	props := e.ChildAt(p, "properties")
	required := p.Node.Get("required").Strings()
	for name, item := range props.Node.Members() {
		if legalKey(name) || e.Withheld(e.child(props, item), e.Way) {
			continue
		}
		about := strings.Join(TypesOf(item).Names, " or ")
		if slices.Contains(required, name) {
			about = strings.TrimSpace(about + " required")
		}
		if about != "" {
			about = " (" + about + ")"
		}
		hidden = append(hidden, fmt.Sprintf("%q%s", name, about))
	}
	return hidden
}

func (e *Emitter) items(value document.Place) {
	switch {
	case value.Node.Is(rawjson.KindArray) && value.Node.Len() > 0: // a tuple of older drafts
		e.list("prefixItems", value)
	case value.Node.Is(rawjson.KindObject):
		e.key("items")
		e.schema(value)
	}
}

func (e *Emitter) rest(key string, p, value document.Place) {
	switch {
	case value.Node.Is(rawjson.KindBool):
		if !value.Node.Bool() && len(e.hiddenKeys(p)) > 0 {
			return
		}
		e.put(key, value.Node)
	case value.Node.Is(rawjson.KindObject):
		e.key(key)
		e.schema(value)
	}
}

// union writes alternatives. With a discriminator, one property picks the branch and not the
// shape, so that oneOf becomes anyOf.
func (e *Emitter) union(key string, p, value document.Place, t Types) {
	if !value.Node.Is(rawjson.KindArray) || value.Node.Len() == 0 {
		return
	}
	if key == "oneOf" && p.Node.Get("discriminator") != nil && p.Node.Get("anyOf") == nil {
		key = "anyOf"
	}
	if key != "allOf" && t.null && !t.none && len(t.Names) == 0 {
		e.list(key, value, `{"type":"null"}`)
		return
	}
	e.list(key, value)
}
