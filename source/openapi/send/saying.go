package send

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
)

// saying is what a refusal says in words.
type saying struct {
	message, hint string
	fields        []twodoor.Problem
}

// said finds the words in a refusal: problem details (RFC 9457), and the shapes that are common
// without one.
func (a *answer) said(data []byte) saying {
	data = bytes.TrimSpace(data)
	if rawjson.Check(data) != nil {
		return saying{message: a.clean(plainText(a.media(), data))}
	}
	found := saying{message: a.clean(messageIn(data, 0)), hint: a.clean(textIn(data, hintKeys))}
	for _, inside := range []string{"error", "fault"} {
		if inner, ok := rawjson.Get(data, inside); ok && found.hint == "" {
			found.hint = a.clean(textIn(inner, hintKeys))
		}
	}
	found.fields = a.problems(data)
	return found
}

var (
	messageKeys = []string{"message", "detail", "error_description", "errorMessage", "error_message", "msg", "description", "reason", "faultstring", "title", "code"}
	insideKeys  = []string{"error", "errors", "fault", "detail", "message"}
	hintKeys    = []string{"hint", "suggestion", "resolution", "remedy", "how_to_fix"}
	fieldKeys   = []string{"path", "field", "param", "parameter", "property", "pointer", "loc", "name"}
	problemKeys = []string{"problem", "message", "msg", "detail", "description", "reason", "code", "title"}
)

// messageIn finds the message of a refusal, three levels deep at most.
func messageIn(data []byte, depth int) string {
	if depth > 2 {
		return ""
	}
	switch rawjson.KindOf(data) {
	case rawjson.KindString:
		return scalarText(data)
	case rawjson.KindArray:
		var all []string
		for item := range rawjson.Elements(data) {
			if text := messageIn(item, depth+1); text != "" && len(all) < 3 {
				all = append(all, text)
			}
		}
		return strings.Join(all, "; ")
	case rawjson.KindObject:
		if text := textIn(data, messageKeys[:len(messageKeys)-2]); text != "" {
			return text
		}
		for _, key := range insideKeys {
			if inner, ok := rawjson.Get(data, key); ok {
				if text := messageIn(inner, depth+1); text != "" {
					return text
				}
			}
		}
		return textIn(data, messageKeys)
	}
	return ""
}

// textIn is the first of the members that is a text, and not an empty one.
func textIn(data []byte, keys []string) string {
	for _, key := range keys {
		if value, ok := rawjson.Get(data, key); ok && rawjson.KindOf(value) == rawjson.KindString {
			if text := strings.TrimSpace(scalarText(value)); text != "" {
				return text
			}
		}
	}
	return ""
}

// problems are the misfits that a refusal lists: [{field, message}], under any of the names in use.
func (a *answer) problems(data []byte) []twodoor.Problem {
	var found []twodoor.Problem
	for _, key := range []string{"fields", "errors", "detail", "invalid-params", "invalid_params", "violations"} {
		list, _ := rawjson.Get(data, key)
		for item := range rawjson.Elements(list) {
			where, problem := fieldIn(item), textIn(item, problemKeys)
			if where != "" && problem != "" && len(found) < 20 {
				found = append(found, twodoor.Problem{Path: a.clean(where), Problem: a.clean(problem)})
			}
		}
	}
	return found
}

// fieldIn is where a misfit is: a name, a JSON pointer, or a list of steps.
func fieldIn(item []byte) string {
	if source, ok := rawjson.Get(item, "source"); ok && rawjson.KindOf(source) == rawjson.KindObject {
		item = source
	}
	for _, key := range fieldKeys {
		value, ok := rawjson.Get(item, key)
		switch kind := rawjson.KindOf(value); {
		case ok && kind == rawjson.KindString:
			return strings.ReplaceAll(strings.TrimPrefix(scalarText(value), "/"), "/", ".")
		case ok && kind == rawjson.KindArray:
			var steps []string
			for step := range rawjson.Elements(value) {
				steps = append(steps, scalarText(step))
			}
			return strings.Join(steps, ".")
		}
	}
	return ""
}

// plainText is what a refusal that is no JSON says: its first line, of a web page its title.
func plainText(media string, data []byte) string {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return ""
	}
	text := string(data)
	if mediatype.Base(media) == "text/html" || strings.HasPrefix(text, "<") {
		_, rest, _ := strings.Cut(text, "<title>")
		title, _, found := strings.Cut(rest, "</title>")
		if !found {
			return ""
		}
		return title
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}
