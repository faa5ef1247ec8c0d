package twodoor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Annotation is what somebody says of an operation beside its description, in the vocabulary that is
// the same everywhere (contracts §5): in a description, in overlays, and under operations: in the
// configuration. What is said later wins, key by key.
type Annotation struct {
	Name, Title, Description string
	Export                   Export
	Effect                   Effect
	Idempotent, OpenWorld    *bool
	Permission, Deprecated   string
	Timeout                  string
	View                     json.RawMessage
	Aliases, Guides          []string
	Answer                   Answer
	Page                     *Page
	Before, Next             []Step
	Examples                 []Example

	// What changes the inputs is carried out by the source, which knows how they are sent.
	Positional, Hide, Only []string
	Fix, Default           map[string]json.RawMessage
	Rename, Describe       map[string]string
	Time                   map[string]string // the format of a time, by field; empty: any
	Stream                 Stream
}

// Stream bounds an answer that comes as a sequence; zero: the source's own bounds.
type Stream struct {
	Max  int    `json:"max,omitempty"`  // events
	Time string `json:"time,omitempty"` // as time.ParseDuration reads it
}

// annotationKeys are the vocabulary, in the order in which it is told.
const annotationKeys = "name, title, description, export, effect, idempotent, open_world, permission, aliases, deprecated, positional, time, hide, fix, " +
	"default, rename, describe, only, answer, page, before, next, guide, examples, view, stream, timeout"

// Add takes in what one more JSON object says. The notes tell what is not understood and left out; an
// effect or export that is none of its values is an error, since guessing there would be unsafe.
func (a *Annotation) Add(raw []byte) (notes []string, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if rawjson.KindOf(raw) != rawjson.KindObject {
		return []string{"is no object and is left out"}, nil
	}
	for key, value := range rawjson.Members(raw) {
		switch fault := a.Say(key, value); {
		case fault != nil && (key == "effect" || key == "export"):
			return notes, fmt.Errorf("%s: %w", key, fault)
		case fault != nil:
			notes = append(notes, fmt.Sprintf("%s: %s; it is left out", key, fault))
		}
	}
	return notes, nil
}

// Say takes in one key.
func (a *Annotation) Say(key string, value []byte) error {
	switch key {
	case "name":
		return decodeWord(value, &a.Name)
	case "title":
		return decodeWord(value, &a.Title)
	case "description":
		return decodeWord(value, &a.Description)
	case "export":
		return oneOf(value, &a.Export, ExportAll, ExportCLI, ExportMCP, ExportNone)
	case "effect":
		return oneOf(value, &a.Effect, Reads, Writes, Destroys)
	case "idempotent":
		return decodeWord(value, &a.Idempotent)
	case "open_world":
		return decodeWord(value, &a.OpenWorld)
	case "permission":
		return decodeWord(value, &a.Permission)
	case "deprecated":
		return decodeDeprecated(value, &a.Deprecated)
	case "aliases":
		return decodeWords(value, &a.Aliases)
	case "guide", "guides":
		return decodeWords(value, &a.Guides)
	case "view":
		a.View = rawjson.Compact(nil, value)
		return nil
	case "timeout":
		return decodeWord(value, &a.Timeout)
	}
	return a.sayParts(key, value)
}

// sayParts takes in what is said of inputs, of answers and of other operations.
func (a *Annotation) sayParts(key string, value []byte) error {
	switch key {
	case "positional":
		return decodeWords(value, &a.Positional)
	case "hide":
		return decodeWords(value, &a.Hide)
	case "only":
		return decodeWords(value, &a.Only)
	case "fix":
		return decodeMap(value, &a.Fix)
	case "default":
		return decodeMap(value, &a.Default)
	case "rename":
		return decodeMap(value, &a.Rename)
	case "describe":
		return decodeMap(value, &a.Describe)
	case "time":
		return a.sayTime(value)
	case "stream":
		if rawjson.KindOf(value) == rawjson.KindBool {
			return nil // sources know their sequences by themselves
		}
		return decodeWord(value, &a.Stream)
	case "answer":
		a.Answer.IDNames = maps.Clone(a.Answer.IDNames)
		fault := decodeWord(value, &a.Answer)
		a.Answer.Root = plainPath(a.Answer.Root)
		return fault
	case "page":
		return a.sayPage(value)
	case "before":
		return decodeWord(value, &a.Before)
	case "next":
		return decodeWord(value, &a.Next)
	case "examples":
		return decodeWord(value, &a.Examples)
	}
	return fmt.Errorf("no such key; there are %s", annotationKeys)
}

func (a *Annotation) sayPage(value []byte) error {
	page := &Page{}
	if err := decodeWord(value, page); err != nil {
		return err
	}
	switch page.Style {
	case PageCursor, PageOffset, PageNumber, PageLink:
	default:
		return fmt.Errorf("style is %q; there are cursor, offset, page and link", page.Style)
	}
	page.Next, page.Items = plainPath(page.Next), plainPath(page.Items)
	a.Page = page
	return nil
}

