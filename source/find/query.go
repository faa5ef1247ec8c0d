package find

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a request: what lies beyond is not read.
const (
	maxQuery   = 4000 // bytes
	maxClauses = 8
	minClause  = 3  // words that say something
	maxTerms   = 80 // distinct words, those of the same meaning aside
)

// request is a query taken apart: as a whole, and by clause where it holds several wishes.
type request struct {
	terms   []term
	clauses int                  // 0: it is one wish
	deeds   [1 + maxClauses]deed // what each text asks to be done; 0: not told
}

// term is a distinct word of a request.
type term struct {
	stem   string
	word   string
	weight float32
	value  bool   // looks like a value, which no description holds
	near   bool   // stands for another word, not itself in the request
	texts  uint16 // bit 0: the whole; bit n: clause n
	at     entry  // zero where the index lacks it
}

// parse takes a query apart.
func parse(query string) request {
	p := parser{index: map[string]int{}}
	parts := clauses(clip(query, maxQuery))
	for _, part := range parts {
		p.clause(part)
	}
	p.keepClauses()
	p.addSynonyms()
	return p.request
}

// clauses splits a query at the ends of sentences, at semicolons and lines, and at the words that
// begin another wish.
func clauses(query string) []string {
	var parts []string
	start := 0
	cut := func(from, to int) {
		parts = append(parts, query[start:from])
		start = to
	}
	for i, r := range query {
		switch {
		case i < start:
		case strings.ContainsRune("\n;。！？；", r):
			cut(i, i+utf8.RuneLen(r))
		case strings.ContainsRune(".!?", r):
			if next, _ := utf8.DecodeRuneInString(query[i+1:]); i+1 == len(query) || unicode.IsSpace(next) {
				cut(i, i+1)
			}
		case r == ' ' || r == ',':
			if n := connector(query[i+1:]); n > 0 {
				cut(i, i+1+n)
			}
		}
	}
	return append(parts, query[min(start, len(query)):])
}

// connectors begin another wish.
var connectors = [...]string{
	"then", "also", "and then", "and also", "additionally", "finally", "moreover", "furthermore", "after that",
}

// connector is the length of the connector with which a text begins, or 0.
func connector(text string) int {
	for _, word := range connectors {
		n := len(word)
		if len(text) > n && strings.EqualFold(text[:n], word) && (text[n] == ' ' || text[n] == ',') {
			return n
		}
	}
	return 0
}

// parser collects the terms of a request.
type parser struct {
	request
	index map[string]int // stem → term
	sizes []int          // words that say something, by clause
	deeds [14]deed       // by clause
}

// clause reads one part: every part is a clause until it is known how many hold a wish.
func (p *parser) clause(part string) {
	size, quoted, first := 0, false, true
	bit := uint16(0)
	at := min(len(p.sizes), 13)
	if len(p.sizes) < 14 {
		bit = 1 << (1 + at)
	}
	for token := range strings.FieldsSeq(part) {
		opens := strings.IndexAny(token, "\"“`") == 0 || strings.HasPrefix(token, "'")
		quoted = quoted || opens
		value := quoted || looksLikeValue(token, first)
		split(token, func(word string) {
			if !value && p.deeds[at] == 0 {
				p.deeds[at] = deedWords()[word]
			}
			if !isNoise(word) && p.add(word, value, bit) {
				size++
			}
		})
		if quoted && strings.LastIndexAny(strings.TrimRight(token, ".,;:!?)"), "\"”`'") >= len(strings.TrimRight(token, ".,;:!?)"))-3 && len(token) > 1 {
			quoted = false
		}
		first = false
	}
	p.sizes = append(p.sizes, size)
}

// looksLikeValue reports whether a word of a request is likely a value of a parameter: a name in
// capitals inside a sentence, or something with digits.
func looksLikeValue(token string, first bool) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(token, "([{<"))
	return strings.ContainsAny(token, "0123456789") || !first && unicode.IsUpper(r)
}

// add enters a word, and reports whether it says something of what is wanted.
func (p *parser) add(word string, value bool, bit uint16) bool {
	stemmed := stem(word)
	i, known := p.index[stemmed]
	if !known {
		if len(p.terms) == maxTerms {
			return false
		}
		i = len(p.terms)
		p.index[stemmed] = i
		weight := float32(1)
		if softWords()[stemmed] {
			weight = softWeight
		}
		p.terms = append(p.terms, term{stem: stemmed, word: strings.Clone(word), weight: weight, value: value, texts: 1})
	}
	t := &p.terms[i]
	t.texts |= bit
	t.value = t.value && value
	return t.weight == 1
}

// keepClauses numbers the clauses that hold a wish of their own, and forgets the others. A single
// one is the whole.
func (p *parser) keepClauses() {
	var moves [16]int
	for i, size := range p.sizes {
		if size >= minClause && p.clauses < maxClauses && i < 14 {
			p.clauses++
			moves[i] = p.clauses
			p.request.deeds[p.clauses] = p.deeds[i]
		}
	}
	if p.clauses < 2 {
		p.clauses = 0
	}
	for i := 0; i < len(p.sizes) && i < 14 && p.clauses == 0; i++ {
		if p.request.deeds[0] == 0 {
			p.request.deeds[0] = p.deeds[i]
		}
	}
	for i := range p.terms {
		old, texts := p.terms[i].texts, uint16(1)
		for clause, to := range moves {
			if to > 0 && p.clauses > 0 && old&(1<<(1+clause)) != 0 {
				texts |= 1 << to
			}
		}
		p.terms[i].texts = texts
	}
}

// addSynonyms enters the words of the same meaning, at a low weight.
func (p *parser) addSynonyms() {
	for _, t := range p.terms[:len(p.terms):len(p.terms)] {
		if t.value {
			continue
		}
		for _, other := range synonyms()[t.stem] {
			i, known := p.index[other]
			if !known {
				i = len(p.terms)
				p.index[other] = i
				p.terms = append(p.terms, term{stem: other, weight: synonymWeight * t.weight, near: true})
			}
			if p.terms[i].near {
				p.terms[i].texts |= t.texts
			}
		}
	}
}
