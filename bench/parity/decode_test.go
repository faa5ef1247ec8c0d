package parity

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// wire is a scalar as it came: the type that it stands for is the schema's to say.
type wire string

// place is one thing that a request carries, where it stood, and what it may mean: a text can be
// read as a scalar or as a list of one, where the schema allows both.
type place struct {
	part, name string
	schema     any
	readings   []any
}

// pair is one name and value of a query string or form, both still escaped.
type pair struct {
	name, value string // name is not escaped
	used        bool
}

func pairs(query string) (all []pair) {
	if query == "" {
		return nil
	}
	for piece := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(piece, "=")
		all = append(all, pair{name: unescape(name), value: value})
	}
	return all
}

// unescape reads percent-encoding, and + as a space as every server of forms does.
func unescape(text string) string {
	plain, err := url.QueryUnescape(text)
	if err != nil {
		return "(not percent-encoded: " + text + ")"
	}
	return plain
}

func unescapePath(text string) string {
	plain, err := url.PathUnescape(text)
	if err != nil {
		return "(not percent-encoded: " + text + ")"
	}
	return plain
}

// styles of OpenAPI 3.1 "Style Values" for texts that are one piece: what stands before the value,
// between exploded items, and between others.
var styles = map[string]struct{ first, exploded, joined string }{
	"simple": {"", ",", ","},
	"label":  {".", ".", ","},
	"matrix": {";", ";", ","},
}

// onePiece reads a value of the path or a header.
func (p parameter) onePiece(raw string, plain func(string) string) (readings []any) {
	s := styles[p.style]
	body, ok := strings.CutPrefix(raw, s.first)
	if !ok {
		return nil
	}
	sep := s.joined
	if p.explode {
		sep = s.exploded
	}
	if p.style == "matrix" && !p.explode {
		if body, ok = strings.CutPrefix(body, p.name+"="); !ok {
			return nil
		}
	}
	items := strings.Split(body, sep)
	scalar, array, fields := body, []any{}, map[string]any{}
	for _, item := range items {
		name, value, named := strings.Cut(item, "=")
		if p.style == "matrix" && p.explode && named && name == p.name {
			item, scalar = value, value
		}
		array = append(array, wire(plain(item)))
		if named && p.explode {
			fields[plain(name)] = wire(plain(value))
		}
	}
	readings = append(readings, wire(plain(scalar)), array)
	if !p.explode {
		fields = alternating(items, plain)
	}
	return append(readings, fields)
}

// alternating reads a,1,b,2 as an object.
func alternating(items []string, plain func(string) string) map[string]any {
	fields := map[string]any{}
	for i := 0; i+1 < len(items); i += 2 {
		fields[plain(items[i])] = wire(plain(items[i+1]))
	}
	return fields
}

// delimiters stand between the items of a value of a query or form that is not exploded.
var delimiters = map[string][]string{"form": {","}, "spaceDelimited": {"%20", "+"}, "pipeDelimited": {"|", "%7C"}}

// fromPairs reads a value of a query or form, and marks what it took.
func (p parameter) fromPairs(d *document, all []pair) (readings []any) {
	if p.style == "deepObject" {
		return deep(p.name, all)
	}
	mine := taken(all, func(q pair) bool { return q.name == p.name })
	switch {
	case len(mine) == 0 && p.explode && d.allows(p.schema, "object"):
		props := d.properties(p.schema)
		fields := map[string]any{}
		for name := range props {
			if mine := taken(all, func(q pair) bool { return q.name == name }); len(mine) > 0 {
				fields[name] = wire(unescape(mine[0]))
			}
		}
		if len(fields) > 0 {
			readings = append(readings, fields)
		}
		return readings
	case len(mine) == 0:
		return nil
	case p.media != "":
		v, err := decodeJSON([]byte(unescape(mine[0])))
		if err != nil {
			return []any{wire(unescape(mine[0]))}
		}
		return []any{v}
	case p.explode:
		array := []any{}
		for _, raw := range mine {
			array = append(array, wire(unescape(raw)))
		}
		readings = append(readings, array)
		if len(mine) == 1 {
			readings = append(readings, array[0])
		}
		return readings
	case len(mine) > 1:
		return nil
	}
	readings = append(readings, wire(unescape(mine[0])))
	for _, delimiter := range delimiters[p.style] {
		items := strings.Split(mine[0], delimiter)
		array := []any{}
		for _, item := range items {
			array = append(array, wire(unescape(item)))
		}
		readings = append(readings, array, alternating(items, unescape))
	}
	return readings
}