// sayTime takes a list of fields, or their formats by name.
func (a *Annotation) sayTime(value []byte) error {
	var fields []string
	if decodeWords(value, &fields) != nil {
		return decodeMap(value, &a.Time)
	}
	if a.Time = maps.Clone(a.Time); a.Time == nil {
		a.Time = map[string]string{}
	}
	for _, name := range fields {
		a.Time[name] = ""
	}
	return nil
}

// Adorn writes into an operation what is said of it as a whole. Its name and its inputs are its
// source's to change.
func (a *Annotation) Adorn(op *Operation) {
	op.Title, op.Description = cmp.Or(a.Title, op.Title), cmp.Or(a.Description, op.Description)
	op.Export, op.Permission = cmp.Or(a.Export, op.Export), cmp.Or(a.Permission, op.Permission)
	op.Deprecated, op.Timeout = cmp.Or(a.Deprecated, op.Deprecated), cmp.Or(a.Timeout, op.Timeout)
	if a.Effect != "" {
		op.Effect, op.Why = a.Effect, ""
	}
	if a.Idempotent != nil {
		op.Idempotent = *a.Idempotent
	}
	if a.OpenWorld != nil {
		op.OpenWorld = *a.OpenWorld
	}
	if a.View != nil {
		op.View = a.View
	}
	if a.Page != nil {
		op.Page = a.Page
	}
	op.Answer = a.Answer.over(op.Answer)
	op.Aliases, op.Guides = over(a.Aliases, op.Aliases), over(a.Guides, op.Guides)
	op.Before, op.Next, op.Examples = over(a.Before, op.Before), over(a.Next, op.Next), over(a.Examples, op.Examples)
}

// over is what was said last.
func over[T any](said, before []T) []T {
	if said != nil {
		return said
	}
	return before
}

// over lays an answer's words over those of before, word by word.
func (a Answer) over(before Answer) Answer {
	a.Fields, a.Limit, a.Summary = over(a.Fields, before.Fields), cmp.Or(a.Limit, before.Limit), a.Summary || before.Summary
	a.Root, a.Meaning, a.Empty = cmp.Or(a.Root, before.Root), cmp.Or(a.Meaning, before.Meaning), cmp.Or(a.Empty, before.Empty)
	if a.IDNames == nil {
		a.IDNames = before.IDNames
	}
	return a
}

// Globs are those of an operation's names that annotations are given by, the ones that win last: a
// longer glob beats a shorter.
func Globs(annotations map[string]json.RawMessage, names ...string) (globs []string) {
	for glob := range annotations {
		if slices.ContainsFunc(names, func(name string) bool { return Match(glob, name) }) {
			globs = append(globs, glob)
		}
	}
	slices.SortFunc(globs, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return globs
}

// Annotate lays annotations by glob over operations that somebody else's program lists: an MCP
// server's, another twodoor's. What would change their inputs is left out, with a note.
func (r *Reading) Annotate(annotations map[string]json.RawMessage) {
	var notes []string
	for i := range r.Operations {
		op, said := &r.Operations[i], Annotation{}
		for _, glob := range Globs(annotations, op.ID) {
			for _, note := range said.addRelayed(annotations[glob]) {
				notes = append(notes, fmt.Sprintf("operations[%q]: %s", glob, note))
			}
		}
		said.Adorn(op)
		op.Positional = over(said.Positional, op.Positional)
	}
	slices.Sort(notes)
	r.Notes = append(r.Notes[:len(r.Notes):len(r.Notes)], slices.Compact(notes)...)
}

// addRelayed takes in what can be said of an operation whose inputs pass as they were written.
func (a *Annotation) addRelayed(raw []byte) []string {
	notes, err := a.Add(raw)
	if err != nil {
		notes = append(notes, err.Error()+"; it is left out")
	}
	for key := range rawjson.Members(raw) {
		if slices.Contains(inputKeys, key) {
			notes = append(notes, key+": it does not apply to what another server lists; it is left out")
		}
	}
	return notes
}

// inputKeys are the keys that change inputs.
var inputKeys = []string{"name", "hide", "only", "fix", "default", "rename", "describe", "time", "stream"}

// plainPath is a path that may be written as jq writes it: .data.items[] is data.items.
func plainPath(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path, "."), "[]")
}

func decodeWord(value []byte, into any) error {
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("%.60s is not of the right type", value)
	}
	return nil
}

// decodeWords takes one text for a list of one.
func decodeWords(value []byte, into *[]string) error {
	if text, ok := rawjson.String(value); ok {
		*into = []string{text}
		return nil
	}
	*into = nil
	return decodeWord(value, into)
}

// decodeMap adds to what is there.
func decodeMap[V any](value []byte, into *map[string]V) error {
	*into = maps.Clone(*into)
	return decodeWord(value, into)
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
	return decodeWord(value, into)
}

func oneOf[T ~string](value []byte, into *T, allowed ...T) error {
	text, _ := rawjson.String(value)
	if !slices.Contains(allowed, T(text)) {
		return fmt.Errorf("%.60s is none of %v", value, allowed)
	}
	*into = T(text)
	return nil
}
