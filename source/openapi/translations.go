package openapi

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// translate puts the words of the twins into the reading. Of a twin only its words count: overlays,
// names and servers are those of the description itself. A twin that cannot be read is a note: what is
// served does not depend on it.
func (s *Source) translate(ctx context.Context, reading *twodoor.Reading) error {
	for _, language := range slices.Sorted(maps.Keys(s.Translations)) {
		t, files, err := s.twin(ctx, s.Translations[language], reading)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			reading.Notes = append(reading.Notes, fmt.Sprintf("the translation %s cannot be read, and is left out: %v", language, err))
			continue
		}
		if reading.Translations == nil {
			reading.Translations = map[string]twodoor.Translation{}
		}
		reading.Translations[language] = t
		for _, file := range files {
			if !slices.Contains(reading.Files, file) {
				reading.Files = append(reading.Files, file)
			}
		}
	}
	return nil
}

// twin reads a description of the same in another language, and the files that this took.
func (s *Source) twin(ctx context.Context, file string, reading *twodoor.Reading) (twodoor.Translation, []string, error) {
	twin := &Source{Name: s.Name, File: file, Naming: s.Naming, Kept: reading.Lock, MaxBytes: s.MaxBytes, Fetch: s.Fetch}
	r, err := twin.open(ctx)
	if err != nil {
		return twodoor.Translation{}, nil, err
	}
	read, err := r.read(ctx)
	if err != nil {
		return twodoor.Translation{}, nil, err
	}
	t := twodoor.Translation{Groups: map[string]string{}, Operations: r.wordsByOrigin()}
	for group, about := range read.Groups {
		if about != reading.Groups[group] {
			t.Groups[group] = about
		}
	}
	own := map[string]*twodoor.Operation{}
	for i := range reading.Operations {
		own[reading.Operations[i].Origin] = &reading.Operations[i]
	}
	for i := range read.Operations {
		op := &read.Operations[i]
		words, known := t.Operations[op.Origin], own[op.Origin]
		if known == nil {
			delete(t.Operations, op.Origin)
			continue
		}
		words.Meaning, words.Empty = op.Answer.Meaning, op.Answer.Empty
		words.Inputs = differing(inputWords(read, op), inputWords(reading, known))
		if words.Title != "" || len(words.Inputs) > 0 || words.Meaning != "" || words.Empty != "" {
			t.Operations[op.Origin] = words
		}
	}
	return t, read.Files, nil
}

// wordsByOrigin are the words of every operation that has some of its own.
func (r *reader) wordsByOrigin() map[string]twodoor.Words {
	told := map[string]twodoor.Words{}
	for _, f := range r.operations() {
		if f.fault != nil {
			continue
		}
		title, text := words(f.op.Node.Get("summary").Str(), f.op.Node.Get("description").Str(), "")
		if title != "" || text != "" {
			told[f.key()] = twodoor.Words{Title: title, Description: text}
		}
	}
	return told
}

// inputWords is what is said of each input, by its name.
func inputWords(reading *twodoor.Reading, op *twodoor.Operation) map[string]string {
	told := map[string]string{}
	tellInputs(told, reading, op.Input, "")
	if op.Opened != "" {
		opened, _ := rawjson.GetPath(op.Input, "properties", op.Opened)
		tellInputs(told, reading, opened, op.Opened+".")
	}
	return told
}

func tellInputs(told map[string]string, reading *twodoor.Reading, schema json.RawMessage, before string) {
	properties, _ := rawjson.Get(followed(reading, schema), "properties")
	for name, property := range rawjson.Members(properties) {
		text, _ := rawjson.Get(property, "description")
		if text == nil {
			text, _ = rawjson.Get(followed(reading, property), "description")
		}
		if said, _ := rawjson.String(text); said != "" {
			told[before+name] = said
		}
	}
}

// followed is the schema that a reference to a shared one means.
func followed(reading *twodoor.Reading, schema json.RawMessage) json.RawMessage {
	for range 4 {
		ref, _ := rawjson.Get(schema, "$ref")
		text, _ := rawjson.String(ref)
		name, shared := strings.CutPrefix(text, "#/$defs/")
		if !shared {
			break
		}
		schema = reading.Definitions[name]
	}
	return schema
}

// differing are the texts that are not the same in both.
func differing(texts, others map[string]string) map[string]string {
	maps.DeleteFunc(texts, func(name, text string) bool { return text == others[name] })
	return texts
}
