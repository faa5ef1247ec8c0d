package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
)

// Words that tell what a verb does (contracts §5), and what programs call destroying beside them.
var (
	readingWords    = strings.Fields("list get info infos query search find lookup count export preview download")
	destroyingWords = strings.Fields("delete remove destroy purge revoke truncate clear wipe erase prune terminate void redact uninstall rm rmdir del drop kill")
)

// setEffect says what a verb does where nobody says: a destroying word in its name, or as a word or
// an option of its command lines, destroys; else a reading word at an edge of its name reads.
func setEffect(op *twodoor.Operation, v *verb) {
	_, last, _ := cutLast(v.name, ".")
	edges := strings.Split(last, "-")
	edges = []string{edges[0], edges[len(edges)-1]}
	if word, ok := among(edges, destroyingWords); ok {
		op.Effect, op.Why = twodoor.Destroys, fmt.Sprintf("its name has %q", word)
		return
	}
	for i := range v.steps {
		if word, ok := among(fixedWords(v.steps[i].Argv), destroyingWords); ok {
			op.Effect, op.Why = twodoor.Destroys, fmt.Sprintf("its command line has %q", word)
			return
		}
	}
	if word, ok := among(edges, readingWords); ok {
		op.Effect, op.Why = twodoor.Reads, fmt.Sprintf("its name has %q", word)
		return
	}
	op.Effect, op.Why = twodoor.Writes, "nothing in the file and no word of its name tells otherwise"
}

func among(words, list []string) (string, bool) {
	for _, word := range words {
		if slices.Contains(list, word) {
			return word, true
		}
	}
	return "", false
}

// fixedWords are the words of an argument list that stand in the file, options without their dashes.
func fixedWords(list []element) (words []string) {
	for _, e := range list {
		if text, ok := e.Text.literal(); ok && text != "" {
			name, _, _ := strings.Cut(text, "=")
			words = append(words, strings.TrimLeft(name, "-"))
		}
		words = append(words, fixedWords(e.Args)...)
	}
	return words
}

func cutLast(text, sep string) (before, after string, found bool) {
	if at := strings.LastIndex(text, sep); at >= 0 {
		return text[:at], text[at+len(sep):], true
	}
	return "", text, false
}
