package naming

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words cuts text into lower-case words of [a-z0-9]: at everything that is not a letter or
// digit, and inside camelCase. Accents are dropped from Latin letters; a run of letters of another
// script becomes "u" and eight hexadecimal digits of its SHA-256.
func Words(text string) []string {
	var words []string
	for _, run := range strings.FieldsFunc(FoldLatin(text), notWordRune) {
		for _, word := range splitCamel(brandWords.Replace(run)) {
			words = append(words, asciiWords(word)...)
		}
	}
	return words
}

// Slug is text as one word of an operation id: [a-z0-9] with hyphens inside, never empty.
func Slug(text string) string {
	if words := Words(text); len(words) > 0 {
		return strings.Join(words, "-")
	}
	return Hash(text)
}

func notWordRune(r rune) bool {
	return r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

// brandWords holds spellings whose capitals are no word borders.
var brandWords = strings.NewReplacer("OAuth", "Oauth", "GitHub", "Github", "GitLab", "Gitlab",
	"GraphQL", "Graphql", "OpenID", "Openid", "iOS", "Ios", "macOS", "Macos")

// splitCamel cuts a run of letters and digits where a capital opens a word: after a small letter,
// after a digit of a word that has letters, and before the last capital of several if a small
// letter follows ("APIResources"), except for the s of a plural ("listIDs").
func splitCamel(run string) []string {
	runes := []rune(run)
	var words []string
	start := 0
	for i := 1; i < len(runes); i++ {
		if opensWord(runes, start, i) {
			words = append(words, string(runes[start:i]))
			start = i
		}
	}
	return append(words, string(runes[start:]))
}

func opensWord(runes []rune, start, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	last := runes[i-1]
	switch {
	case unicode.IsUpper(last):
		return i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !pluralCapitals(runes, i+1)
	case unicode.IsDigit(last):
		return slices.ContainsFunc(runes[start:i], unicode.IsLetter)
	}
	return true
}

// pluralCapitals reports whether the small letter at i is the lone s after several capitals.
func pluralCapitals(runes []rune, i int) bool {
	return runes[i] == 's' && (i+1 == len(runes) || !unicode.IsLower(runes[i+1]))
}

// asciiWords lowers a word and gives each stretch of other scripts in it a spelling of its own.
func asciiWords(word string) []string {
	var words []string
	start, wasASCII := 0, true
	flush := func(end int) {
		if start == end {
			return
		}
		part := word[start:end]
		if !wasASCII {
			part = Hash(part)
		}
		words = append(words, strings.ToLower(part))
	}
	for i, r := range word {
		if isASCII := r < utf8.RuneSelf; isASCII != wasASCII {
			flush(i)
			start, wasASCII = i, isASCII
		}
	}
	flush(len(word))
	return words
}

// Hash is a word for a text that has none: "u" and eight hexadecimal digits of its SHA-256.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "u" + hex.EncodeToString(sum[:4])
}

const (
	accented   = "ÀÁÂÃÅĀĂĄàáâãåāăąÇĆĈĊČçćĉċčĎĐďđÈÉÊËĒĔĖĘĚèéêëēĕėęěĜĞĠĢĝğġģĤĦĥħÌÍÎÏĨĪĬĮİìíîïĩīĭįıĴĵĶķĹĻĽĿŁĺļľŀłÑŃŅŇñńņňÒÓÔÕØŌŎŐòóôõøōŏőŔŖŘŕŗřŚŜŞŠśŝşšŢŤŦţťŧÙÚÛŨŪŬŮŰŲùúûũūŭůűųŴŵÝŶŸýÿŷŹŻŽźżž"
	unaccented = "AAAAAAAAaaaaaaaaCCCCCcccccDDddEEEEEEEEEeeeeeeeeeGGGGggggHHhhIIIIIIIIIiiiiiiiiiJjKkLLLLLlllllNNNNnnnnOOOOOOOOooooooooRRRrrrSSSSssssTTTtttUUUUUUUUUuuuuuuuuuWwYYYyyyZZZzzz"
)

var latin = latinFolder()

func latinFolder() *strings.Replacer {
	pairs := []string{"ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue", "ß", "ss", "æ", "ae", "Æ", "Ae", "œ", "oe", "Œ", "Oe"}
	i := 0
	for _, r := range accented {
		pairs = append(pairs, string(r), unaccented[i:i+1])
		i++
	}
	return strings.NewReplacer(pairs...)
}

// FoldLatin takes the accents from Latin letters, whether composed or combining.
func FoldLatin(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r >= '\u0300' && r <= '\u036f' {
			return -1
		}
		return r
	}, latin.Replace(text))
}
