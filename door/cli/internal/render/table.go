package render

import (
	"slices"
	"strings"
	"unicode"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Bounds of a table that nobody has chosen columns for.
const (
	maxColumns = 8
	maxCell    = 40
	fewest     = 3 // characters that the other columns keep while the first is whole
	gap        = "  "
)

// appendTable writes a list as a table no wider than the view, an object as one line for each member,
// and a text as it is.
func appendTable(dst, value []byte, v View) []byte {
	list, ok := records(value, v.Root)
	switch {
	case ok:
		return appendGrid(dst, tableOf(list, v), v, true)
	case rawjson.KindOf(value) == rawjson.KindObject:
		return appendGrid(dst, turned(value), v, false)
	}
	text := texts([][]byte{value})[0]
	if v.Terminal {
		text = strings.Map(printable, text)
	}
	return append(append(dst, strings.TrimRight(text, "\n")...), '\n')
}

// tableOf chooses the columns: those asked for, else the most telling ones, in their own order.
func tableOf(list []byte, v View) grid {
	if len(v.Columns) > 0 {
		return gridOf(list, View{}, v.Columns)
	}
	best := Columns(list)
	best = best[:min(len(best), maxColumns)]
	for v.Width > 0 && len(best) > 1 && leastWidth(best) > v.Width {
		best = best[:len(best)-1]
	}
	order := keys(list)
	slices.SortFunc(best, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	return gridOf(list, View{}, best)
}

// leastWidth is how narrow a table with these columns can be and still be read.
func leastWidth(columns []string) int {
	width := 0
	for _, column := range columns {
		width += max(min(len(column), 12), 6) + len(gap)
	}
	return width
}

func appendGrid(dst []byte, g grid, v View, header bool) []byte {
	if len(g.columns) == 0 || !header && len(g.rows) == 0 {
		return append(dst, "none\n"...)
	}
	lines := make([][]string, 0, len(g.rows)+1)
	if header {
		lines = append(lines, g.columns)
	}
	most := maxCell
	if !header || len(g.columns) <= 2 {
		most = max(v.Width, maxCell)
	}
	for _, row := range g.rows {
		lines = append(lines, cells(row))
	}
	widths := fitWidths(lines, most, v.Width)
	for i, line := range lines {
		dst = appendLine(dst, line, widths, v.Color && (header && i == 0))
	}
	return dst
}

// fitWidths gives each column what its widest cell needs, and takes from the widest until the table
// fits: from the first last of all, which is what one calls the record by.
func fitWidths(lines [][]string, most, width int) []int {
	widths := make([]int, len(lines[0]))
	total := -len(gap)
	for i := range widths {
		for _, line := range lines {
			widths[i] = max(widths[i], min(textWidth(line[i]), most))
		}
		total += widths[i] + len(gap)
	}
	for width > 0 && total > width {
		widest := len(widths) - 1
		for i := widest - 1; i > 0; i-- {
			if widths[i] >= widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= fewest || widths[0] > width/2 {
			widest = 0
		}
		if widths[widest] <= 1 {
			break
		}
		widths[widest]--
		total--
	}
	return widths
}

func appendLine(dst []byte, line []string, widths []int, bold bool) []byte {
	if bold {
		dst = append(dst, "\x1b[1m"...)
	}
	for i, cell := range line {
		text, width := cutTo(cell, widths[i])
		if i > 0 {
			dst = append(dst, gap...)
		}
		dst = append(dst, text...)
		if i < len(line)-1 {
			for range widths[i] - width {
				dst = append(dst, ' ')
			}
		}
	}
	if bold {
		dst = append(dst, "\x1b[0m"...)
	}
	return append(dst, '\n')
}

// cells are what a person sees of values: one line, and of nested ones what names them.
func cells(row [][]byte) []string {
	out := make([]string, len(row))
	for i, value := range row {
		out[i] = strings.Map(printable, strings.Join(strings.Fields(cell(value)), " "))
	}
	return out
}

func cell(value []byte) string {
	switch rawjson.KindOf(value) {
	case rawjson.KindObject:
		for _, key := range [...]string{"name", "title", "login", "id", "key"} {
			if named, ok := rawjson.Get(value, key); ok && rawjson.KindOf(named) <= rawjson.KindString {
				return texts([][]byte{named})[0]
			}
		}
	case rawjson.KindArray:
		var parts []string
		for element := range rawjson.Elements(value) {
			parts = append(parts, cell(element))
		}
		return strings.Join(parts, ", ")
	}
	return texts([][]byte{value})[0]
}

// printable drops what would steer a terminal.
func printable(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case unicode.IsControl(r), r == '\u202e', r == '\u202d', r == '\u2066', r == '\u2067':
		return -1
	}
	return r
}

// cutTo cuts a text to a width in columns.
func cutTo(text string, width int) (string, int) {
	whole := textWidth(text)
	if whole <= width {
		return text, whole
	}
	used := 0
	for i, r := range text {
		w := runeWidth(r)
		if used+w > width-1 {
			return text[:i] + "…", used + 1
		}
		used += w
	}
	return text, used
}

func textWidth(text string) int {
	width := 0
	for _, r := range text {
		width += runeWidth(r)
	}
	return width
}

// runeWidth is how many columns a terminal gives a character (Unicode TR 11).
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1f64f,
		r >= 0x1f900 && r <= 0x1f9ff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
