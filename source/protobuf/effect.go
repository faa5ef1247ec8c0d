package protobuf

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/protobuf/options"
)

// Words that tell what a method does (contracts §5).
var (
	readingWords = strings.Fields("list get info infos query search find lookup count export preview download")
	endingWords  = strings.Fields("delete remove destroy purge revoke truncate clear wipe erase prune terminate void redact uninstall")
	// manyWords stand before the verb of a method that does the same to many.
	manyWords = strings.Fields("batch bulk multi aggregated")
)

// setEffect says what a call does: an annotation, else the hints of one of another package, the
// method's idempotency_level, its HTTP rule, and the first and the last word of its name.
func (f *found) setEffect(op *twodoor.Operation, rules []options.Rule) {
	level := options.Idempotency(f.method)
	safe := level == descriptorpb.MethodOptions_NO_SIDE_EFFECTS
	op.Effect, op.Why = f.effect(safe, rules)
	op.Idempotent = safe || level == descriptorpb.MethodOptions_IDEMPOTENT || op.Effect == twodoor.Reads
	if said := f.said.Idempotent; said != nil {
		op.Idempotent = *said
	}
	if said := f.said.OpenWorld; said != nil {
		op.OpenWorld = *said
	}
}

func (f *found) effect(safe bool, rules []options.Rule) (twodoor.Effect, string) {
	said := f.said
	switch {
	case said.Effect != "":
		return said.Effect, ""
	case said.destructive == options.Yes:
		return twodoor.Destroys, "its destructive_hint"
	case said.readOnly == options.Yes:
		return twodoor.Reads, "its read_only_hint"
	case said.readOnly == options.No && said.destructive == options.No:
		return twodoor.Writes, "its read_only_hint and destructive_hint, which are both false"
	case safe && said.readOnly != options.No:
		return twodoor.Reads, "its idempotency_level, NO_SIDE_EFFECTS"
	}
	if len(rules) > 0 && rules[0].Verb == "GET" && said.readOnly != options.No {
		return twodoor.Reads, "its HTTP rule, GET"
	}
	if len(rules) > 0 && rules[0].Verb == "DELETE" && said.destructive != options.No {
		return twodoor.Destroys, "its HTTP rule, DELETE"
	}
	return f.effectOfName()
}

func (f *found) effectOfName() (twodoor.Effect, string) {
	words := wordsOf(string(f.method.Name()))
	if len(words) > 1 && slices.Contains(manyWords, words[0]) {
		words = words[1:]
	}
	edges := []string{words[0], words[len(words)-1]}
	for _, word := range edges {
		if slices.Contains(endingWords, word) && f.said.destructive != options.No {
			return twodoor.Destroys, fmt.Sprintf("its name has %q", word)
		}
	}
	for _, word := range edges {
		if slices.Contains(readingWords, word) && f.said.readOnly != options.No {
			return twodoor.Reads, fmt.Sprintf("its name has %q", word)
		}
	}
	return twodoor.Writes, "no annotation and no word of its name tells otherwise"
}
