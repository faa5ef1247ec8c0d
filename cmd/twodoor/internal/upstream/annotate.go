package upstream

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// told are the annotations that say something of an operation (contracts §5). Those that change its
// input are not for tools of others: they pass as they were written.
var told = []string{
	"title", "description", "export", "effect", "idempotent", "open_world", "permission", "aliases", "deprecated", "positional",
	"answer", "page", "before", "next", "examples", "view", "timeout",
}

// Annotate lays annotations by glob over what a far side lists, the longer globs last. Each note is an
// annotation that is left out, and why.
func Annotate(reading *twodoor.Reading, annotations map[string]json.RawMessage) (notes []string) {
	globs := globsOf(annotations)
	for i := range reading.Operations {
		op := &reading.Operations[i]
		for _, glob := range globs {
			if twodoor.Match(glob, op.ID) {
				notes = append(notes, annotate(op, glob, annotations[glob])...)
			}
		}
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}

func globsOf(annotations map[string]json.RawMessage) []string {
	var globs []string
	for glob := range annotations {
		globs = append(globs, glob)
	}
	slices.SortFunc(globs, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return globs
}

func annotate(op *twodoor.Operation, glob string, annotation json.RawMessage) (notes []string) {
	for key, value := range rawjson.Members(annotation) {
		if err := set(op, key, value); err != nil {
			notes = append(notes, fmt.Sprintf("operations[%q]: %s: %v; it is left out", glob, key, err))
		}
	}
	return notes
}

func set(op *twodoor.Operation, key string, value json.RawMessage) error {
	switch {
	case key == "guide" || key == "guides":
		return setGuides(op, value)
	case !slices.Contains(told, key):
		return fmt.Errorf("it does not apply to what another server lists")
	}
	var one rawjson.Object
	one.Put(key, value)
	changed := *op
	if err := json.Unmarshal(one.Bytes(), &changed); err != nil {
		return fmt.Errorf("it has another form: %w", err)
	}
	if key == "effect" {
		changed.Why = ""
	}
	*op = changed
	return nil
}

func setGuides(op *twodoor.Operation, value json.RawMessage) error {
	if name, ok := rawjson.String(value); ok {
		op.Guides = []string{name}
		return nil
	}
	return json.Unmarshal(value, &op.Guides)
}
