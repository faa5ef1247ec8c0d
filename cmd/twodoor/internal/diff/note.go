package diff

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// NotesFolder is where pending notes lie, beside the configuration: Markdown files that tell what
// changed since the last release. Whoever releases gathers them into the changelog and removes them.
const NotesFolder = "changes"

// Untold are the changes that no note tells of: none of the texts names the operation, in backquotes.
func Untold(notes []string, changes []Change) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool {
		return slices.ContainsFunc(notes, func(note string) bool { return strings.Contains(note, "`"+c.ID+"`") })
	})
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

// NoteName is a name for the file of a note about changes, that no file has yet.
func NoteName(changes []Change, taken func(name string) bool) string {
	name := "changes"
	if len(changes) > 0 {
		name = strings.Trim(notWord.ReplaceAllString(strings.ToLower(changes[0].ID), "-"), "-")
	}
	for n := 1; ; n++ {
		file := name + ".md"
		if n > 1 {
			file = fmt.Sprintf("%s-%d.md", name, n)
		}
		if !taken(filepath.Join(NotesFolder, file)) {
			return filepath.Join(NotesFolder, file)
		}
	}
}