func taken(all []pair, mine func(pair) bool) (values []string) {
	for i := range all {
		if !all[i].used && mine(all[i]) {
			all[i].used = true
			values = append(values, all[i].value)
		}
	}
	return values
}

// deep reads name[a][b]=1 as an object, and a name alone as a scalar: unions of both are described
// in this style. What is nested deeper than one level has no rule in OpenAPI; it is read as PHP,
// Rails and Stripe read it.
func deep(name string, all []pair) (readings []any) {
	tree := map[string]any{}
	for i, q := range all {
		switch rest, inside := strings.CutPrefix(q.name, name); {
		case q.used || !inside:
		case rest == "":
			all[i].used = true
			readings = append(readings, wire(unescape(q.value)))
		case rest[0] == '[':
			all[i].used = true
			steps := strings.Split(strings.TrimSuffix(rest[1:], "]"), "][")
			grow(tree, steps, wire(unescape(q.value)))
		}
	}
	if len(tree) > 0 {
		readings = append(readings, tree)
	}
	return readings
}

func grow(tree map[string]any, steps []string, leaf wire) {
	for _, step := range steps[:len(steps)-1] {
		next := object(tree[step])
		if next == nil {
			next = map[string]any{}
			tree[step] = next
		}
		tree = next
	}
	tree[steps[len(steps)-1]] = leaf
}

// parameters reads everything but the body; what nobody described is named in strays.
func (o *described) parameters(r *received) (found []place, strays []string) {
	query := pairs(r.query)
	values, _, ok := o.template.match(r.below())
	if !ok {
		return nil, []string{"the path " + r.path}
	}
	constant := pairs(o.query)
	for i := range query {
		query[i].used = slices.ContainsFunc(constant, func(c pair) bool { return c.name == query[i].name && c.value == query[i].value })
	}
	header := maps.Clone(r.header)
	cookies := pairs(strings.ReplaceAll(header.Get("Cookie"), "; ", "&"))
	header.Del("Cookie")
	o.takeKeys(r, header, query, cookies)
	seen := map[string]bool{}
	for _, p := range o.params {
		var readings []any
		switch p.in {
		case "path":
			seen[p.name] = true
			readings = p.onePiece(values[p.name], unescapePath)
		case "query":
			readings = p.fromPairs(o.doc, query)
		case "cookie":
			readings = p.fromPairs(o.doc, cookies)
		case "header":
			if sent, ok := header[http.CanonicalHeaderKey(p.name)]; ok && !ownHeaders[http.CanonicalHeaderKey(p.name)] {
				readings = p.onePiece(sent[0], func(s string) string { return s })
				header.Del(p.name)
			}
		}
		if len(readings) > 0 {
			found = append(found, place{p.in, p.name, p.schema, readings})
		}
	}
	found = append(found, o.freeForm(found, query)...)
	for _, name := range o.template.names {
		if !seen[name] { // described by nothing, or under another name
			found = append(found, place{"path", name, nil, []any{wire(unescapePath(values[name]))}})
		}
	}
	return found, leftOver(query, cookies, header)
}

// freeForm reads what nothing else took as the one object whose members are pairs of their own, and
// may be called anything.
func (o *described) freeForm(found []place, query []pair) []place {
	for _, p := range o.params {
		taken := slices.ContainsFunc(found, func(f place) bool { return f.part == p.in && f.name == p.name })
		if taken || p.in != "query" || p.style != "form" || !p.explode || !o.doc.allows(p.schema, "object") || len(o.doc.types(p.schema)) == 0 {
			continue
		}
		fields := map[string]any{}
		for i := range query {
			if !query[i].used {
				query[i].used = true
				fields[query[i].name] = wire(unescape(query[i].value))
			}
		}
		if len(fields) > 0 {
			return []place{{"query", p.name, p.schema, []any{fields}}}
		}
	}
	return nil
}

