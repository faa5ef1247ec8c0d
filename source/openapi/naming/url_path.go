package naming

import "strings"

// urlPath is a path of a description in segments. A stretch of parameters without a word between
// is one item; text around a parameter is a segment of its own, as is what follows # or ?.
type urlPath []segment

// segment is a noun or an item.
type segment struct {
	word    string   // spelling of a noun, "" for an item
	params  []string // spelled names of an item's parameters
	version bool     // a noun that only tells the version
	variant bool     // what followed # or ?: a noun of the name, not of the resource
}

func (g segment) item() bool { return g.word == "" }

func (g segment) words() []string { return strings.Split(g.word, "-") }

func readURLPath(text string, dropJSON bool) urlPath {
	plain, variant := cutVariant(text)
	if dropJSON {
		plain = strings.TrimSuffix(plain, ".json")
	}
	var p urlPath
	for part := range strings.SplitSeq(plain, "/") {
		p = append(p, readSegments(part)...)
	}
	if variant != "" {
		p = append(p, segment{word: Slug(variant), variant: true})
	}
	return p
}

// cutVariant parts what follows the first # or ? outside of a parameter's braces.
func cutVariant(path string) (plain, variant string) {
	depth := 0
	for at, r := range path {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case '#', '?':
			if depth <= 0 {
				return path[:at], path[at+1:]
			}
		}
	}
	return path, ""
}

func readSegments(text string) []segment {
	var out []segment
	for text != "" {
		literal, tail, braced := strings.Cut(text, "{")
		param, after, closed := strings.Cut(tail, "}")
		if !braced || !closed {
			return appendNoun(out, text)
		}
		out = appendNoun(out, literal)
		if n := len(out); n > 0 && out[n-1].item() {
			out[n-1].params = append(out[n-1].params, Slug(param))
		} else {
			out = append(out, segment{params: []string{Slug(param)}})
		}
		text = after
	}
	return out
}

// appendNoun leaves out text without a word, like the dots of {base}...{head}.
func appendNoun(out []segment, text string) []segment {
	words := Words(text)
	if len(words) == 0 {
		return out
	}
	return append(out, segment{word: strings.Join(words, "-"), version: isVersion(text)})
}

// isVersion knows v1, v2beta1, v1.2, 2010-04-01 and 1.0.
func isVersion(text string) bool {
	if digits := strings.ReplaceAll(text, "-", ""); len(text) == 10 && len(digits) == 8 {
		return allDigits(digits)
	}
	major, minor, dotted := strings.Cut(text, ".")
	if rest, ok := strings.CutPrefix(strings.ToLower(major), "v"); ok {
		return versionTail(rest) && (!dotted || versionTail(minor))
	}
	return dotted && allDigits(major) && allDigits(minor)
}

func allDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// versionTail knows 1, 1beta, 1beta2 and 1p1beta1.
func versionTail(text string) bool {
	if text == "" || text[0] < '0' || text[0] > '9' {
		return false
	}
	for _, stage := range []string{"alpha", "beta", "rc", "preview", "p", "."} {
		text = strings.ReplaceAll(text, stage, "0")
	}
	return allDigits(text)
}

// nouns are the indexes of a path's nouns, versions left out.
func (p urlPath) nouns() []int {
	var nouns []int
	for i, seg := range p {
		if !seg.item() && !seg.version {
			nouns = append(nouns, i)
		}
	}
	return nouns
}

func (p urlPath) nounWords() []string {
	var words []string
	for _, i := range p.nouns() {
		words = append(words, p[i].word)
	}
	return words
}

// shape is the first n segments with every item alike.
func (p urlPath) shape(n int) string {
	var b strings.Builder
	for _, seg := range p[:n] {
		b.WriteString("/")
		if seg.item() {
			b.WriteString("{}")
		}
		b.WriteString(seg.word)
	}
	return b.String()
}

// end is the length of a path without versions at its end.
func (p urlPath) end() int {
	end := len(p)
	for end > 0 && p[end-1].version {
		end--
	}
	return end
}

// resource is the path without what followed # or ?, and without versions at its end.
func (p urlPath) resource() urlPath {
	if n := len(p); n > 0 && p[n-1].variant {
		p = p[:n-1]
	}
	return p[:p.end()]
}

func (p urlPath) onItem() bool {
	r := p.resource()
	return len(r) > 0 && r[len(r)-1].item()
}

func (p urlPath) params() []string {
	var params []string
	for _, seg := range p {
		params = append(params, seg.params...)
	}
	return params
}

// allWords are the spellings of all nouns, versions and dropped ones included.
func (p urlPath) allWords() []string {
	var words []string
	for _, seg := range p {
		if !seg.item() {
			words = append(words, seg.word)
		}
	}
	return words
}
