package document

import (
	"bytes"
	"errors"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/rawyaml"
)

// parseDocument reads JSON as JSON, and anything else as YAML.
func parseDocument(data []byte) (*rawjson.Node, error) {
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
	switch {
	case len(text) == 0:
		return nil, errors.New("it is empty")
	case text[0] == '<':
		return nil, errors.New("it is an HTML or XML page, not an OpenAPI description")
	case text[0] != '{' && text[0] != '[':
		return parseBut(data, parseYAML)
	}
	root, err := parseBut(data, rawjson.Parse)
	if err != nil && text[0] == '{' {
		if root, yamlErr := parseBut(data, parseYAML); yamlErr == nil {
			return root, nil
		}
	}
	return root, err
}

func parseYAML(data []byte) (*rawjson.Node, error) { return rawyaml.Parse(data, rawyaml.Limits{}) }

// parseBut parses a document; where that fails, without the values in brackets that nest too deep.
func parseBut(data []byte, parse func([]byte) (*rawjson.Node, error)) (*rawjson.Node, error) {
	root, err := parse(data)
	if err == nil {
		return root, nil
	}
	if cut, changed := cutDeep(data); changed {
		if root, cutErr := parse(cut); cutErr == nil {
			return root, nil
		}
	}
	return nil, err
}

// Values that nest deeper than deepest, where a document nests deeper than the parser takes, are
// replaced by an object of this one key, so that only what holds them is lost.
const (
	deepest    = rawjson.MaxDepth / 2
	TooDeepKey = "x-twodoor-too-deep"
)

// cutDeep replaces the values of a text that nest too deep in brackets, those of JSON or of YAML in
// flow style. Lines keep their numbers.
func cutDeep(data []byte) (cut []byte, changed bool) {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		c := data[i]
		keep := depth <= deepest
		switch {
		case inString && c == '\\' && i+1 < len(data):
			if keep {
				cut = append(cut, c, data[i+1])
			}
			i++
			continue
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth == deepest+1 {
				cut, changed = append(cut, `{"`+TooDeepKey+`":true}`...), true
			}
			keep = depth <= deepest
		case c == '}' || c == ']':
			depth--
		case c == '\n':
			keep = true
		}
		if keep {
			cut = append(cut, c)
		}
	}
	return cut, changed
}
