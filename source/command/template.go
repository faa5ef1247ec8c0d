package command

import (
	"fmt"
	"strings"
)

// template is a text with parameters in it: "--grep={text}". "{name...}" stands for each item of a
// list by itself, "{name,}" for its items joined by commas; "{{" and "}}" are braces. A reference
// like ${env:NAME} is left as it is.
type template string

// part is a piece of a template: words, or a parameter.
type part struct {
	text   string // as it stands
	param  string // set: the place of a parameter
	spread spread
	secret bool // a reference, resolved when the program starts
}

// spread says how a list stands in a template.
type spread uint8

const (
	single spread = iota // the value; a list has one argument for each item only where that is said
	items                // {name...}
	joined               // {name,}
)

// parts takes a template apart.
func (t template) parts() (parts []part, err error) {
	text, rest := "", string(t)
	flush := func() {
		if text != "" {
			parts = append(parts, part{text: text})
			text = ""
		}
	}
	for rest != "" {
		at := strings.IndexAny(rest, "${}")
		if at < 0 {
			text += rest
			break
		}
		text, rest = text+rest[:at], rest[at:]
		switch {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			text, rest = text+rest[:1], rest[2:]
		case strings.HasPrefix(rest, "${"):
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return nil, fmt.Errorf("%q has a ${ without its }", t)
			}
			flush()
			parts, rest = append(parts, part{text: rest[:end+1], secret: true}), rest[end+1:]
		case rest[0] == '$':
			text, rest = text+"$", rest[1:]
		case rest[0] == '}':
			return nil, fmt.Errorf("%q has a } without its {; a brace is written }}", t)
		default:
			inner, after, ok := strings.Cut(rest[1:], "}")
			p := part{param: inner}
			if name, ok := strings.CutSuffix(inner, "..."); ok {
				p = part{param: name, spread: items}
			} else if name, ok := strings.CutSuffix(inner, ","); ok {
				p = part{param: name, spread: joined}
			}
			if !ok || !paramName.MatchString(p.param) {
				return nil, fmt.Errorf("%q has no parameter's name after its {; a brace is written {{", t)
			}
			flush()
			parts, rest = append(parts, p), after
		}
	}
	flush()
	return parts, nil
}

// params lists the parameters of a template. Its syntax has been checked.
func (t template) params() (names []string) {
	parts, _ := t.parts()
	for _, p := range parts {
		if p.param != "" {
			names = append(names, p.param)
		}
	}
	return names
}

// hasSecret reports whether a reference stands in a template.
func (t template) hasSecret() bool {
	parts, _ := t.parts()
	for _, p := range parts {
		if p.secret {
			return true
		}
	}
	return false
}

// literal is the text of a template without parameters.
func (t template) literal() (string, bool) {
	parts, err := t.parts()
	switch {
	case err != nil || len(parts) > 1 || len(parts) == 1 && (parts[0].param != "" || parts[0].secret):
		return "", false
	case len(parts) == 0:
		return "", true
	}
	return parts[0].text, true
}
