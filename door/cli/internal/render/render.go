package render

import (
	"bytes"
	"fmt"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/shape"
	"github.com/twodoor/twodoor/internal/toon"
)

// View is how a value is looked at. The zero value is a file: no width, no color.
type View struct {
	Root     string   // path of the records; empty: found
	Columns  []string // of tables, dotted paths; empty: the most telling ones
	Width    int      // of a table in characters; 0: no bound
	Terminal bool     // a person looks at it
	Color    bool
}

// Append writes the value, which is valid JSON, in a mode: table, json, jsonl, yaml, csv, tsv, toon,
// md or raw. What it adds ends in a line break, unless it is raw text without one.
func Append(dst []byte, mode string, value []byte, v View) ([]byte, error) {
	from := len(dst)
	dst, err := appendMode(dst, mode, value, v)
	if v.Terminal && mode != "table" { // a table sees to its cells, and steers the terminal itself
		dst = append(dst[:from], bytes.Map(printable, dst[from:])...)
	}
	return dst, err
}

func appendMode(dst []byte, mode string, value []byte, v View) ([]byte, error) {
	switch mode {
	case "json":
		return appendJSON(dst, value, v), nil
	case "jsonl":
		return appendLines(dst, value, v), nil
	case "raw":
		return appendRaw(dst, value), nil
	case "yaml":
		return appendYAML(dst, value), nil
	case "toon":
		return toon.Append(dst, value), nil
	case "csv":
		return appendCSV(dst, value, v, ',')
	case "tsv":
		return appendTSV(dst, value, v), nil
	case "md":
		return appendMarkdown(dst, value, v), nil
	case "table":
		return appendTable(dst, value, v), nil
	}
	return dst, fmt.Errorf("no output mode %q", mode)
}

// appendJSON writes one line for a program, and an indented text for a person.
func appendJSON(dst, value []byte, v View) []byte {
	if v.Terminal {
		dst = rawjson.Indent(dst, value, "  ")
	} else {
		dst = rawjson.Compact(dst, value)
	}
	return append(dst, '\n')
}

// appendLines writes each record on a line of its own.
func appendLines(dst, value []byte, v View) []byte {
	list, ok := records(value, v.Root)
	if !ok {
		return append(rawjson.Compact(dst, value), '\n')
	}
	for record := range rawjson.Elements(list) {
		dst = append(rawjson.Compact(dst, record), '\n')
	}
	return dst
}

// appendRaw writes the value as it came: a text without its quotes, everything else untouched.
func appendRaw(dst, value []byte) []byte {
	if text, ok := rawjson.String(value); ok {
		return append(dst, text...)
	}
	return append(append(dst, value...), '\n')
}

// records finds the list in an answer: the answer itself, or what stands at the root, or the one
// list in it.
func records(value []byte, root string) ([]byte, bool) {
	if rawjson.KindOf(value) == rawjson.KindArray {
		return value, true
	}
	list, _, ok := shape.Records(value, root)
	return list, ok
}
