package openapi

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// bodyForm is what one media type of a body says of its fields.
type bodyForm struct {
	media    string
	fields   []string
	required []string
	open     bool // it takes further fields
}

// bodyForms are the media types of one body, all of them objects.
type bodyForms []bodyForm

// taking lists the media types that take a field; none where all do.
func (all bodyForms) taking(name string) []string {
	return all.some(func(f bodyForm) bool { return f.open || slices.Contains(f.fields, name) })
}

// requiring lists the media types that require a field; none where all do, or none does.
func (all bodyForms) requiring(name string) []string {
	return all.some(func(f bodyForm) bool { return slices.Contains(f.required, name) })
}

// some lists the media types of which a thing is true, where it is not true of all.
func (all bodyForms) some(is func(bodyForm) bool) (media []string) {
	for _, f := range all {
		if is(f) {
			media = append(media, f.media)
		}
	}
	if len(media) == len(all) {
		return nil
	}
	return media
}

// sets are the fields that each media type requires.
func (all bodyForms) sets() (sets [][]string) {
	for _, f := range all {
		sets = append(sets, f.required)
	}
	return sets
}

// tellForms says in words which media types take a field, and which require it.
func tellForms(only, need []string) string {
	switch {
	case only == nil && need == nil:
		return ""
	case slices.Equal(only, need):
		return "Only as " + strings.Join(only, " or ") + ", and required there."
	case need == nil:
		return "Only as " + strings.Join(only, " or ") + "."
	case only == nil:
		return "Required as " + strings.Join(need, " or ") + "."
	}
	return "Only as " + strings.Join(only, " or ") + "; required as " + strings.Join(need, " or ") + "."
}

// alsoSaid is a schema with a sentence more in its description.
func alsoSaid(schema []byte, sentence string) []byte {
	if sentence == "" {
		return schema
	}
	raw, _ := rawjson.Get(schema, "description")
	text, _ := rawjson.String(raw)
	return rawjson.Set(schema, "description", rawjson.Quote(strings.TrimSpace(strings.TrimSpace(text)+"\n"+sentence)))
}
