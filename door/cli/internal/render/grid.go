package render

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// grid is a value as rows and columns.
type grid struct {
	columns []string
	rows    [][][]byte // JSON; nil: absent
}

// gridOf lays a value out: a list by its records, an object as one record, a scalar as one cell.
func gridOf(value []byte, v View, columns []string) grid {
	list, ok := records(value, v.Root)
	if !ok {
		list = append(append([]byte{'['}, value...), ']')
	}
	if len(columns) == 0 {
		columns = keys(list)
	}
	g := grid{columns: columns}
	if len(columns) == 0 && rawjson.Len(list) > 0 {
		g.columns = []string{"value"}
	}
	for record := range rawjson.Elements(list) {
		g.rows = append(g.rows, g.row(record))
	}
	return g
}

func (g *grid) row(record []byte) [][]byte {
	row := make([][]byte, len(g.columns))
	if rawjson.KindOf(record) != rawjson.KindObject {
		row[0] = record
		return row
	}
	for i, column := range g.columns {
		if value, ok := rawjson.Get(record, column); ok {
			row[i] = value
		} else if value, ok := rawjson.GetPath(record, strings.Split(column, ".")...); ok {
			row[i] = value
		}
	}
	return row
}

// keys lists the members of all records, in the order of their first appearance.
func keys(list []byte) []string {
	var names []string
	seen := map[string]bool{}
	for record := range rawjson.Elements(list) {
		for key := range rawjson.Members(record) {
			if !seen[key] {
				seen[key] = true
				names = append(names, key)
			}
		}
	}
	return names
}

// Columns ranks the members of the records in a list by how much they tell, the best first. Members
// that hold nothing are left out.
func Columns(list []byte) []string {
	ranks := map[string]*rank{}
	var names []string
	for record := range rawjson.Elements(list) {
		for key, value := range rawjson.Members(record) {
			r := ranks[key]
			if r == nil {
				r = &rank{word: wordRank(key)}
				ranks[key] = r
				names = append(names, key)
			}
			r.see(value)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return ranks[name].filled == 0 })
	total := rawjson.Len(list)
	slices.SortStableFunc(names, func(a, b string) int { return ranks[a].score(total) - ranks[b].score(total) })
	return names
}

// rank is what is known of a column.
type rank struct {
	word   int
	filled int // cells that hold something
	nested int
	long   int
}

func (r *rank) see(value []byte) {
	switch rawjson.KindOf(value) {
	case rawjson.KindNull:
		return
	case rawjson.KindObject, rawjson.KindArray:
		if rawjson.Len(value) == 0 {
			return
		}
		r.nested++
	case rawjson.KindString:
		if len(value) == 2 {
			return
		}
		if len(value) > 120 {
			r.long++
		}
	}
	r.filled++
}

func (r *rank) score(total int) int {
	score := r.word
	if r.nested*2 > r.filled {
		score += 30
	}
	if r.long*2 > r.filled {
		score += 20
	}
	if r.filled*2 < total {
		score += 15
	}
	return score
}

// wordRank says by its name how much a column tells.
func wordRank(key string) int {
	word := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
	switch word {
	case "id", "number", "key", "uid", "uuid":
		return 0
	case "name", "title", "fullname", "displayname", "slug", "login", "label":
		return 1
	case "status", "state", "severity", "priority", "phase", "level":
		return 2
	case "type", "kind", "summary", "message", "email", "amount", "total", "count", "value", "currency":
		return 5
	case "createdat", "startedat", "starttime", "updatedat", "date", "time", "timestamp", "created":
		return 8
	case "object", "nodeid", "etag", "livemode", "metadata":
		return 25
	}
	switch {
	case strings.HasSuffix(word, "url"), strings.HasSuffix(word, "uri"), strings.HasSuffix(word, "links"), strings.HasSuffix(word, "href"):
		return 28
	case strings.HasSuffix(word, "id"):
		return 12
	}
	return 10
}

// appendCSV writes RFC 4180 with a header; a nested cell is JSON.
func appendCSV(dst, value []byte, v View, comma rune) ([]byte, error) {
	g := gridOf(value, v, v.Columns)
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Comma = comma
	if len(g.columns) > 0 {
		if err := w.Write(g.columns); err != nil {
			return dst, err
		}
	}
	for _, row := range g.rows {
		if err := w.Write(texts(row)); err != nil {
			return dst, err
		}
	}
	w.Flush()
	return append(dst, out.Bytes()...), w.Error()
}

// appendTSV writes tab separated values; tabs, line breaks and backslashes in a cell are escaped.
func appendTSV(dst, value []byte, v View) []byte {
	escape := strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	g := gridOf(value, v, v.Columns)
	line := func(cells []string) {
		for i, cell := range cells {
			if i > 0 {
				dst = append(dst, '\t')
			}
			dst = append(dst, escape.Replace(cell)...)
		}
		dst = append(dst, '\n')
	}
	if len(g.columns) > 0 {
		line(g.columns)
	}
	for _, row := range g.rows {
		line(texts(row))
	}
	return dst
}

// appendMarkdown writes a pipe table, an object by its members, a text as it is.
func appendMarkdown(dst, value []byte, v View) []byte {
	if text, ok := rawjson.String(value); ok {
		return append(append(dst, strings.TrimRight(text, "\n")...), '\n')
	}
	g := gridOf(value, v, v.Columns)
	if _, list := records(value, v.Root); !list && rawjson.KindOf(value) == rawjson.KindObject {
		g = turned(value)
	}
	escape := strings.NewReplacer("|", `\|`, "\r\n", "<br>", "\n", "<br>")
	line := func(cells []string) {
		dst = append(dst, '|')
		for _, cell := range cells {
			dst = append(dst, ' ')
			dst = append(dst, escape.Replace(cell)...)
			dst = append(dst, " |"...)
		}
		dst = append(dst, '\n')
	}
	if len(g.columns) == 0 {
		return append(dst, "none\n"...)
	}
	line(g.columns)
	line(slices.Repeat([]string{"---"}, len(g.columns)))
	for _, row := range g.rows {
		line(texts(row))
	}
	return dst
}

// turned is an object with a row for each member.
func turned(value []byte) grid {
	g := grid{columns: []string{"field", "value"}}
	for key, member := range rawjson.Members(value) {
		g.rows = append(g.rows, [][]byte{rawjson.Quote(key), member})
	}
	return g
}

// texts are cells for a program: a text without quotes, nothing for null, JSON for what is nested.
func texts(row [][]byte) []string {
	cells := make([]string, len(row))
	for i, value := range row {
		switch rawjson.KindOf(value) {
		case rawjson.KindInvalid, rawjson.KindNull:
		case rawjson.KindString:
			cells[i], _ = rawjson.String(value)
		default:
			cells[i] = string(rawjson.Compact(nil, value))
		}
	}
	return cells
}
