package command

import (
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/deed"
)

// setEffect says what a verb does where nobody says: a destroying word in its name, or as a word or
// an option of its command lines, destroys; else a reading word at an edge of its name reads.
func setEffect(op *twodoor.Operation, v *verb) {
	_, last, _ := cutLast(v.name, ".")
	edges := strings.Split(last, "-")
	edges = []string{edges[0], edges[len(edges)-1]}
	if word := deed.Destroying(edges...); word != "" {
		op.Effect, op.Why = twodoor.Destroys, fmt.Sprintf("its name has %q", word)
		return
	}
	for i := range v.steps {
		if word := deed.Destroying(fixedWords(v.steps[i].Argv)...); word != "" {
			op.Effect, op.Why = twodoor.Destroys, fmt.Sprintf("its command line has %q", word)
			return
		}
	}
	if word := deed.Reading(edges...); word != "" {
		op.Effect, op.Why = twodoor.Reads, fmt.Sprintf("its name has %q", word)
		return
	}
	op.Effect, op.Why = twodoor.Writes, "nothing in the file and no word of its name tells otherwise"
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
