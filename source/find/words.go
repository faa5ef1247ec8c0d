package find

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// The weights of query words that are not plain content.
const (
	softWeight    = 0.7  // verbs that most requests hold whatever they ask for
	synonymWeight = 0.2  // words of the same meaning that the request does not use
	valueWeight   = 0.35 // words that look like a value: a name, a number, something quoted
)

// split takes text apart into lower-case words, in order: at everything that is no letter or digit,
// at the humps of camelCase, between letters and digits. Scripts without blanks become bigrams. A
// hump word that reads as one ("GitHub") and a short word with digits ("s3") are given whole as well.
func split(text string, yield func(word string)) {
	start := -1
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			splitRun(text[start:i], yield)
			start = -1
		}
	}
	if start >= 0 {
		splitRun(text[start:], yield)
	}
}

// splitRun takes a run of letters and digits apart by script, and then by humps and digits.
func splitRun(run string, yield func(string)) {
	if isLowerASCII(run) {
		yield(run)
		return
	}
	runes := []rune(run)
	start := 0
	for i := 1; i <= len(runes); i++ {
		if i < len(runes) && isBigrammed(runes[i]) == isBigrammed(runes[start]) {
			continue
		}
		if isBigrammed(runes[start]) {
			bigrams(runes[start:i], yield)
		} else {
			humps(runes[start:i], yield)
		}
		start = i
	}
}

func isLowerASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// isBigrammed reports whether a rune is of a script that writes without blanks between words.
func isBigrammed(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

func bigrams(runes []rune, yield func(string)) {
	if len(runes) == 1 {
		yield(string(runes))
	}
	for i := 1; i < len(runes); i++ {
		yield(string(runes[i-1 : i+1]))
	}
}

// humps splits "HTTPServerId2" into http, server, id, 2.
func humps(runes []rune, yield func(string)) {
	parts, start, digits := 0, 0, false
	for i := 1; i <= len(runes); i++ {
		if i < len(runes) && !isHump(runes, i) {
			continue
		}
		parts++
		digits = digits || unicode.IsDigit(runes[start])
		yield(strings.ToLower(string(runes[start:i])))
		start = i
	}
	whole := parts == 2 && (unicode.IsUpper(runes[0]) && len(runes) <= 12 && !digits || digits && len(runes) <= 5)
	if whole {
		yield(strings.ToLower(string(runes)))
	}
}

// isHump reports whether a new word begins at i: aB, ABc, a1, 1a. A plural "s" after capitals
// ("URLs") begins none.
func isHump(runes []rune, i int) bool {
	before, here := runes[i-1], runes[i]
	switch {
	case unicode.IsDigit(before) != unicode.IsDigit(here):
		return true
	case unicode.IsLower(before) && unicode.IsUpper(here):
		return true
	case unicode.IsUpper(before) && unicode.IsUpper(here) && i+1 < len(runes) && unicode.IsLower(runes[i+1]):
		return !(i+2 == len(runes) && runes[i+1] == 's')
	}
	return false
}

// stem is the form under which a word is indexed: its English stem where it is English, else itself.
// The stemmer leaves "-ship" alone, but membership is of members.
func stem(word string) string {
	if len(word) < 3 || !isLowerASCII(word) {
		return word
	}
	if own, ok := strings.CutSuffix(strings.TrimSuffix(word, "s"), "ship"); ok && len(own) >= 5 {
		word = own
	}
	return english.Stem(word, true)
}

// maxWord is the longest word that is indexed, in bytes: longer ones are no words.
const maxWord = 64

// isNoise reports whether a word says nothing of what is wanted.
func isNoise(word string) bool {
	return len(word) > maxWord || len(word) == 1 && word[0] < 0x80 && (word[0] < '0' || word[0] > '9') || functionWords()[word]
}

// stemmer remembers stems: a catalog has few words, many times.
type stemmer map[string]string

func (s stemmer) stem(word string) string {
	stemmed, known := s[word]
	if !known {
		stemmed = stem(word)
		s[strings.Clone(word)] = stemmed
	}
	return stemmed
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
