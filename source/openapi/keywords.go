package openapi

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// types is what a schema says of the type of a value.
type types struct {
	names []string // those of JSON Schema, null left out
	null  bool     // null is one of the values
	none  bool     // null is the only one
	file  bool     // Swagger 2: type file
}

// typesOf reads the type of a schema, with the spellings that are seen in the wild.
func typesOf(n *rawjson.Node) types {
	t := types{null: isNullable(n)}
	given := n.Get("type")
	if given.Is(rawjson.KindString) {
		t.add(given.Str())
	}
	for _, name := range given.Strings() {
		t.add(name)
	}
	if len(t.names) > 0 || given != nil {
		t.none = t.null && len(t.names) == 0 && !isNullable(n)
		return t
	}
	switch {
	case n.Get("properties").Is(rawjson.KindObject), n.Get("additionalProperties").Is(rawjson.KindObject):
		t.names = []string{"object"}
	case n.Get("items").Is(rawjson.KindObject):
		t.names = []string{"array"}
	}
	return t
}

func (t *types) add(name string) {
	switch name = strings.ToLower(name); name {
	case "null":
		t.null = true
		return
	case "file":
		t.file, name = true, "string"
	case "int", "int32", "int64", "long":
		name = "integer"
	case "float", "double", "decimal":
		name = "number"
	case "bool":
		name = "boolean"
	case "str", "text", "date", "date-time", "uuid":
		name = "string"
	case "map", "dict":
		name = "object"
	case "list":
		name = "array"
	case "object", "array", "string", "number", "integer", "boolean":
	default:
		return
	}
	if !slices.Contains(t.names, name) {
		t.names = append(t.names, name)
	}
}

func (t types) only(name string) bool { return len(t.names) == 1 && t.names[0] == name }

func (t types) has(name string) bool { return slices.Contains(t.names, name) }

// isNullable is OpenAPI 3.0 "nullable", and what stands for it in Swagger 2.
func isNullable(n *rawjson.Node) bool {
	return n.Get("nullable").Bool() || n.Get("x-nullable").Bool()
}

// isBinary reports whether values of a schema are bytes.
func isBinary(n *rawjson.Node) bool {
	t := typesOf(n)
	switch {
	case t.file:
		return true
	case !t.only("string") && len(t.names) > 0:
		return false
	case n.Get("format").Str() == "binary":
		return true
	}
	media := n.Get("contentMediaType").Str()
	return media != "" && !isText(media) && n.Get("contentEncoding") == nil
}

// keywords writes the keywords of a schema that JSON Schema knows, in the order of the description
// after the type. A keyword of the wrong kind is left out, so that what is left compiles.
func (e *emitter) keywords(p place) {
	n := p.node
	t := typesOf(n)
	enum := n.Get("enum")
	if enum.Is(rawjson.KindArray) && len(t.names) > 0 {
		t.null = t.null || slices.ContainsFunc(enum.Items, func(v *rawjson.Node) bool { return v.Is(rawjson.KindNull) })
	}
	e.types(t)
	e.enum(enum, t)
	e.describe(n, e.hiddenKeys(p))
	e.format(n, t)
	for key, item := range n.Members() {
		if item.Get(tooDeepKey) != nil {
			e.err = errTooDeep
			continue
		}
		e.keyword(key, p, e.child(p, item), t)
	}
}

