package mcpclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Words that tell what a tool does (contracts §5).
var (
	readingWords = strings.Fields("list get info infos query search find lookup count export preview download")
	endingWords  = strings.Fields("delete remove destroy purge revoke truncate clear wipe erase prune terminate void redact uninstall")
)

// setEffect says what a call does: the tool's own hints, else the first and the last word of its
// name. A tool that says it only adds to what is there does not destroy.
func setEffect(op *twodoor.Operation, name string, annotations json.RawMessage) {
	op.Idempotent = hint(annotations, "idempotentHint") == yes
	op.OpenWorld = hint(annotations, "openWorldHint") == yes
	reads, destroys := hint(annotations, "readOnlyHint"), hint(annotations, "destructiveHint")
	switch {
	case reads == yes:
		op.Effect, op.Why = twodoor.Reads, "its readOnlyHint"
		return
	case destroys == yes:
		op.Effect, op.Why = twodoor.Destroys, "its destructiveHint"
		return
	}
	words := wordsOf(name)
	first, last := words[0], words[len(words)-1]
	word := func(list []string) (string, bool) {
		for _, w := range []string{first, last} {
			if slices.Contains(list, w) {
				return fmt.Sprintf("its name has %q", w), true
			}
		}
		return "", false
	}
	if why, ok := word(endingWords); ok && destroys != no {
		op.Effect, op.Why = twodoor.Destroys, why
	} else if why, ok := word(readingWords); ok && reads != no {
		op.Effect, op.Why = twodoor.Reads, why
	} else {
		op.Effect, op.Why = twodoor.Writes, "no hint and no word of its name tells otherwise"
	}
}

// answer is a hint: given or not.
type answer uint8

const (
	unsaid answer = iota
	yes
	no
)

func hint(annotations json.RawMessage, key string) answer {
	switch raw, _ := rawjson.Get(annotations, key); string(raw) {
	case "true":
		return yes
	case "false":
		return no
	}
	return unsaid
}

// wordsOf takes a name apart at everything that is no letter or digit, and where a capital begins a
// word. There is always one.
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
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		word.WriteRune(r)
	}
	flush()
	if words == nil {
		return []string{""}
	}
	return words
}
