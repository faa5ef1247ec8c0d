package argv

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Bounds of one value, in bytes. Linux takes 128 KiB for one argument; what is larger goes to a
// program's input.
const (
	MaxWord = 4 << 10
	MaxText = 64 << 10
)

// Dangerous are options that write files, run programs or read configuration in many programs.
var Dangerous = strings.Fields(`--output -o --output-file --output-directory --exec --exec-path --upload-pack --receive-pack --pre
	--config -c --config-env --config-file --template --pager --paginate --plugin --proxy --editor --ext-diff --textconv --open-files-in-pager
	--ssh-command --rsh --to-command --use-compress-program --checkpoint-action --post-file --load-cookies --save-cookies`)

// Word says what is wrong with a text that is to name something in one line; empty: nothing.
func Word(text string) string {
	switch {
	case len(text) > MaxWord:
		return fmt.Sprintf("has %d bytes, more than %d", len(text), MaxWord)
	case strings.ContainsRune(text, 0):
		return nul
	case strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return "has a line break or another control character: give one line"
	case text == "-":
		return "is a single dash, which many programs take for their input"
	case strings.HasPrefix(text, "@"):
		return "begins with @, which many programs take for the name of a file to read"
	}
	return ""
}

const nul = "has a NUL byte, which no argument can hold"

// Text says what is wrong with a text of any number of lines; empty: nothing.
func Text(text string) string {
	switch {
	case strings.ContainsRune(text, 0):
		return nul
	case len(text) > MaxText:
		return fmt.Sprintf("has %d bytes, more than %d", len(text), MaxText)
	}
	return ""
}

// Local says what is wrong with a path that is to stay inside a folder; empty: nothing. It looks at
// the text alone: links are followed by whoever opens the path.
func Local(path string) string {
	if !filepath.IsLocal(path) {
		return "is no path inside the folder: write it relative, without .."
	}
	return ""
}

// OptionName is the name of an option without its value: "--format", "-n". Empty: it is none.
func OptionName(text string) string {
	name, _, _ := strings.Cut(text, "=")
	if !strings.HasPrefix(name, "-") || strings.Trim(name, "-") == "" {
		return ""
	}
	return name
}

// Refused is the option among some that an option is, or that a program might take it for: an
// abbreviation of a long one, or a letter in a cluster of short ones. Empty: none.
func Refused(name string, options ...string) string {
	for _, option := range options {
		if meets(name, option) {
			return option
		}
	}
	return ""
}

func meets(name, refused string) bool {
	bare, bad := strings.TrimLeft(name, "-"), strings.TrimRight(strings.TrimLeft(refused, "-"), "=")
	switch {
	case bare == bad:
		return true
	case strings.HasPrefix(name, "--"):
		return len(bad) > 1 && strings.HasPrefix(bad, bare)
	case len(bad) == 1:
		return strings.Contains(bare, bad)
	}
	return false
}
