package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// namePattern is what a source may be named: a word of the CLI and of an operation id.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// ownWords are the commands of twodoor itself: the closed list of contracts §2. No source has one
// of these names, whether this version has the command or not.
var ownWords = strings.Fields(`up demo mcp add remove sources import install uninstall init find call
schema guides docs check snapshot diff coverage tokens refresh cards export eval pack plugin run turn
recipes tasks login logout accounts users clients calls friction smoke bench doctor config dashboard
store completion man version help self twodoor`)

// CheckName says why a source cannot have this name, or nothing.
func CheckName(name string) string {
	switch {
	case slices.Contains(ownWords, name):
		return fmt.Sprintf("%q is a command of twodoor: name the source otherwise", name)
	case !namePattern.MatchString(name):
		return fmt.Sprintf("%q is no name: lower-case letters, digits and single hyphens, a letter first", name)
	}
	return ""
}
