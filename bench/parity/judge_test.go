package parity

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// ask is a call as the judge sees it: the arguments that went in, and what has to come of them.
type ask struct {
	args  map[string]any
	whole bool // everything that the operation takes was given
}

// judge reads a request by the description and says what does not fit the arguments; nothing: it
// gave all of them back, and nothing else was sent.
func (o *described) judge(r *received, a ask) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if r.method != o.method {
		fault("the method is %s", r.method)
	}
	if at := r.origin + r.path; !strings.HasPrefix(at, r.base+"/") {
		fault("it goes to %s, not below %s", at, r.base)
	}
	if !slices.ContainsFunc(o.doc.routed(r.method, r.below()), func(other *described) bool { return other == o }) {
		fault("the path %s leads to another operation", r.path)
	}
	found, strays := o.parameters(r)
	for _, stray := range strays {
		fault("%s is described by nothing", stray)
	}
	for _, c := range pairs(o.query) {
		if !slices.Contains(pairs(r.query), pair{name: c.name, value: c.value}) {
			fault("the query %s=%s of its path key is missing", c.name, c.value)
		}
	}
	body, err := o.readBody(r)
	if err != nil {
		fault("%v", err)
	}
	m := &matching{o: o, left: sorted(a.args), args: a.args}
	m.places(found)
	m.body(body, r)
	faults = append(faults, m.close(r)...)
	faults = append(faults, o.missing(found, body, a.whole)...)
	return append(faults, r.keyFaults(o)...)
}

// matching gives each thing that was sent the argument that it came from.
type matching struct {
	o      *described
	args   map[string]any
	left   []string // arguments that nothing is known of yet
	faults []string
}

func (m *matching) places(found []place) {
	for _, p := range found {
		if !m.match(p) {
			m.faults = append(m.faults, fmt.Sprintf("%s %s is sent as %s, and no argument says so", p.part, p.name, show(p.readings)))
		}
	}
}

// match looks for the argument of the same name first, then for one whose name comes of it.
func (m *matching) match(p place) bool {
	for _, fits := range []func(arg string) bool{
		func(arg string) bool { return arg == p.name },
		func(arg string) bool { return comesOf(arg, p.part, p.name) },
	} {
		for i, arg := range m.left {
			if fits(arg) && m.o.means(p, m.args[arg]) {
				m.left = slices.Delete(m.left, i, i+1)
				return true
			}
		}
	}
	return false
}

// comesOf is the rule of names: an input is called as on the wire; where that name is taken, the
// part of the request stands before it; signs that a host refuses are spelled or left out, and what
// is too long is shortened in its tail.
func comesOf(arg, part, name string) bool {
	plain := letters(name)
	got := letters(arg)
	for _, want := range []string{plain, letters(part) + plain} {
		if got == want || strings.TrimRight(got, "0123456789") == want || len(name) > 64 && strings.HasPrefix(want, got[:min(len(got), 40)]) {
			return true
		}
	}
	return false
}

var signs = strings.NewReplacer("<=", "lte", ">=", "gte", "!=", "ne", "<", "lt", ">", "gt", "=", "eq", "+", "plus", "*", "any")

func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(signs.Replace(name)))
}

// means reports whether a place can be read as a value.
func (o *described) means(p place, given any) bool {
	return slices.ContainsFunc(p.readings, func(got any) bool { return o.doc.same(got, given, p.schema) })
}

// body matches the body: one argument is all of it, or each field has its own.
func (m *matching) body(body *payload, r *received) {
	if body == nil {
		return
	}
	for i, arg := range m.left {
		given := m.args[arg]
		if !strings.HasPrefix(arg, "body") || m.o.doc.properties(body.kind.schema)[arg] != nil {
			continue
		}
		if m.o.means(place{schema: body.kind.schema, readings: body.whole}, given) || body.whole == nil && m.o.isWhole(body, object(given)) {
			m.left = slices.Delete(m.left, i, i+1)
			return
		}
	}
	if body.fields == nil && body.whole != nil && object(body.whole[0]) == nil {
		m.faults = append(m.faults, fmt.Sprintf("the body %q comes of no argument", cut(string(r.body))))
	}
	m.places(body.fields)
}

func (o *described) isWhole(body *payload, given map[string]any) bool {
	sent := 0
	for _, p := range body.fields {
		if !o.means(p, given[p.name]) {
			return false
		}
		sent++
	}
	return sent > 0 && sent == len(given)
}

// close names the arguments that were not sent. One may say by which media type the body is sent.
func (m *matching) close(r *received) []string {
	for _, arg := range m.left {
		given := m.args[arg]
		choice := text(given)
		switch {
		case strings.HasSuffix(arg, "content_type") && fits(r.media(), choice):
		case vanishes(given) && !strings.HasSuffix(r.media(), "json"):
		default:
			m.faults = append(m.faults, fmt.Sprintf("the argument %s=%s is not sent", arg, show(given)))
		}
	}
	return m.faults
}