// ownHeaders are those that a client sends by itself.
var ownHeaders = map[string]bool{"Accept": true, "Content-Type": true, "Content-Length": true, "User-Agent": true, "Accept-Encoding": true,
	"Authorization": true, "Transfer-Encoding": true, "Connection": true}

func leftOver(query, cookies []pair, header http.Header) (strays []string) {
	for _, q := range query {
		if !q.used {
			strays = append(strays, "the query "+q.name+"="+q.value)
		}
	}
	for _, c := range cookies {
		if !c.used {
			strays = append(strays, "the cookie "+c.name)
		}
	}
	for name := range header {
		if !ownHeaders[name] {
			strays = append(strays, "the header "+name)
		}
	}
	return strays
}

// TestParityDecoder holds the reader of requests against the table of OpenAPI 3.1 "Style Examples".
func TestParityDecoder(t *testing.T) {
	d := &document{}
	array := []any{wire("blue"), wire("black"), wire("brown")}
	fields := map[string]any{"R": wire("100"), "G": wire("200"), "B": wire("150")}
	rgb := map[string]any{"type": "object", "properties": map[string]any{"R": nil, "G": nil, "B": nil}}
	for _, c := range []struct {
		style   string
		explode bool
		in, raw string
		want    any
	}{
		{"matrix", false, "path", ";color=blue", wire("blue")},
		{"matrix", true, "path", ";color=blue", wire("blue")},
		{"matrix", false, "path", ";color=blue,black,brown", array},
		{"matrix", true, "path", ";color=blue;color=black;color=brown", array},
		{"matrix", false, "path", ";color=R,100,G,200,B,150", fields},
		{"matrix", true, "path", ";R=100;G=200;B=150", fields},
		{"label", false, "path", ".blue", wire("blue")},
		{"label", false, "path", ".blue,black,brown", array},
		{"label", true, "path", ".blue.black.brown", array},
		{"label", false, "path", ".R,100,G,200,B,150", fields},
		{"label", true, "path", ".R=100.G=200.B=150", fields},
		{"simple", false, "path", "blue", wire("blue")},
		{"simple", false, "path", "blue,black,brown", array},
		{"simple", true, "path", "blue,black,brown", array},
		{"simple", false, "path", "R,100,G,200,B,150", fields},
		{"simple", true, "path", "R=100,G=200,B=150", fields},
		{"form", true, "query", "color=blue", wire("blue")},
		{"form", false, "query", "color=blue,black,brown", array},
		{"form", true, "query", "color=blue&color=black&color=brown", array},
		{"form", false, "query", "color=R,100,G,200,B,150", fields},
		{"form", true, "query", "R=100&G=200&B=150", fields},
		{"spaceDelimited", false, "query", "color=blue%20black%20brown", array},
		{"spaceDelimited", false, "query", "color=R%20100%20G%20200%20B%20150", fields},
		{"pipeDelimited", false, "query", "color=blue%7Cblack%7Cbrown", array},
		{"pipeDelimited", false, "query", "color=R|100|G|200|B|150", fields},
		{"deepObject", true, "query", "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150", fields},
	} {
		p := parameter{name: "color", in: c.in, style: c.style, explode: c.explode, schema: rgb}
		var readings []any
		if c.in == "path" {
			readings = p.onePiece(c.raw, unescapePath)
		} else {
			readings = p.fromPairs(d, pairs(c.raw))
		}
		if !slices.ContainsFunc(readings, func(got any) bool { return equal(got, c.want) }) {
			t.Errorf("%s explode=%v %q is read as %v, not as %v", c.style, c.explode, c.raw, readings, c.want)
		}
	}
}
