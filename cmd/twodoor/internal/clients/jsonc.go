package clients

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// jsonc is a JSON text with comments and trailing commas, as editors and their users write it. It is
// changed by cutting and pasting in the text, never by writing a tree anew.
type jsonc struct {
	text []byte // without a byte order mark
	root hujson.Value
	bare bool // there is no value in it, only space and comments
	flat bool // all of it stands in one line
	eol  string
	unit string // one level of indentation
}

// maxDepth bounds the nesting of a file that is read.
const maxDepth = 500

func parseJSONC(text []byte) (*jsonc, error) {
	d := &jsonc{text: text, eol: "\n", unit: "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		d.eol = "\r\n"
	}
	if tooDeep(text) {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	root, err := hujson.Parse(append(bytes.Clone(text), '\n')) // a comment may end the file without one
	if err != nil {
		if empty, bad := hujson.Parse(append(bytes.Clone(text), "\nnull"...)); bad == nil && empty.StartOffset > len(text) {
			d.bare = true
			return d, nil
		}
		if _, plain := hujson.Parse(text); plain != nil {
			err = plain // it has the right line
		}
		return nil, fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	d.root = root
	items, _ := itemsOf(&root)
	d.flat = len(items) > 0 && !bytes.Contains(text, []byte("\n"))
	if o, ok := root.Value.(*hujson.Object); ok && len(o.Members) > 0 {
		if margin, own := d.margin(o.Members[0].Name.StartOffset); own && margin != "" {
			d.unit = margin
		}
	}
	return d, nil
}

// tooDeep counts brackets, those in strings too: what it lets through is never deeper.
func tooDeep(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth = max(depth-1, 0)
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

// splice is a piece of the text that is replaced.
type splice struct {
	from, to int
	by       string
}

// cut carries out splices, which do not overlap.
func (d *jsonc) cut(splices ...splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, s := range splices {
		out = append(append(out, d.text[at:s.from]...), s.by...)
		at = s.to
	}
	return append(out, d.text[at:]...)
}

// put sets the member that a path leads to, and makes the objects on the way that are missing.
func (d *jsonc) put(path []string, value []byte) ([]byte, error) {
	if d.bare {
		lead := string(d.text)
		if strings.TrimSpace(lead) != "" && !strings.HasSuffix(lead, "\n") {
			lead += d.eol
		}
		return []byte(lead + d.written(nested(path, value), "") + d.eol), nil
	}
	at := &d.root
	for i, key := range path {
		object, ok := at.Value.(*hujson.Object)
		if !ok && i > 0 && at.Value.Kind() == 'n' {
			return d.cut(splice{at.StartOffset, at.EndOffset, d.written(nested(path[i:], value), d.marginOf(at.StartOffset))}), nil
		}
		if !ok {
			return nil, fmt.Errorf("line %d: %s is no object", d.line(at.StartOffset), pathText(path[:i]))
		}
		m, err := d.member(object, path[:i], key)
		if err != nil {
			return nil, err
		}
		if m == nil {
			return d.insert(at, rawjson.Quote(key), nested(path[i+1:], value)), nil
		}
		at = &m.Value
	}
	return d.cut(splice{at.StartOffset, at.EndOffset, d.written(value, d.marginOf(at.StartOffset))}), nil
}

// add puts an element at the end of the list that a path leads to.
func (d *jsonc) add(path []string, element []byte) ([]byte, error) {
	at, err := d.find(path)
	if err != nil {
		return nil, err
	}
	if at == nil || at.Value.Kind() == 'n' {
		return d.put(path, slices.Concat([]byte("["), element, []byte("]")))
	}
	if _, ok := at.Value.(*hujson.Array); !ok {
		return nil, fmt.Errorf("line %d: %s is no list", d.line(at.StartOffset), pathText(path))
	}
	return d.insert(at, nil, element), nil
}

// find is the value that a path leads to, or nil.
func (d *jsonc) find(path []string) (*hujson.Value, error) {
	if d.bare {
		return nil, nil
	}
	at := &d.root
	for i, key := range path {
		object, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, nil
		}
		m, err := d.member(object, path[:i], key)
		if m == nil || err != nil {
			return nil, err
		}
		at = &m.Value
	}
	return at, nil
}

// member is the member of a name, or nil. One that is there twice is refused: which one counts
// depends on who reads.
func (d *jsonc) member(object *hujson.Object, path []string, key string) (*hujson.ObjectMember, error) {
	var found *hujson.ObjectMember
	for i := range object.Members {
		m := &object.Members[i]
		if !rawjson.KeyIs(m.Name.Value.(hujson.Literal), key) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("line %d: %s is there twice, first in line %d", d.line(m.Name.StartOffset), pathText(append(slices.Clone(path), key)), d.line(found.Name.StartOffset))
		}
		found = m
	}
	return found, nil
}

// insert puts a member (an element, without a name) at the end of an object (a list).
func (d *jsonc) insert(in *hujson.Value, name, value []byte) []byte {
	items, extra := itemsOf(in)
	item := func(margin string) string {
		if name == nil {
			return d.written(value, margin)
		}
		return string(name) + ": " + d.written(value, margin)
	}
	whole := d.text[in.StartOffset:in.EndOffset]
	if d.flat || len(items) > 0 && !bytes.Contains(whole, []byte("\n")) {
		return d.insertInLine(in, items, name, value)
	}
	margin := d.marginOf(in.StartOffset) + d.unit
	if len(items) > 0 {
		if own, alone := d.margin(items[0].from); alone {
			margin = own
		}
	}
	close := in.EndOffset - 1
	from := close - len(extra)
	var splices []splice
	trailing := ""
	if len(items) > 0 {
		last := items[len(items)-1]
		if last.comma < 0 {
			splices = append(splices, splice{last.to, last.to, ","})
		} else {
			trailing = ","
		}
	}
	written := d.eol + margin + item(margin) + trailing
	place := from + restOf(extra)
	at := bytes.LastIndexByte(d.text[place:close], '\n')
	if at < 0 { // the end stands in the line of what is before it
		return d.cut(append(splices, splice{close, close, written + d.eol + d.marginOf(in.StartOffset)})...)
	}
	if place += at; place > from && d.text[place-1] == '\r' {
		place--
	}
	return d.cut(append(splices, splice{place, place, written})...)
}

// insertInLine writes into an object that stands in one line, in one line.
func (d *jsonc) insertInLine(in *hujson.Value, items []item, name, value []byte) []byte {
	written := rawjson.Compact(nil, value)
	if name != nil {
		written = slices.Concat(name, []byte(":"), written)
	}
	if len(items) == 0 {
		return d.cut(splice{in.EndOffset - 1, in.EndOffset - 1, string(written)})
	}
	last := items[len(items)-1]
	if last.comma >= 0 {
		return d.cut(splice{last.comma + 1, last.comma + 1, string(written) + ","})
	}
	space := ""
	if bytes.Contains(d.text[in.StartOffset:in.EndOffset], []byte(`": `)) {
		space = " "
	}
	return d.cut(splice{last.to, last.to, "," + space + string(written)})
}

// item is where a member or an element stands.
type item struct {
	from, to int // without the comma
	comma    int // where it is; -1: none
}

// itemsOf lists what is in an object or a list, and the space and comments before its end.
func itemsOf(v *hujson.Value) (items []item, extra hujson.Extra) {
	note := func(from int, value *hujson.Value, last bool) {
		i := item{from, value.EndOffset, value.EndOffset + len(value.AfterExtra)}
		if last && value.AfterExtra == nil {
			i.comma = -1
		}
		items = append(items, i)
	}
	switch list := v.Value.(type) {
	case *hujson.Object:
		for i := range list.Members {
			note(list.Members[i].Name.StartOffset, &list.Members[i].Value, i == len(list.Members)-1)
		}
		extra = list.AfterExtra
	case *hujson.Array:
		for i := range list.Elements {
			note(list.Elements[i].StartOffset, &list.Elements[i], i == len(list.Elements)-1)
		}
		extra = list.AfterExtra
	}
	return items, extra
}

// restOf is where the space begins that follows the last comment, with the end of that comment's line.
func restOf(extra []byte) int {
	rest := 0
	for i := 0; i+1 < len(extra); i++ {
		if extra[i] != '/' {
			continue
		}
		end := bytes.Index(extra[i+2:], []byte("*/")) + 2
		if extra[i+1] == '/' {
			end = bytes.IndexByte(extra[i+2:], '\n')
		}
		if end < 0 {
			return len(extra)
		}
		i += 2 + end
		rest = i
		i--
	}
	return rest
}

// take cuts the member out that a path leads to. It reports whether there was one.
func (d *jsonc) take(path []string) ([]byte, bool, error) {
	in, err := d.find(path[:len(path)-1])
	if in == nil || err != nil {
		return d.text, false, err
	}
	object, ok := in.Value.(*hujson.Object)
	if !ok {
		return d.text, false, nil
	}
	m, err := d.member(object, path[:len(path)-1], path[len(path)-1])
	if m == nil || err != nil {
		return d.text, false, err
	}
	return d.takeItem(in, m.Name.StartOffset), true, nil
}

// takeItem cuts out what begins at an offset, with its comma and its line where nothing else is in it.
func (d *jsonc) takeItem(in *hujson.Value, from int) []byte {
	items, _ := itemsOf(in)
	i := slices.IndexFunc(items, func(i item) bool { return i.from == from })
	it := items[i]
	to := it.to
	var splices []splice
	switch {
	case it.comma >= 0 && len(bytes.TrimSpace(d.text[it.to:it.comma])) == 0:
		to = it.comma + 1
	case it.comma >= 0:
		splices = append(splices, splice{it.comma, it.comma + 1, ""})
	case i > 0:
		comma := items[i-1].comma
		if len(bytes.Trim(d.text[comma+1:from], " \t")) == 0 {
			from = comma
		} else {
			splices = append(splices, splice{comma, comma + 1, ""})
		}
	}
	if len(items) == 1 && len(bytes.TrimSpace(d.text[in.StartOffset+1:from])) == 0 && len(bytes.TrimSpace(d.text[to:in.EndOffset-1])) == 0 {
		return d.cut(splice{in.StartOffset + 1, in.EndOffset - 1, ""})
	}
	from, to = d.wholeLine(from, to)
	return d.cut(append(splices, splice{from, to, ""})...)
}

// wholeLine widens a cut to its lines where nothing else is in them.
func (d *jsonc) wholeLine(from, to int) (int, int) {
	left := from
	for left > 0 && (d.text[left-1] == ' ' || d.text[left-1] == '\t') {
		left--
	}
	right := to
	for right < len(d.text) && (d.text[right] == ' ' || d.text[right] == '\t' || d.text[right] == '\r') {
		right++
	}
	if (left == 0 || d.text[left-1] == '\n') && right < len(d.text) && d.text[right] == '\n' {
		return left, right + 1
	}
	return from, to
}

// written is a value as it stands in a text whose lines begin with a margin.
func (d *jsonc) written(value []byte, margin string) string {
	if d.flat {
		return string(rawjson.Compact(nil, value))
	}
	text := string(rawjson.Indent(nil, value, d.unit))
	return strings.ReplaceAll(text, "\n", d.eol+margin)
}

// margin is the space that begins the line of an offset, and whether nothing else stands before it.
func (d *jsonc) margin(at int) (string, bool) {
	line := d.text[bytes.LastIndexByte(d.text[:at], '\n')+1 : at]
	space := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
	return string(space), len(space) == len(line) && bytes.IndexByte(d.text[:at], '\n') >= 0
}

func (d *jsonc) marginOf(at int) string {
	margin, _ := d.margin(at)
	return margin
}

func (d *jsonc) line(at int) int { return 1 + bytes.Count(d.text[:at], []byte("\n")) }

// nested is a value under the keys of a path.
func nested(path []string, value []byte) []byte {
	for _, key := range slices.Backward(path) {
		var o rawjson.Object
		o.Put(key, value)
		value = o.Bytes()
	}
	return value
}

func pathText(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	return strings.Join(path, ".")
}
