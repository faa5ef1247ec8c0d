package clients

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlDoc is a TOML text. Tables are put at its end and cut out as they stand.
type tomlDoc struct {
	text   []byte // without a byte order mark
	eol    string
	values map[string]any
	tables []tomlTable
}

// tomlTable is a table's header and where the text up to the next header begins and ends.
type tomlTable struct {
	path     []string
	from, to int
}

func parseTOML(text []byte) (*tomlDoc, error) {
	d := &tomlDoc{text: text, eol: "\n", values: map[string]any{}}
	if bytes.Contains(text, []byte("\r\n")) {
		d.eol = "\r\n"
	}
	if tooDeep(text) {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	if err := toml.Unmarshal(text, &d.values); err != nil {
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ := at.Position()
			return nil, fmt.Errorf("it is not TOML: line %d: %s", line, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return nil, fmt.Errorf("it is not TOML: %w", err)
	}
	d.readTables()
	return d, nil
}

// readTables finds the headers. The text is known to be good.
func (d *tomlDoc) readTables() {
	var p unstable.Parser
	p.Reset(d.text)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		var t tomlTable
		at := -1
		for key := e.Key(); key.Next(); {
			n := key.Node()
			t.path = append(t.path, string(n.Data))
			if at < 0 {
				at = int(n.Raw.Offset)
			}
		}
		t.from = bytes.LastIndexByte(d.text[:max(at, 0)], '\n') + 1
		if len(d.tables) > 0 {
			d.tables[len(d.tables)-1].to = t.from
		}
		t.to = len(d.text)
		d.tables = append(d.tables, t)
	}
}

// put writes a table at the end of the text, or in the place of the one that is there.
func (d *tomlDoc) put(path []string, entry []setting) ([]byte, error) {
	block := tomlBlock(path, entry, d.eol)
	out := d.appended(block)
	if _, there := tomlAt(d.values, path); there {
		from, to, err := d.span(path)
		if err != nil {
			return nil, err
		}
		out = slices.Concat(d.text[:from], []byte(block), d.text[to:])
	}
	return out, d.holds(out, path, entry)
}

func (d *tomlDoc) appended(block string) []byte {
	var b bytes.Buffer
	b.Write(d.text)
	if len(d.text) > 0 {
		if !bytes.HasSuffix(d.text, []byte("\n")) {
			b.WriteString(d.eol)
		}
		b.WriteString(d.eol)
	}
	b.WriteString(block)
	return b.Bytes()
}

// take cuts the tables of a path out. It reports whether there were any.
func (d *tomlDoc) take(path []string) ([]byte, bool, error) {
	if _, there := tomlAt(d.values, path); !there {
		return d.text, false, nil
	}
	from, to, err := d.span(path)
	if err != nil {
		return nil, false, err
	}
	out := slices.Concat(d.text[:from], d.text[to:])
	if lead := string(out[:from]); from == len(out) || strings.HasPrefix(strings.TrimLeft(string(out[from:]), "\r"), "\n") {
		if strings.HasSuffix(lead, d.eol+d.eol) || lead == d.eol { // the blank line that parted it from what is before
			out = slices.Concat(out[:from-len(d.eol)], out[from:])
		}
	}
	return out, true, d.holds(out, path, nil)
}

// span is where the tables of a path stand, which must be one after the other, without the comments
// before the next table.
func (d *tomlDoc) span(path []string) (from, to int, err error) {
	from = -1
	for _, t := range d.tables {
		if len(t.path) < len(path) || !slices.Equal(t.path[:len(path)], path) {
			continue
		}
		switch {
		case from < 0:
			from = t.from
		case t.from != to:
			return 0, 0, fmt.Errorf("line %d: a part of %s stands apart from the rest", d.line(t.from), pathText(path))
		}
		to = t.to
	}
	if from < 0 {
		return 0, 0, fmt.Errorf("%s is not a table of its own", pathText(path))
	}
	lines := slices.Collect(strings.Lines(string(d.text[from:to])))
	for len(lines) > 1 && to < len(d.text) {
		last := strings.TrimSpace(lines[len(lines)-1])
		if last != "" && !strings.HasPrefix(last, "#") {
			break
		}
		to -= len(lines[len(lines)-1])
		lines = lines[:len(lines)-1]
	}
	return from, to, nil
}

// holds checks a changed text: it has the entry (nil: it has none there), and all else is as it was.
func (d *tomlDoc) holds(text []byte, path []string, entry []setting) error {
	after := map[string]any{}
	if err := toml.Unmarshal(text, &after); err != nil {
		return errors.New("its layout does not allow a further table " + pathText(path))
	}
	before := map[string]any{}
	_ = toml.Unmarshal(d.text, &before) // it was read before
	got, there := tomlAt(after, path)
	if there != (entry != nil) || there && !reflect.DeepEqual(got, tomlValues(entry)) {
		return errors.New("its layout does not allow to change " + pathText(path))
	}
	tomlDrop(after, path)
	tomlDrop(before, path)
	if !reflect.DeepEqual(before, after) {
		return errors.New("its layout does not allow to change " + pathText(path) + " alone")
	}
	return nil
}

func (d *tomlDoc) line(at int) int { return 1 + bytes.Count(d.text[:at], []byte("\n")) }

// tomlAt is the value of a path.
func tomlAt(values map[string]any, path []string) (any, bool) {
	var at any = values
	for _, key := range path {
		table, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = table[key]; !ok {
			return nil, false
		}
	}
	return at, true
}

// tomlDrop takes the value of a path out, and tables on the way that are empty then.
func tomlDrop(values map[string]any, path []string) {
	if len(path) > 1 {
		if below, ok := values[path[0]].(map[string]any); ok {
			if tomlDrop(below, path[1:]); len(below) == 0 {
				delete(values, path[0])
			}
		}
		return
	}
	delete(values, path[0])
}

// setting is a key of an entry with its value: a string or a []string.
type setting struct {
	key   string
	value any
}

func tomlValues(entry []setting) map[string]any {
	values := map[string]any{}
	for _, s := range entry {
		values[s.key] = s.value
		if list, ok := s.value.([]string); ok {
			all := make([]any, len(list))
			for i := range list {
				all[i] = list[i]
			}
			values[s.key] = all
		}
	}
	return values
}

// tomlBlock is a table as text.
func tomlBlock(path []string, entry []setting, eol string) string {
	keys := make([]string, len(path))
	for i, key := range path {
		keys[i] = tomlKey(key)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]%s", strings.Join(keys, "."), eol)
	for _, s := range entry {
		fmt.Fprintf(&b, "%s = ", s.key)
		switch value := s.value.(type) {
		case string:
			b.WriteString(tomlString(value))
		case []string:
			texts := make([]string, len(value))
			for i := range value {
				texts[i] = tomlString(value[i])
			}
			fmt.Fprintf(&b, "[%s]", strings.Join(texts, ", "))
		}
		b.WriteString(eol)
	}
	return b.String()
}

func tomlKey(key string) string {
	if key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == "" {
		return key
	}
	return tomlString(key)
}

func tomlString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
