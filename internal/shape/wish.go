package shape

import (
	"fmt"
	"slices"
	"strings"
)

// KeysField alone asks for the names of the fields that there are, in place of the answer; unless a
// field has that name.
const KeysField = "keys"

// Fields takes what a caller wrote apart into dotted paths, each once: texts with commas, in which
// the fields inside a field may stand in braces, as in "id,owner{name,team{id}}". Where the braces
// do not match it is an *[Error].
func Fields(texts []string) ([]string, error) {
	p := fieldsParser{text: strings.Join(texts, ",")}
	p.list("", 0)
	if p.fault != nil {
		return nil, p.fault
	}
	if p.at < len(p.text) {
		p.unmatched("a } without its {")
		return nil, p.fault
	}
	return p.paths, nil
}

// maxBraces bounds how deep fields may be asked for.
const maxBraces = 50

type fieldsParser struct {
	text  string
	at    int
	paths []string
	fault error
}

// list reads fields up to the end or to a closing brace, which it leaves.
func (p *fieldsParser) list(prefix string, depth int) {
	for p.at < len(p.text) && p.text[p.at] != '}' && p.fault == nil {
		end := strings.IndexAny(p.text[p.at:], ",{}")
		if end < 0 {
			end = len(p.text) - p.at
		}
		name := strings.TrimPrefix(strings.TrimSpace(p.text[p.at:p.at+end]), ".")
		p.at += end
		switch {
		case p.at < len(p.text) && p.text[p.at] == '{':
			p.inside(prefix, name, depth)
		case depth > 0:
			for _, word := range strings.Fields(name) { // as GraphQL writes them
				p.add(prefix + word)
			}
		case name != "":
			p.add(name)
		}
		if p.at < len(p.text) && p.text[p.at] == ',' {
			p.at++
		}
	}
}

// inside reads the braces after a name.
func (p *fieldsParser) inside(prefix, name string, depth int) {
	words := strings.Fields(name)
	if depth == 0 || len(words) == 0 {
		words = []string{name}
	}
	for _, word := range words[:len(words)-1] {
		p.add(prefix + word)
	}
	if name == "" || depth == maxBraces {
		p.unmatched("a { without a field before it")
		return
	}
	p.at++
	before := len(p.paths)
	p.list(prefix+words[len(words)-1]+".", depth+1)
	switch {
	case p.fault != nil:
	case p.at == len(p.text):
		p.unmatched("a { without its }")
	case len(p.paths) == before:
		p.add(prefix + words[len(words)-1])
		p.at++
	default:
		p.at++
	}
}

func (p *fieldsParser) add(path string) {
	if !slices.Contains(p.paths, path) {
		p.paths = append(p.paths, path)
	}
}

func (p *fieldsParser) unmatched(what string) {
	p.fault = &Error{Message: fmt.Sprintf("fields has %s: %s", what, p.text), Hint: "write fields like id,owner{name},items{id}, or id,owner.name,items.id"}
}
