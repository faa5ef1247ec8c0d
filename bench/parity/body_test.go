package parity

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strings"
)

// blob is bytes as they came in a part of a multipart body.
type blob []byte

// payload is a body that was read.
type payload struct {
	kind   kind
	fields []place // of an object
	whole  []any   // what the body may mean as one value
}

// readBody reads the body as its content type says, which has to be a declared one.
func (o *described) readBody(r *received) (*payload, error) {
	if len(r.body) == 0 && r.header.Get("Content-Type") == "" {
		return nil, nil
	}
	if o.body == nil {
		return nil, fmt.Errorf("it has a body of %d bytes, and none is described", len(r.body))
	}
	at := slices.IndexFunc(o.body.kinds, func(k kind) bool { return fits(r.media(), k.media) })
	if at < 0 {
		return nil, fmt.Errorf("its content type %q is none of the declared ones", r.header.Get("Content-Type"))
	}
	p := &payload{kind: o.body.kinds[at]}
	switch media := r.media(); {
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		return p, p.readJSON(o.doc, r.body)
	case strings.HasSuffix(media, "yaml"):
		v, err := plainData(r.body, true)
		p.whole = []any{v, wire(r.body)}
		return p, err
	case media == "application/x-www-form-urlencoded":
		return p, p.readForm(o.doc, string(r.body))
	case strings.HasPrefix(media, "multipart/"):
		return p, p.readParts(o.doc, r)
	}
	p.whole = []any{wire(r.body), blob(r.body)}
	return p, nil
}

// fits reports whether a media type is one that a description names.
func fits(media, declared string) bool {
	declared, _, _ = strings.Cut(strings.ToLower(declared), ";")
	head, wild := strings.CutSuffix(strings.TrimSpace(declared), "*")
	return media == declared || wild && strings.HasPrefix(media, strings.TrimSuffix(head, "*/"))
}

func (p *payload) readJSON(d *document, body []byte) error {
	v, err := decodeJSON(body)
	if err != nil {
		return fmt.Errorf("its body is no JSON: %w", err)
	}
	p.whole = []any{v}
	for name, value := range object(v) {
		p.fields = append(p.fields, place{"body", name, d.property(p.kind.schema, name), []any{value}})
	}
	return nil
}

// readForm reads application/x-www-form-urlencoded: a field without an encoding of its own is a
// form-style parameter, an object there is JSON (OpenAPI 3.0 "Encoding Object", contentType).
func (p *payload) readForm(d *document, body string) error {
	all := pairs(body)
	whole := map[string]any{}
	for _, q := range slices.Clone(all) {
		name, _, _ := strings.Cut(q.name, "[")
		how := object(p.kind.encoding[name])
		if how["style"] != "deepObject" {
			name = q.name
		}
		if _, seen := whole[name]; seen {
			continue
		}
		explode, said := how["explode"].(bool)
		param := parameter{name: name, style: text(how["style"]), explode: explode || !said, schema: d.property(p.kind.schema, name)}
		if param.style == "" {
			param.style = "form"
		}
		readings := param.fromPairs(d, all)
		if v, err := decodeJSON([]byte(unescape(q.value))); err == nil && how["style"] == nil && object(v) != nil {
			readings = append(readings, v)
		}
		whole[name] = readings
		p.fields = append(p.fields, place{"body", name, param.schema, readings})
	}
	return nil
}

// readParts reads a multipart body. Parts of one name are a list.
func (p *payload) readParts(d *document, r *received) error {
	_, params, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("its content type: %w", err)
	}
	reader := multipart.NewReader(bytes.NewReader(r.body), params["boundary"])
	values, order := map[string][]any{}, []string{}
	for {
		part, err := reader.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("its parts: %w", err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return fmt.Errorf("its parts: %w", err)
		}
		name := part.FormName()
		if values[name] == nil {
			order = append(order, name)
		}
		values[name] = append(values[name], partValue(part, data, d.bytes(d.property(p.kind.schema, name))))
	}
	order = p.readDeep(d, values, order)
	for _, name := range order {
		readings := []any{values[name]}
		if len(values[name]) == 1 {
			readings = append(readings, values[name][0])
		}
		p.fields = append(p.fields, place{"body", name, d.property(p.kind.schema, name), readings})
	}
	return nil
}

// readDeep reads the parts of fields in the style deepObject, and returns the names that are left.
func (p *payload) readDeep(d *document, values map[string][]any, order []string) (rest []string) {
	trees := map[string]map[string]any{}
	for _, name := range order {
		head, tail, inside := strings.Cut(name, "[")
		style := object(p.kind.encoding[head])["style"]
		leaf, scalar := values[name][0].(wire)
		if style != "deepObject" || !inside || !scalar {
			if style != "deepObject" || len(values[name]) == 1 {
				rest = append(rest, name)
			} // else it stays unread: a list is not written so
			continue
		}
		if trees[head] == nil {
			trees[head] = map[string]any{}
		}
		grow(trees[head], strings.Split(strings.TrimSuffix(tail, "]"), "]["), leaf)
	}
	for name, tree := range trees {
		p.fields = append(p.fields, place{"body", name, d.property(p.kind.schema, name), []any{tree}})
	}
	return rest
}

func partValue(part *multipart.Part, data []byte, isBytes bool) any {
	if isBytes && part.FileName() != "" {
		return blob(data)
	}
	if media, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type")); media == "application/json" {
		if v, err := decodeJSON(data); err == nil {
			return v
		}
	}
	return wire(data)
}
