package typed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/shape"
)

// Brief is a type in a word or two.
func (t *Type) Brief() string {
	switch {
	case t.IsTime():
		return "time"
	case t.Binary():
		return "file (@PATH)"
	case t.Values != nil && !t.Is(Array|Object):
		return strings.Join(append([]string{SomeOf(t.ValueTexts())}, t.Free.words()...), "|")
	case t.Is(Array):
		if t.Items == nil {
			return "list"
		}
		return "list of " + t.Items.Brief()
	}
	if names := t.Kinds.words(); len(names) > 0 {
		return strings.Join(names, "|")
	}
	return "any"
}

// words names the types in a set, null aside.
func (all Kinds) words() []string {
	var names []string
	for i, name := range [...]string{"string", "integer", "number", "boolean", "", "list", "object"} {
		if all&(1<<i) != 0 && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// SomeOf lists values, the first ones where there are many.
func SomeOf(values []string) string {
	const most = 15
	if at := slices.Index(values, ""); at >= 0 {
		values = slices.Clone(values)
		values[at] = `""`
	}
	if len(values) <= most {
		return strings.Join(values, "|")
	}
	return fmt.Sprintf("%s|… (%d values)", strings.Join(values[:most-3], "|"), len(values))
}

// Bounds are the limits that a schema sets, in words.
func (t *Type) Bounds() string {
	var says []string
	add := func(least, most, unit string) {
		low, hasLow := t.Get(least)
		high, hasHigh := t.Get(most)
		switch {
		case hasLow && hasHigh:
			says = append(says, fmt.Sprintf("%s to %s%s", low, high, unit))
		case hasLow && string(low) != "0":
			says = append(says, fmt.Sprintf("at least %s%s", low, unit))
		case hasHigh:
			says = append(says, fmt.Sprintf("at most %s%s", high, unit))
		}
	}
	add("minimum", "maximum", "")
	add("exclusiveMinimum", "exclusiveMaximum", " (exclusive)")
	add("minLength", "maxLength", " characters")
	add("minItems", "maxItems", " items")
	if pattern := t.Text("pattern"); pattern != "" && len(pattern) <= 60 {
		says = append(says, "like "+pattern)
	}
	return strings.Join(says, ", ")
}

// Records finds the list in the schema of an answer: its jq path, and the schema of a record.
func (s Scope) Records(op *twodoor.Operation) (root string, record json.RawMessage) {
	path := op.Answer.Root
	if path == "" && op.Page != nil {
		path = op.Page.Items
	}
	path = strings.TrimPrefix(strings.TrimSuffix(path, "[]"), ".")
	if path != "" {
		raw := json.RawMessage(op.Output)
		for step := range strings.SplitSeq(path, ".") {
			raw, _ = PropertyOf(s.Layers(raw), step)
		}
		if t := s.TypeOf(raw); t.Is(Array) {
			return "." + path + "[]", s.ItemsOf(raw)
		}
	}
	if s.TypeOf(op.Output).Is(Array) {
		return ".[]", s.ItemsOf(op.Output)
	}
	if path, list := s.listIn(op.Output, 0); list != nil {
		return path + "[]", s.ItemsOf(list)
	}
	return ".", op.Output
}

// maxWrapping is how deep a list of records may be wrapped in objects.
const maxWrapping = 3

// listIn finds the one list of records in an answer, by the rule of shape.Records: an object that is
// about one thing has none, the lists in it are its parts.
func (s Scope) listIn(raw json.RawMessage, depth int) (path string, list json.RawMessage) {
	var lists, objects []Property
	for _, p := range Properties(s.Layers(raw)) {
		t := s.TypeOf(p.Raw)
		switch {
		case shape.TellsRecord(p.Name):
			return "", nil
		case t.Is(Array) && t.Items != nil && t.Items.Is(Object):
			lists = append(lists, p)
		case t.Is(Object):
			objects = append(objects, p)
		}
	}
	if len(lists) == 1 {
		return "." + lists[0].Name, lists[0].Raw
	}
	if len(lists) > 1 || depth == maxWrapping {
		return "", nil
	}
	for _, p := range objects {
		if inner, found := s.listIn(p.Raw, depth+1); found != nil {
			if list != nil {
				return "", nil
			}
			path, list = "."+p.Name+inner, found
		}
	}
	return path, list
}

// ItemsOf is the schema of the elements of an array; one that takes anything where it has none.
func (s Scope) ItemsOf(raw json.RawMessage) json.RawMessage {
	if items, ok := ElementOf(s.Layers(raw), "0"); ok {
		return items
	}
	return json.RawMessage(`{}`)
}

// Outline is a schema in few words: {id: integer, owner: {name: string}}.
func (s Scope) Outline(raw json.RawMessage, depth, most int) string {
	t := s.TypeOf(raw)
	switch {
	case t.Is(Array) && t.Items != nil && t.Items.Is(Object|Array):
		return "[" + s.Outline(s.ItemsOf(raw), depth, most) + "]"
	case !t.Is(Object):
		return t.Brief()
	case depth >= most:
		return "{…}"
	}
	var parts []string
	for _, p := range Properties(t.Layers) {
		parts = append(parts, fmt.Sprintf("%s: %s", p.Name, s.Outline(p.Raw, depth+1, most)))
	}
	if len(parts) == 0 {
		return "object"
	}
	const shown = 40
	if len(parts) > shown {
		parts = append(parts[:shown], fmt.Sprintf("… %d more", len(parts)-shown))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