func (e *emitter) types(t types) {
	names := t.names
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

func (e *emitter) enum(enum *rawjson.Node, t types) {
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

// fit is a value as the type that its schema asks for, or nothing where it cannot be.
func fit(n *rawjson.Node, t types) []byte {
	if len(t.names) == 0 || n.Is(rawjson.KindNull) && t.null {
		return n.JSON()
	}
	if slices.Contains(t.names, n.Kind.String()) || t.has("integer") && n.Is(rawjson.KindNumber) {
		return n.JSON()
	}
	switch text := n.Str(); {
	case t.only("string") && (n.Is(rawjson.KindNumber) || n.Is(rawjson.KindBool)):
		return rawjson.Quote(string(n.Text))
	case (t.only("integer") || t.only("number")) && rawjson.KindOf([]byte(text)) == rawjson.KindNumber && rawjson.Check([]byte(text)) == nil:
		return []byte(text)
	case t.only("boolean") && (text == "true" || text == "false"):
		return []byte(text)
	}
	return nil
}

// describe writes the description, and after it the keys that no host could list.
func (e *emitter) describe(n *rawjson.Node, hidden []string) {
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
func (e *emitter) format(n *rawjson.Node, t types) {
	format := n.Get("format").Str()
	given := n.Get("x-twodoor").Get("time")
	switch {
	case timeFormat(given, t) != "":
		format = timeFormat(given, t)
	case isBinary(n), t.only("string") && (format == "byte" || format == "base64"):
		e.putString("contentEncoding", "base64")
		return
	case t.only("integer") && !given.Is(rawjson.KindBool):
		if epoch := epochFormat(n.Get("description").Str()); epoch != "" {
			format = epoch
		}
	}
	if format != "" {
		e.putString("format", format)
	}
}

// keyword writes one keyword; those that keywords has dealt with are passed over.
func (e *emitter) keyword(key string, p, value place, t types) {
	n := value.node
	switch key {
	case "title", "pattern", "$comment", "contentMediaType", "contentEncoding":
		if n.Is(rawjson.KindString) && !(key == "contentEncoding" && t.file) && !(key == "contentMediaType" && isBinary(p.node) && n.Str() == "application/octet-stream") {
			e.put(key, n)
		}
	case "minimum", "maximum", "multipleOf":
		e.bound(key, p.node)
	case "exclusiveMinimum", "exclusiveMaximum":
		if n.Is(rawjson.KindNumber) {
			e.put(key, n)
		}
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		if size, whole := n.Int(); whole && size >= 0 {
			e.put(key, n)
		}
	case "uniqueItems":
		if n.Bool() && t.has("array") {
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
		e.examples(key, p.node, n, t)
	default:
		e.applicator(key, p, value, t)
	}
}

// bound writes a bound of numbers; a boolean exclusiveMinimum (OpenAPI 3.0) makes it one that is
// not reached.
func (e *emitter) bound(key string, n *rawjson.Node) {
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

func (e *emitter) examples(key string, n, value *rawjson.Node, t types) {
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
func (e *emitter) applicator(key string, p, value place, t types) {
	n := value.node
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

func (e *emitter) properties(p, value place) {
	if !value.node.Is(rawjson.KindObject) {
		return
	}
	e.key("properties")
	e.open('{')
	for name, item := range value.node.Members() {
		if prop := e.child(value, item); e.shows(name, prop) {
			e.key(name)
			e.schema(prop)
		}
	}
	e.close('}')
}

// shows reports whether a property is listed in this direction.
func (e *emitter) shows(name string, prop place) bool {
	if e.way == inward && !legalKey(name) {
		return false
	}
	return !e.withheld(prop, e.way)
}

// withheld reports whether a property does not go this way, or is hidden by an annotation.
func (s *schemas) withheld(prop place, way direction) bool {
	keyword := "readOnly"
	if way == outward {
		keyword = "writeOnly"
	}
	says := func(n *rawjson.Node) bool {
		return n.Get(keyword).Bool() || way == inward && n.Get("x-twodoor").Get("hide").Bool()
	}
	if says(prop.node) {
		return true
	}
	target := s.merged(prop)
	if _, is := refOf(target.node); is {
		if says(target.node) {
			return true
		}
		var err error
		if target, err = s.resolve(target); err != nil {
			return false
		}
	}
	return says(target.node)
}

// required writes the required properties that are listed.
func (e *emitter) required(p place) {
	props := e.childAt(p, "properties")
	var names []string
	for _, name := range p.node.Get("required").Strings() {
		prop := props.node.Get(name)
		listed := prop == nil && (e.way == outward || legalKey(name)) || prop != nil && e.shows(name, e.child(props, prop))
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
func (e *emitter) hiddenKeys(p place) (hidden []string) {
	if e.way == outward {
		return nil
	}
	props := e.childAt(p, "properties")
	required := p.node.Get("required").Strings()
	for name, item := range props.node.Members() {
		if legalKey(name) || e.withheld(e.child(props, item), e.way) {
			continue
		}
		about := strings.Join(typesOf(item).names, " or ")
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

func (e *emitter) items(value place) {
	switch {
	case value.node.Is(rawjson.KindArray) && value.node.Len() > 0: // a tuple of older drafts
		e.list("prefixItems", value)
	case value.node.Is(rawjson.KindObject):
		e.key("items")
		e.schema(value)
	}
}

func (e *emitter) rest(key string, p, value place) {
	switch {
	case value.node.Is(rawjson.KindBool):
		if !value.node.Bool() && len(e.hiddenKeys(p)) > 0 {
			return
		}
		e.put(key, value.node)
	case value.node.Is(rawjson.KindObject):
		e.key(key)
		e.schema(value)
	}
}

// union writes alternatives. With a discriminator, one property picks the branch and not the
// shape, so that oneOf becomes anyOf.
func (e *emitter) union(key string, p, value place, t types) {
	if !value.node.Is(rawjson.KindArray) || value.node.Len() == 0 {
		return
	}
	if key == "oneOf" && p.node.Get("discriminator") != nil && p.node.Get("anyOf") == nil {
		key = "anyOf"
	}
	if key != "allOf" && t.null && !t.none && len(t.names) == 0 {
		e.list(key, value, `{"type":"null"}`)
		return
	}
	e.list(key, value)
}

// Formats of integers that are times.
const (
	unixTime   = "unix-time"
	unixTimeMs = "unix-time-ms"
)

var (
	epochWords = regexp.MustCompile(`(?i)\bunix\b.{0,24}\b(time|timestamp|timestamps|seconds?|secs?|epoch|milli\w*|ms)\b|\b(seconds?|milliseconds?|ms)\b.{0,24}\bunix\b` +
		`|\bepoch\b|\btimestamps?\W{1,3}(in )?(seconds|milliseconds|ms)\b|时间戳|unix ?(毫?秒)`)
	milliWords  = regexp.MustCompile(`(?i)millisec|\bms\b|毫秒`)
	finerWords  = regexp.MustCompile(`(?i)microsec|nanosec|微秒|纳秒`)
	epochGlance = []string{"nix", "poch", "NIX", "POCH", "imestamp", "时间戳"}
)

// epochFormat is the format of an integer whose description says that it counts from the Unix epoch.
func epochFormat(description string) string {
	if !slices.ContainsFunc(epochGlance, func(part string) bool { return strings.Contains(description, part) }) {
		return ""
	}
	switch {
	case !epochWords.MatchString(description), finerWords.MatchString(description):
		return ""
	case milliWords.MatchString(description):
		return unixTimeMs
	}
	return unixTime
}

// timeFormat is the format that the annotation "time" asks for, or "".
func timeFormat(given *rawjson.Node, t types) string {
	if given.Bool() {
		if t.has("integer") || t.has("number") {
			return unixTime
		}
		return "date-time"
	}
	return timeWord(given.Str())
}

func timeWord(word string) string {
	switch word {
	case "unix", "unix-time", "seconds", "s":
		return unixTime
	case "unix-ms", "unix-time-ms", "milliseconds", "ms":
		return unixTimeMs
	case "date-time", "rfc3339", "datetime":
		return "date-time"
	case "date":
		return "date"
	}
	return ""
}
