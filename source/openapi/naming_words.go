package openapi

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitWords cuts text into lower-case words of [a-z0-9]: at everything that is not a letter or
// digit, and inside camelCase. Accents are dropped from Latin letters; a run of letters of another
// script becomes "u" and eight hexadecimal digits of its SHA-256.
func splitWords(text string) []string {
	var words []string
	for _, run := range strings.FieldsFunc(foldLatin(text), notWordRune) {
		for _, word := range splitCamel(brandWords.Replace(run)) {
			words = append(words, asciiWords(word)...)
		}
	}
	return words
}

// slug is text as one word of an operation id: [a-z0-9] with hyphens inside, never empty.
func slug(text string) string {
	if words := splitWords(text); len(words) > 0 {
		return strings.Join(words, "-")
	}
	return hashWord(text)
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
			part = hashWord(part)
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

func hashWord(text string) string {
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

// foldLatin takes the accents from Latin letters, whether composed or combining.
func foldLatin(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '\u0300' && r <= '\u036f' {
			return -1
		}
		return r
	}, latin.Replace(text))
}

// isPlural tells whether a noun names many things by its last word.
func isPlural(words []string) bool {
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	if slices.Contains(irregularPlurals, last) {
		return true
	}
	return strings.HasSuffix(last, "s") && len(last) > 2 &&
		!slices.ContainsFunc(singularEndings, func(end string) bool { return strings.HasSuffix(last, end) })
}

var (
	irregularPlurals = []string{"people", "children", "media", "criteria", "indices", "men", "women"}
	singularEndings  = []string{"ss", "us", "sis", "news", "dns", "sms", "tls", "https", "aws", "gps", "canvas", "alias"}
)

// readingWords and destroyingWords are those of contracts §5.
var (
	readingWords    = wordSet("list get info infos query search find lookup count export preview download")
	destroyingWords = wordSet("delete remove destroy purge revoke truncate clear wipe erase prune terminate void redact uninstall")
)

// actionWords make a last path segment a verb. Renaming follows from a change here: new words move
// the names of operations that no lock holds yet.
var actionWords = wordSet(`accept activate add analyze apply approve archive assign attach authorize
ban batch block build bulk cancel capture charge check claim clear clone close complete confirm convert
copy count create deactivate decline decode delete deliver deny deploy detach detect diff disable
discard dismiss download draft drain duplicate edit enable end enrich exchange execute expire export
extend fail fetch finalize find finish forward fund generate get hide import increment info init
initiate insert instantiate invite invoke join kick leave link list lock lookup mark match merge migrate
modify mount move mute name open patch pause pin ping plan post preview process promote provision
publish pull purge push put query read reassign rebase rebuild refresh refund regenerate register reject
release reload remove rename reopen reorder replace report request rerequest rerun resend reset resize
resolve restart restore resume retire retry return reverse revert revoke rollback rotate run save scale
scan search send set share sign snooze sort start stop submit subscribe succeed suspend switch sync
terminate test toggle track transfer transform translate trigger truncate unarchive unassign unban
unblock undelete undo uninstall unlink unlock unmute unpin unshare unsubscribe unwatch update upgrade
upload upsert use validate verify view void wait wake watch withdraw write`)

// isVerbWord takes the reading and destroying words in as well: what tells an effect is a verb.
func isVerbWord(word string) bool {
	return actionWords[word] || readingWords[word] || destroyingWords[word]
}

func isReadingWord(word string) bool { return readingWords[word] }

func isDestroyingWord(word string) bool { return destroyingWords[word] }

// edgeWord is the first or else the last of words that is one of the wanted, or "".
func edgeWord(words []string, wanted func(string) bool) string {
	if len(words) == 0 {
		return ""
	}
	if first := words[0]; wanted(first) {
		return first
	}
	if last := words[len(words)-1]; wanted(last) {
		return last
	}
	return ""
}

// namesPage tells whether a parameter of this name chooses a page: by its number, a cursor or an
// offset. The size of a page does not.
func namesPage(param string) bool { return pageParams[strings.Join(splitWords(param), "-")] }

var pageParams = wordSet(`page page-number page-num page-no page-index page-token next-page-token
page-cursor cursor start-cursor next-cursor after starting-after ending-before next-token continue
continuation-token offset page-offset skip start-at start-index marker`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}
