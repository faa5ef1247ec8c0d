package deed

import (
	"slices"
	"strings"
)

var (
	reading    = strings.Fields("list get info infos query search find lookup count export preview download")
	destroying = strings.Fields("delete remove destroy purge revoke truncate clear wipe erase prune terminate void redact uninstall")
	// programs have short words for destroying, beside the common ones.
	programs = strings.Fields("rm rmdir del drop kill")
)

// Reading is the first of some words that tells of reading alone; empty: none does.
func Reading(words ...string) string { return first(words, reading) }

// Destroying is the first of some words that tells of destroying, as names of operations and command
// lines have them; empty: none does.
func Destroying(words ...string) string { return first(words, destroying, programs) }

func first(words []string, lists ...[]string) string {
	for _, word := range words {
		for _, list := range lists {
			if slices.Contains(list, word) {
				return word
			}
		}
	}
	return ""
}
