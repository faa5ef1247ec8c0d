package naming

import (
	"slices"
	"strings"
)

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

// NamesPage tells whether a parameter of this name chooses a page: by its number, a cursor or an
// offset. The size of a page does not.
func NamesPage(param string) bool { return pageParams[strings.Join(Words(param), "-")] }

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
