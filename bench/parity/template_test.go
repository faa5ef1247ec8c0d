package parity

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// template is a path with variables.
type template struct {
	segments []segment
	names    []string
	whole    *regexp.Regexp // where a variable may hold slashes, of the path as a whole
}

// segment is what stands between two slashes of a template.
type segment struct {
	literal string         // without variables
	pattern *regexp.Regexp // with variables
	names   []string
}

var variable = regexp.MustCompile(`\{([^{}]*)\}`)

// newTemplate takes a path apart; the variables of many may span segments (x-multi-segment).
func newTemplate(path string, many map[string]bool) *template {
	t := &template{}
	if len(many) > 0 {
		t.spanning(path, many)
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		s := segment{literal: part}
		pattern, from := "", 0
		for _, at := range variable.FindAllStringSubmatchIndex(part, -1) {
			pattern += regexp.QuoteMeta(part[from:at[0]]) + "(.+)"
			s.names = append(s.names, part[at[2]:at[3]])
			from = at[1]
		}
		if s.names != nil {
			s.pattern = regexp.MustCompile("^" + pattern + regexp.QuoteMeta(part[from:]) + "$")
		}
		t.segments = append(t.segments, s)
		t.names = append(t.names, s.names...)
	}
	return t
}

func (t *template) spanning(path string, many map[string]bool) {
	pattern, from := "", 0
	for _, at := range variable.FindAllStringSubmatchIndex(path, -1) {
		wide := "([^/]+)"
		if many[path[at[2]:at[3]]] {
			wide = "(.+)"
		}
		pattern += regexp.QuoteMeta(path[from:at[0]]) + wide
		from = at[1]
	}
	t.whole = regexp.MustCompile("^" + pattern + regexp.QuoteMeta(path[from:]) + "$")
}

// match reads the variables out of an escaped path, still escaped. The score is the number of
// segments that are literal.
func (t *template) match(path string) (values map[string]string, score int, ok bool) {
	if t.whole != nil {
		return t.matchWhole(path)
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(parts) != len(t.segments) {
		return nil, 0, false
	}
	values = map[string]string{}
	for i, s := range t.segments {
		if s.pattern == nil {
			if plain, err := url.PathUnescape(parts[i]); err != nil || plain != s.literal && parts[i] != s.literal {
				return nil, 0, false
			}
			score++
			continue
		}
		found := s.pattern.FindStringSubmatch(parts[i])
		if found == nil {
			return nil, 0, false
		}
		for j, name := range s.names {
			values[name] = found[j+1]
		}
	}
	return values, score, true
}

func (t *template) matchWhole(path string) (values map[string]string, score int, ok bool) {
	found := t.whole.FindStringSubmatch(path)
	if found == nil {
		return nil, 0, false
	}
	values = map[string]string{}
	for i, name := range t.names {
		values[name] = found[i+1]
	}
	for _, s := range t.segments {
		if s.pattern == nil {
			score++
		}
	}
	return values, score, true
}

// routed are the operations that a server of the description takes a request for: of those that
// match, the ones with most literal segments.
func (d *document) routed(method, path string) (found []*described) {
	best := -1
	segments := strings.Count(strings.TrimPrefix(path, "/"), "/") + 1
	for _, o := range slices.Concat(d.bySegments[method+" "+itoa(segments)], d.bySegments[method+" *"]) {
		_, score, ok := o.template.match(path)
		switch {
		case !ok || score < best:
		case score > best:
			best, found = score, []*described{o}
		default:
			found = append(found, o)
		}
	}
	return found
}
