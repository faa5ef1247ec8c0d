package toon

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// same decodes a text by the rules of the specification, and tells whether it is the value: numbers
// digit for digit, of members with the same key the last.
func same(t *testing.T, text, value string) bool {
	t.Helper()
	d := &decoder{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	if text == "" {
		d.lines = nil
	}
	decoded := d.root()
	if rawjson.Check([]byte(decoded)) != nil {
		t.Errorf("%q is decoded as %s", text, decoded)
		return false
	}
	return plain([]byte(decoded)) == plain([]byte(value))
}

// plain writes a value with its texts decoded and its keys sorted.
func plain(raw []byte) string {
	switch rawjson.KindOf(raw) {
	case rawjson.KindString:
		text, _ := rawjson.String(raw)
		return strconv.QuoteToASCII(text)
	case rawjson.KindArray:
		out := "["
		for element := range rawjson.Elements(raw) {
			out += plain(element) + ","
		}
		return out + "]"
	case rawjson.KindObject:
		members := map[string]string{}
		for key, member := range rawjson.Members(raw) {
			members[key] = plain(member)
		}
		out := "{"
		for _, key := range slices.Sorted(maps.Keys(members)) {
			out += strconv.QuoteToASCII(key) + ":" + members[key] + ","
		}
		return out + "}"
	}
	return string(rawjson.Trim(raw))
}

// decoder reads lines; each value is written as JSON.
type decoder struct {
	lines []string
	at    int
}

func (d *decoder) root() string {
	switch {
	case len(d.lines) == 0:
		return "{}"
	case strings.HasPrefix(d.lines[0], "["):
		d.at++
		return d.list(d.lines[0], 0)
	}
	if _, rest := key(d.lines[0]); len(d.lines) == 1 && rest == "" {
		return scalar(d.lines[0])
	}
	return d.members(0)
}

// depth is how far the current line is indented; -1 at the end.
func (d *decoder) depth() int {
	if d.at == len(d.lines) {
		return -1
	}
	line := d.lines[d.at]
	return (len(line) - len(strings.TrimLeft(line, " "))) / 2
}

// members reads the lines of an object.
func (d *decoder) members(depth int) string {
	var parts []string
	for d.depth() == depth {
		line := d.lines[d.at][2*depth:]
		if strings.HasPrefix(line, "- ") || line == "-" {
			break
		}
		d.at++
		parts = append(parts, d.member(line, depth))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// member reads one member whose line is taken already.
func (d *decoder) member(line string, depth int) string {
	name, rest := key(line)
	switch {
	case strings.HasPrefix(rest, "["):
		return name + ":" + d.list(rest, depth)
	case rest == ":":
		return name + ":" + d.members(depth+1)
	}
	return name + ":" + scalar(rest[2:])
}

// list reads a list from its header, "[3]: a,b,c", "[3]{x,y}:" or "[3]:".
func (d *decoder) list(header string, depth int) string {
	_, rest, _ := strings.Cut(header, "]")
	if columns, isTable := strings.CutPrefix(rest, "{"); isTable {
		return d.rows(split(strings.TrimSuffix(columns, "}:")), depth+1)
	}
	var parts []string
	if flat := strings.TrimPrefix(rest, ":"); flat != "" {
		for _, cell := range split(flat[1:]) {
			parts = append(parts, scalar(cell))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	for d.depth() == depth+1 && strings.HasPrefix(d.lines[d.at][2*depth+2:], "-") {
		parts = append(parts, d.item(depth+1))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (d *decoder) rows(columns []string, depth int) string {
	var parts []string
	for d.depth() == depth {
		cells := split(d.lines[d.at][2*depth:])
		d.at++
		record := "{"
		for i, column := range columns {
			name, _ := key(column + ":")
			if i > 0 {
				record += ","
			}
			record += name + ":" + scalar(cells[i])
		}
		parts = append(parts, record+"}")
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// item reads an element after its hyphen.
func (d *decoder) item(depth int) string {
	line := strings.TrimPrefix(d.lines[d.at][2*depth:], "-")
	d.at++
	if line == "" {
		return "{}"
	}
	line = line[1:]
	if strings.HasPrefix(line, "[") {
		return d.list(line, depth)
	}
	if _, rest := key(line); rest == "" {
		return scalar(line)
	}
	first := d.member(line, depth+1)
	others := strings.TrimPrefix(d.members(depth+1), "{")
	if others == "}" {
		return "{" + first + "}"
	}
	return "{" + first + "," + others
}

// key takes a member's key off a line, as JSON; rest begins at the colon or the bracket, and is empty
// where the line is no member.
func key(line string) (name, rest string) {
	if strings.HasPrefix(line, `"`) {
		prefix := quoted(line)
		if rest = line[len(prefix):]; rest == "" || rest[0] != ':' && rest[0] != '[' {
			return "", ""
		}
		return prefix, rest
	}
	at := strings.IndexAny(line, ":[")
	if at <= 0 {
		return "", ""
	}
	return string(rawjson.Quote(line[:at])), line[at:]
}

// quoted is the quoted text that a line begins with.
func quoted(line string) string {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return line[:i+1]
		}
	}
	return line
}

// split cuts cells at commas outside of quotes.
func split(line string) (cells []string) {
	from := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			i += len(quoted(line[i:])) - 1
		case ',':
			cells = append(cells, line[from:i])
			from = i + 1
		}
	}
	return append(cells, line[from:])
}

// scalar is a cell as JSON.
func scalar(cell string) string {
	if strings.HasPrefix(cell, `"`) {
		return cell
	}
	if rawjson.Check([]byte(cell)) == nil && rawjson.KindOf([]byte(cell)) != rawjson.KindString {
		return cell
	}
	return string(rawjson.Quote(cell))
}
