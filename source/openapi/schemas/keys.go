package schemas

import (
	"net/url"
	"strings"

	"github.com/twodoor/twodoor/source/openapi/naming"
)

// MaxKey is the longest property key that hosts take.
const MaxKey = 64

// legalKey reports whether every host takes a property key: ^[a-zA-Z0-9_.-]{1,64}$.
func legalKey(key string) bool {
	if key == "" || len(key) > MaxKey {
		return false
	}
	return !strings.ContainsFunc(key, func(r rune) bool { return !keyRune(r) })
}

func keyRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-'
}

// Key is a key that hosts take, as near to the given one as can be read: StartTime< becomes
// StartTime_lt, include[] include, filter[x] filter_x.
func Key(key string) string {
	if legalKey(key) {
		return key
	}
	text := strings.TrimSuffix(key, "[]")
	for _, sign := range signs {
		text = strings.ReplaceAll(text, sign.sign, "_"+sign.word+"_")
	}
	text = strings.Map(func(r rune) rune {
		if keyRune(r) {
			return r
		}
		return ' '
	}, naming.FoldLatin(text))
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' }), "_")
	text = strings.Trim(squeeze(text), "_")
	switch {
	case text == "" || !strings.ContainsFunc(text, func(r rune) bool { return r != '_' && r != '.' && r != '-' }):
		return naming.Hash(key)
	case len(text) > MaxKey:
		return text[:MaxKey-10] + "_" + naming.Hash(key)
	}
	return text
}

// signs are spelled out, the longer ones first.
var signs = []struct{ sign, word string }{
	{"<=", "lte"}, {">=", "gte"}, {"!=", "ne"}, {"<", "lt"}, {">", "gt"}, {"=", "eq"}, {"+", "plus"}, {"*", "any"},
}

func squeeze(text string) string {
	for strings.Contains(text, "__") {
		text = strings.ReplaceAll(text, "__", "_")
	}
	return text
}

// pointerSigns are the escapes of a JSON pointer (RFC 6901 §3).
var pointerSigns = strings.NewReplacer("~1", "_", "~0", "_")

// nameOf is a readable name of what a reference points at: "Incident", "Incident_owner", "pet".
func nameOf(ref string) string {
	file, pointer, _ := strings.Cut(ref, "#")
	if plain, err := url.PathUnescape(pointer); err == nil {
		pointer = plain
	}
	var words []string
	for word := range strings.SplitSeq(pointer, "/") {
		switch word {
		case "", "components", "schemas", "definitions", "$defs", "properties", "paths", "items":
		default:
			words = append(words, pointerSigns.Replace(word))
		}
	}
	if len(words) == 0 {
		file = file[strings.LastIndexAny(file, `/\`)+1:]
		base, _, _ := strings.Cut(file, ".")
		words = append(words, base)
	}
	return legalDefinition(strings.Join(words, "_"))
}

func legalDefinition(text string) string {
	legal := strings.Trim(squeeze(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, text)), "_")
	if legal == "" {
		return "Schema"
	}
	return legal
}
