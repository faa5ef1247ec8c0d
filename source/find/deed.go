package find

import (
	"strings"
	"sync"

	"github.com/twodoor/twodoor"
)

// deed is the kind of thing that is done: a set of bits, since a name may leave it open.
type deed uint8

const (
	deedRead deed = 1 << iota
	deedCreate
	deedUpdate
	deedDestroy
)

// deedWords are the verbs that tell a deed, in the form of a request or a name. A word that is more
// often a noun is not among them.
var deedWords = sync.OnceValue(func() map[string]deed {
	words := map[string]deed{}
	for d, list := range map[deed]string{
		deedRead: `get list show read fetch retrieve search find view look lookup query display browse count check describe
			download export inspect see tell give what which who when where how whats`,
		deedCreate: `create add make insert register generate invite upload import append attach post send publish write save store
			schedule start open submit`,
		deedUpdate:  `update edit modify change set rename patch replace move adjust configure enable disable assign write save`,
		deedDestroy: `delete remove destroy erase purge drop clear wipe uninstall revoke unassign detach`,
	} {
		for word := range strings.FieldsSeq(list) {
			words[word] |= d
		}
	}
	return words
})

// deedOf is the deed of a document: that of the verb in its name, which stands first or last, within
// what its effect allows; else that of its effect.
func (d *Document) deedOf() deed {
	var words []string
	split(d.Name, func(word string) { words = append(words, word) })
	var told deed
	if len(words) > 0 {
		told = deedWords()[words[0]] | deedWords()[words[len(words)-1]]
	}
	switch allowed := effectDeeds(d.Effect); {
	case allowed == 0:
		return told
	case allowed&told != 0:
		return allowed & told
	default:
		return allowed
	}
}

func effectDeeds(effect twodoor.Effect) deed {
	switch effect {
	case twodoor.Reads:
		return deedRead
	case twodoor.Writes:
		return deedCreate | deedUpdate
	case twodoor.Destroys:
		return deedDestroy
	}
	return 0
}

// against reports whether what is asked for is something else than what is done. To create and to
// update are near enough: what adds a note to a thing changes the thing.
func (d deed) against(asked deed) bool {
	if asked&(deedCreate|deedUpdate) != 0 {
		asked |= deedCreate | deedUpdate
	}
	return d != 0 && asked != 0 && d&asked == 0
}
