package command

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// annotation is what is said of a verb in the vocabulary of contracts §5, by key: in the verbs file,
// and over it under operations: in the configuration.
type annotation map[string]json.RawMessage

// words are the keys of the vocabulary that stand in a verb itself.
var words = []string{
	"title", "description", "export", "effect", "idempotent", "open_world", "permission", "aliases", "deprecated", "positional",
	"answer", "page", "before", "next", "guide", "examples", "view",
}

func (r *fileReader) annotate(a *annotation, key string, n *rawjson.Node, path string) {
	if *a == nil {
		*a = annotation{}
	}
	(*a)[key] = n.JSON()
	if err := apply(&twodoor.Operation{}, key, n.JSON()); err != nil {
		r.fault(n, path, "%s: %v", path, err)
	}
}

// apply writes one word of an annotation into an operation.
func apply(op *twodoor.Operation, key string, value json.RawMessage) error {
	switch key {
	case "title":
		return decode(value, &op.Title)
	case "description":
		return decode(value, &op.Description)
	case "export":
		return oneOf(value, &op.Export, twodoor.ExportAll, twodoor.ExportCLI, twodoor.ExportMCP, twodoor.ExportNone)
	case "effect":
		op.Why = ""
		return oneOf(value, &op.Effect, twodoor.Reads, twodoor.Writes, twodoor.Destroys)
	case "idempotent":
		return decode(value, &op.Idempotent)
	case "open_world":
		return decode(value, &op.OpenWorld)
	case "permission":
		return decode(value, &op.Permission)
	case "deprecated":
		if string(value) == "true" {
			value = rawjson.Quote("it is marked so")
		}
		return decode(value, &op.Deprecated)
	case "timeout":
		return decode(value, &op.Timeout)
	}
	return applyParts(op, key, value)
}

func applyParts(op *twodoor.Operation, key string, value json.RawMessage) error {
	switch key {
	case "aliases":
		return decodeList(value, &op.Aliases)
	case "positional":
		return decodeList(value, &op.Positional)
	case "guide":
		return decodeList(value, &op.Guides)
	case "examples":
		return decode(value, &op.Examples)
	case "before":
		return decode(value, &op.Before)
	case "next":
		return decode(value, &op.Next)
	case "answer":
		err := decode(value, &op.Answer)
		op.Answer.Root = plainPath(op.Answer.Root)
		return err
	case "page":
		op.Page = &twodoor.Page{}
		err := decode(value, op.Page)
		op.Page.Next, op.Page.Items = plainPath(op.Page.Next), plainPath(op.Page.Items)
		return err
	case "view":
		op.View = rawjson.Compact(nil, value)
		return nil
	}
	return fmt.Errorf("%q says nothing of a verb; there are %s, timeout, describe, default, fix and hide", key, strings.Join(words, ", "))
}

// plainPath is a path that may be written as jq writes it: .data.items[] is data.items.
func plainPath(path string) string { return strings.TrimSuffix(strings.TrimPrefix(path, "."), "[]") }

func decode(value json.RawMessage, into any) error {
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("%.60s is not of the right type", value)
	}
	return nil
}

// decodeList takes one text for a list of one.
func decodeList(value json.RawMessage, into *[]string) error {
	if text, ok := rawjson.String(value); ok {
		*into = []string{text}
		return nil
	}
	return decode(value, into)
}

func oneOf[T ~string](value json.RawMessage, into *T, allowed ...T) error {
	text, _ := rawjson.String(value)
	if !slices.Contains(allowed, T(text)) {
		return fmt.Errorf("%.60s is none of %v", value, allowed)
	}
	*into = T(text)
	return nil
}

// configured lists the annotations of the configuration that fit an id, the shorter globs first.
func (s *Source) configured(id string) (globs []string) {
	for glob := range s.Operations {
		if twodoor.Match(glob, id) {
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
