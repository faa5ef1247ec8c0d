package protobuf

import (
	"strings"
	"unicode"
)

// wordsOf takes a name apart into lower-case words of [a-z0-9]: at everything that is no letter or
// digit, and where a capital begins a word. There is always one.
func wordsOf(name string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if unicode.IsUpper(r) && i > 0 && opensWord(runes, i) {
			flush()
		}
		word.WriteRune(r)
	}
	flush()
	if words == nil {
		return []string{"x"}
	}
	return words
}

// opensWord reports whether the capital at i begins a word: after a small letter or a digit, and
// before a small letter, but for the s of a plural ("listIDs").
func opensWord(runes []rune, i int) bool {
	if unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]) {
		return true
	}
	if i+1 >= len(runes) || !unicode.IsLower(runes[i+1]) || !unicode.IsUpper(runes[i-1]) {
		return false
	}
	return runes[i+1] != 's' || i+2 < len(runes) && unicode.IsLower(runes[i+2])
}

// slug is a name as one word of an id.
func slug(name string) string { return strings.Join(wordsOf(name), "-") }

// stem is a word without its plural ending.
func stem(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "ses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && len(word) > 2:
		return word[:len(word)-1]
	}
	return word
}

// firstSentence is the beginning of a text, on one line.
func firstSentence(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if sentence, _, found := strings.Cut(text, ". "); found {
		text = sentence
	}
	text = strings.TrimSuffix(text, ".")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
