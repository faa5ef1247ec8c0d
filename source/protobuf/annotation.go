package protobuf

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/protobuf/options"
)

// annotation is what is said of a method beside its descriptor (contracts §5): by options of its
// file, its service and itself, and under operations: in the configuration. What is said later wins,
// key by key.
type annotation struct {
	Name, Title, Description string
	Export                   twodoor.Export
	Effect                   twodoor.Effect
	Idempotent, OpenWorld    *bool
	Permission, Deprecated   string
	Timeout                  string
	View                     json.RawMessage
	Aliases, Positional      []string
	Hide, Only, Guides       []string
	Fix, Default             map[string]json.RawMessage
	Rename, Describe, Time   map[string]string
	Answer                   twodoor.Answer
	Page                     *twodoor.Page
	Before, Next             []twodoor.Step
	Examples                 []twodoor.Example
	Stream                   streamBounds
	Defaults                 json.RawMessage // of a service's methods

	tool                  string // the MCP spelling, verbatim
	readOnly, destructive options.Answer
}

type streamBounds struct {
	Max  int    `json:"max"`
	Time string `json:"time"`
}

// under is a copy with one more annotation laid over it.
func (a annotation) under(raw []byte) annotation {
	_, _ = a.add(raw) // a service's defaults are checked by their type
	return a
}

// hinted takes what only options of other packages say.
func (a *annotation) hinted(said options.Said) {
	if said.Tool != "" {
		a.tool = said.Tool
	}
	if said.ReadOnly != options.Unsaid {
		a.readOnly = said.ReadOnly
	}
	if said.Destructive != options.Unsaid {
		a.destructive = said.Destructive
	}
}

// add takes in one more annotation, a JSON object. The notes tell what is not understood; an effect
// or export that is none of its values is an error, since guessing there would be unsafe.
func (a *annotation) add(raw []byte) (notes []string, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if rawjson.KindOf(raw) != rawjson.KindObject {
		return []string{"is no object and is left out"}, nil
	}
	for key, value := range rawjson.Members(raw) {
		switch fault := a.set(key, value); {
		case fault != nil && (key == "effect" || key == "export"):
			return notes, fmt.Errorf("%s: %w", key, fault)
		case fault != nil:
			notes = append(notes, fmt.Sprintf("%s: %s; it is left out", key, fault))
		}
	}
	return notes, nil
}

func (a *annotation) set(key string, value []byte) error {
	switch key {
	case "name":
		return decode(value, &a.Name)
	case "title":
		return decode(value, &a.Title)
	case "description":
		return decode(value, &a.Description)
	case "export":
		return oneOf(value, &a.Export, twodoor.ExportAll, twodoor.ExportCLI, twodoor.ExportMCP, twodoor.ExportNone)
	case "effect":
		return oneOf(value, &a.Effect, twodoor.Reads, twodoor.Writes, twodoor.Destroys)
	case "idempotent":
		return decode(value, &a.Idempotent)
	case "open_world":
		return decode(value, &a.OpenWorld)
	case "permission":
		return decode(value, &a.Permission)
	case "deprecated":
		return decodeDeprecated(value, &a.Deprecated)
	case "view":
		a.View = rawjson.Compact(nil, value)
		return nil
	case "timeout":
		return decode(value, &a.Timeout)
	case "stream":
		return decode(value, &a.Stream)
	case "defaults":
		a.Defaults = value
		return nil
	}
	return a.setParts(key, value)
}

func (a *annotation) setParts(key string, value []byte) error {
	switch key {
	case "aliases":
		return decodeList(value, &a.Aliases)
	case "positional":
		return decodeList(value, &a.Positional)
	case "hide":
		return decodeList(value, &a.Hide)
	case "only":
		return decodeList(value, &a.Only)
	case "guide", "guides":
		return decodeList(value, &a.Guides)
	case "fix":
		return decodeMap(value, &a.Fix)
	case "default":
		return decodeMap(value, &a.Default)
	case "rename":
		return decodeMap(value, &a.Rename)
	case "describe":
		return decodeMap(value, &a.Describe)
	case "time":
		return a.setTime(value)
	case "answer":
		fault := decode(value, &a.Answer)
		a.Answer.Root = plainPath(a.Answer.Root)
		return fault
	case "page":
		page := &twodoor.Page{}
		fault := decode(value, page)
		page.Next, page.Items = plainPath(page.Next), plainPath(page.Items)
		a.Page = page
		return fault
	case "before":
		return decode(value, &a.Before)
	case "next":
		return decode(value, &a.Next)
	case "examples":
		return decode(value, &a.Examples)
	}
	return fmt.Errorf("no such key")
}

// plainPath is a path that may be written as jq writes it: .data.items[] is data.items.
func plainPath(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path, "."), "[]")
}

// setTime takes a list of fields, or their formats by name.
func (a *annotation) setTime(value []byte) error {
	var fields []string
	if decodeList(value, &fields) != nil {
		return decodeMap(value, &a.Time)
	}
	a.Time = maps.Clone(a.Time)
	if a.Time == nil {
		a.Time = map[string]string{}
	}
	for _, name := range fields {
		a.Time[name] = "time"
	}
	return nil
}

func decode(value []byte, into any) error {
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("%.60s is not of the right type", value)
	}
	return nil
}

// decodeList takes one text for a list of one.
func decodeList(value []byte, into *[]string) error {
	if text, ok := rawjson.String(value); ok {
		*into = []string{text}
		return nil
	}
	*into = nil
	return decode(value, into)
}

// decodeMap adds to what is there.
func decodeMap[V any](value []byte, into *map[string]V) error {
	*into = maps.Clone(*into)
	return decode(value, into)
}

func decodeDeprecated(value []byte, into *string) error {
	switch string(rawjson.Trim(value)) {
	case "true":
		*into = "it is marked so"
		return nil
	case "false":
		*into = ""
		return nil
	}
	return decode(value, into)
}

func oneOf[T ~string](value []byte, into *T, allowed ...T) error {
	text, _ := rawjson.String(value)
	if !slices.Contains(allowed, T(text)) {
		return fmt.Errorf("%.60s is none of %v", value, allowed)
	}
	*into = T(text)
	return nil
}

// configured lists the annotations of the configuration that fit a method under any of its names,
// the shorter globs first.
func (s *Source) configured(names ...string) (globs []string) {
	for glob := range s.Operations {
		if slices.ContainsFunc(names, func(name string) bool { return twodoor.Match(glob, name) }) {
			globs = append(globs, glob)
		}
	}
	slices.SortFunc(globs, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return globs
}
