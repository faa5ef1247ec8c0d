package shape

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// pick keeps the fields that are wanted, or lists those that there are.
func pick(raw []byte, want Want) ([]byte, error) {
	fields, err := Fields(want.Fields)
	if err != nil || len(fields) == 0 {
		return raw, err
	}
	if len(fields) == 1 && fields[0] == KeysField {
		if names := fieldsIn(raw, want.Root); !slices.Contains(names, KeysField) {
			return rawjson.AppendStrings(nil, names), nil
		}
	}
	return pickFields(raw, fields, want.Root)
}

// fieldsIn lists the fields of the records, then those around them.
func fieldsIn(raw []byte, root string) []string {
	list, path, ok := Records(raw, root)
	if !ok || path == "" {
		return fieldNames(raw)
	}
	names := fieldNames(list)
	for _, name := range fieldNames(raw) {
		if name != path && !strings.HasPrefix(name, path+".") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// pickFields keeps the fields of each record and the envelope around them. A
// field that no record has may be one of the envelope; then the envelope is cut
// to such fields too.
func pickFields(raw []byte, fields []string, root string) ([]byte, error) {
	list, path, ok := Records(raw, root)
	if !ok || path == "" {
		return pickAll(raw, fields)
	}
	ofRecord, ofEnvelope := sort(raw, list, path, fields)
	envelope := raw
	if len(ofEnvelope) > 0 {
		picker := newPicker(append(ofEnvelope, path))
		envelope = picker.pick(raw, picker.fields)
		if unknown := picker.unknown(); len(unknown) > 0 {
			return nil, unknownFields(unknown, list, raw)
		}
	}
	if len(ofRecord) == 0 {
		return newPicker(ofEnvelope).pick(raw, ofEnvelope), nil
	}
	picker := newPicker(ofRecord)
	short := picker.pick(list, ofRecord)
	if unknown := picker.unknown(); len(unknown) > 0 && picker.objects > 0 {
		return nil, unknownFields(unknown, list, raw)
	}
	return put(envelope, path, short), nil
}

func pickAll(raw []byte, fields []string) ([]byte, error) {
	if kind := rawjson.KindOf(raw); kind != rawjson.KindObject && kind != rawjson.KindArray {
		return nil, &Error{Message: fmt.Sprintf("the answer is a %s without fields", kind), Hint: "ask without fields"}
	}
	picker := newPicker(fields)
	out := picker.pick(raw, fields)
	if unknown := picker.unknown(); len(unknown) > 0 && picker.objects > 0 {
		return nil, unknownFields(unknown, raw, nil)
	}
	return out, nil
}

// sort tells the fields of the records from those of the envelope. A field may
// name the records' path in front. Without records to look at, all are taken for
// fields of records.
func sort(raw, list []byte, path string, fields []string) (ofRecord, ofEnvelope []string) {
	for _, field := range fields {
		if inner, within := strings.CutPrefix(field, path+"."); within {
			ofRecord = append(ofRecord, inner)
			continue
		}
		probe := newPicker([]string{field})
		probe.pick(list, probe.fields)
		onlyEnvelope := newPicker([]string{field})
		onlyEnvelope.pick(raw, onlyEnvelope.fields)
		if probe.hit[0] || probe.null[0] || probe.objects == 0 && !onlyEnvelope.hit[0] {
			ofRecord = append(ofRecord, field)
		} else {
			ofEnvelope = append(ofEnvelope, field)
		}
	}
	return ofRecord, ofEnvelope
}

// picker keeps fields and remembers which it has met.
type picker struct {
	fields  []string
	hit     []bool
	null    []bool // null stood where the field's path goes on
	missed  []bool // an object stood there, without the member
	objects int    // looked at
}

func newPicker(fields []string) *picker {
	n := len(fields)
	return &picker{fields: fields, hit: make([]bool, n), null: make([]bool, n), missed: make([]bool, n)}
}

func (p *picker) unknown() []string {
	var names []string
	for i, field := range p.fields {
		if !p.hit[i] && (p.missed[i] || !p.null[i]) {
			names = append(names, field)
		}
	}
	return names
}

func (p *picker) pick(value []byte, fields []string) []byte {
	wanted := make([]wish, len(fields))
	for i, field := range fields {
		wanted[i] = wish{path: field, field: i}
	}
	return p.keep(value, wanted, 0)
}

// wish is what is left of a field's path, and which field it is.
type wish struct {
	path   string
	field  int
	within bool // a part of the path is behind
}

func (p *picker) keep(value []byte, wanted []wish, depth int) []byte {
	switch {
	case depth > rawjson.MaxDepth:
		return value
	case rawjson.KindOf(value) == rawjson.KindArray:
		return rawjson.Rewrite(value, func(_ []byte, _ int, v []byte) []byte { return p.keep(v, wanted, depth+1) })
	case rawjson.KindOf(value) != rawjson.KindObject:
		return value
	}
	p.objects++
	return p.members(value, wanted, depth)
}

// members writes the wanted members in the order in which they were asked for.
func (p *picker) members(value []byte, wanted []wish, depth int) []byte {
	out := append(make([]byte, 0, min(len(value), 64*len(wanted))), '{')
	var done []string
	for i, w := range wanted {
		name, inner, found := head(value, w.path)
		p.missed[w.field] = p.missed[w.field] || !found && w.within
		if !found || slices.Contains(done, name) {
			continue
		}
		done = append(done, name)
		below, whole := p.below(value, name, wanted[i:])
		if !whole {
			inner = p.keep(inner, below, depth+1)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = rawjson.AppendString(out, name)
		out = append(out, ':')
		out = append(out, inner...)
	}
	return append(out, '}')
}

// below gathers the wishes that go through one member; whole means that one of
// them wants all of it.
func (p *picker) below(value []byte, name string, wanted []wish) (below []wish, whole bool) {
	for _, w := range wanted {
		member, inner, found := head(value, w.path)
		if !found || member != name {
			continue
		}
		rest := strings.TrimPrefix(w.path[len(name):], ".")
		if kind := rawjson.KindOf(inner); rest != "" && kind != rawjson.KindObject && kind != rawjson.KindArray {
			p.null[w.field] = p.null[w.field] || kind == rawjson.KindNull
			rest = ""
		} else if rest == "" || rawjson.Len(inner) == 0 {
			p.hit[w.field] = true
		}
		if rest == "" {
			whole = true
			continue
		}
		below = append(below, wish{rest, w.field, true})
	}
	return below, whole
}

// head finds the member that a path begins with: one whose name has dots itself
// is found too.
func head(value []byte, path string) (name string, member []byte, found bool) {
	if member, found = rawjson.Get(value, path); found {
		return path, member, true
	}
	for at := range len(path) {
		if path[at] != '.' {
			continue
		}
		if member, found = rawjson.Get(value, path[:at]); found {
			return path[:at], member, true
		}
	}
	return "", nil, false
}

func unknownFields(unknown []string, records, envelope []byte) *Error {
	return UnknownFields(unknown, append(fieldNames(records), fieldNames(envelope)...))
}

// UnknownFields says which fields are not in an answer, the nearest that are, and all that are.
func UnknownFields(unknown, known []string) *Error {
	text := fmt.Sprintf("no field %q in the answer", unknown[0])
	if len(unknown) > 1 {
		text = fmt.Sprintf("no fields %q in the answer", unknown)
	}
	var near []string
	for _, name := range unknown {
		near = append(near, rawjson.Nearest(known, name, 1)...)
	}
	if len(near) > 0 {
		text += "; did you mean " + strings.Join(near, ", ") + "?"
	}
	const most = 40
	hint := "fields: " + strings.Join(known[:min(most, len(known))], ", ")
	if len(known) > most {
		hint += fmt.Sprintf(", … (%d in all)", len(known))
	}
	return &Error{Message: text, Hint: hint}
}

// fieldNames lists the fields of the first records and of the objects in them.
func fieldNames(value []byte) []string {
	const records = 20
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	seen := 0
	each(value, func(object []byte) bool {
		for key, member := range rawjson.Members(object) {
			add(key)
			each(member, func(inner []byte) bool {
				for below := range rawjson.Members(inner) {
					add(key + "." + below)
				}
				return false
			})
		}
		seen++
		return seen < records && len(names) < 200
	})
	return names
}

// each yields an object, or the elements of an array.
func each(value []byte, yield func([]byte) bool) {
	if rawjson.KindOf(value) != rawjson.KindArray {
		yield(value)
		return
	}
	for v := range rawjson.Elements(value) {
		if !yield(v) {
			return
		}
	}
}