// vanishes reports whether a form or query has no way to write a value (RFC 6570 §2.3).
func vanishes(given any) bool {
	switch given := given.(type) {
	case nil:
		return true
	case []any:
		return !slices.ContainsFunc(given, func(v any) bool { return !vanishes(v) })
	case map[string]any:
		for _, v := range given {
			if !vanishes(v) {
				return false
			}
		}
		return true
	}
	return false
}

// missing names what the description requires and was not sent; of a whole call also what it offers.
func (o *described) missing(found []place, body *payload, whole bool) (faults []string) {
	for _, p := range o.params {
		own := p.in == "header" && ownHeaders[http.CanonicalHeaderKey(p.name)] || o.isKey(p)
		sent := slices.ContainsFunc(found, func(f place) bool { return f.part == p.in && f.name == p.name })
		known := p.in != "path" || slices.Contains(o.template.names, p.name)
		if known && !own && !sent && (p.required || whole) {
			faults = append(faults, fmt.Sprintf("%s %s is missing", p.in, p.name))
		}
	}
	switch {
	case o.body == nil:
	case body == nil && (o.body.required || whole && !o.emptyBody()):
		faults = append(faults, "the body is missing")
	case body != nil && body.fields != nil:
		faults = append(faults, o.missingFields(body, whole)...)
	}
	return faults
}

func (o *described) missingFields(body *payload, whole bool) (faults []string) {
	names := o.doc.required(body.kind.schema)
	if whole {
		for name, schema := range o.doc.properties(body.kind.schema) {
			if !o.doc.says(schema, "readOnly") && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(body.fields, func(p place) bool { return p.name == name }) {
			faults = append(faults, fmt.Sprintf("body %s is missing", name))
		}
	}
	return faults
}

// emptyBody reports whether the description gives its body nothing to say.
func (o *described) emptyBody() bool {
	return !slices.ContainsFunc(o.body.kinds, func(k kind) bool {
		return len(o.doc.properties(k.schema)) > 0 || !o.doc.types(k.schema)["object"]
	})
}

func (o *described) isKey(p parameter) bool {
	for _, together := range o.needs {
		for _, s := range together {
			if s.in == p.in && strings.EqualFold(s.param, p.name) {
				return true
			}
		}
	}
	return false
}

// same reports whether what was read is what was given. A text on the wire is what the schema says.
func (d *document) same(got, given, schema any) bool {
	switch got := got.(type) {
	case wire:
		return d.sameText(string(got), given, schema)
	case blob:
		text, ok := given.(string)
		return ok && bytes.Equal(got, contentOf(text))
	case []any:
		want, ok := given.([]any)
		if !ok || len(want) != len(got) {
			return false
		}
		for i := range got {
			if !d.same(got[i], want[i], d.items(schema)) {
				return false
			}
		}
		return true
	case map[string]any:
		return d.sameObject(got, given, schema)
	}
	return equal(got, given)
}

func (d *document) sameObject(got map[string]any, given, schema any) bool {
	if array, ok := given.([]any); ok && len(got) > 0 { // a list by its indexes
		for i, item := range array {
			at, sent := got[itoa(i)]
			if !sent || !d.same(at, item, d.items(schema)) {
				return false
			}
		}
		return len(array) == len(got)
	}
	want, ok := given.(map[string]any)
	if !ok {
		return false
	}
	for name, value := range want {
		at, sent := got[name]
		if !sent && onWire(got) && vanishes(value) {
			continue
		}
		if !sent || !d.same(at, value, d.property(schema, name)) {
			return false
		}
	}
	for name := range got {
		if _, known := want[name]; !known {
			return false
		}
	}
	return true
}

// onWire reports whether an object was read from a form, which cannot write everything.
func onWire(v any) bool {
	switch v := v.(type) {
	case wire:
		return true
	case map[string]any:
		for _, inner := range v {
			if onWire(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, onWire)
	}
	return false
}

func (d *document) sameText(got string, given, schema any) bool {
	switch given := given.(type) {
	case string:
		return got == given && d.allows(schema, "string")
	case bool:
		return got == fmt.Sprint(given) && d.allows(schema, "boolean")
	case json.Number:
		return got == string(given) && d.allows(schema, typeOf(given))
	}
	return false
}

// equal compares JSON values; numbers by their value, with all digits.
func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok || a == b {
			return ok
		}
		x, okX := new(big.Rat).SetString(string(a))
		y, okY := new(big.Rat).SetString(string(b))
		return okX && okY && x.Cmp(y) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, value := range a {
			other, has := b[name]
			if !has || !equal(value, other) {
				return false
			}
		}
		return true
	}
	return a == b
}

// contentOf are the bytes that a binary input stands for.
func contentOf(text string) []byte {
	if _, data, isURL := strings.Cut(text, ";base64,"); isURL {
		text = data
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return data
}

func show(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return cut(string(raw))
}

func cut(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil && len(plain) < len(text) {
		text = plain
	}
	if len(text) > width {
		return text[:width] + "…"
	}
	return text
}

// width bounds what is shown of a value.
const width = 900
