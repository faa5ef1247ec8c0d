package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of one value, in bytes, and of a list. Linux takes 128 KiB for one argument; what is larger
// goes to a program's input.
const (
	maxWord  = 4 << 10
	maxText  = 64 << 10
	maxItems = 1000
	maxArgv  = 512 << 10
)

// alwaysRefused are options that write files, run programs or read configuration in many programs. A
// parameter of type options never passes them on, unless its allow names them.
var alwaysRefused = strings.Fields(`--output -o --output-file --output-directory --exec --exec-path --upload-pack --receive-pack --pre
	--config -c --config-env --config-file --template --pager --paginate --plugin --proxy --editor --ext-diff --textconv --open-files-in-pager
	--ssh-command --rsh --to-command --use-compress-program --checkpoint-action --post-file --load-cookies --save-cookies`)

// check says what is wrong with a text of a parameter, or nothing. It does not know yet where the text
// will stand.
func (r *rule) check(text string) string {
	switch {
	case r.Input:
		return ""
	case strings.ContainsRune(text, 0):
		return "has a NUL byte, which no argument can hold"
	case r.Safe, r.Kind == kindNumber:
		return ""
	case r.Kind == kindText || r.Kind == kindJSON:
		if len(text) > maxText {
			return fmt.Sprintf("has %d bytes, more than %d", len(text), maxText)
		}
		return ""
	case len(text) > maxWord:
		return fmt.Sprintf("has %d bytes, more than %d", len(text), maxWord)
	case strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return "has a line break or another control character: give one line"
	case r.Kind == kindOptions:
		return ""
	case text == "-":
		return "is a single dash, which many programs take for their input"
	case strings.HasPrefix(text, "@"):
		return "begins with @, which many programs take for the name of a file to read"
	case r.Local && !filepath.IsLocal(text):
		return "is no path inside the folder: write it relative, without .."
	}
	return ""
}

// option says why an option may not be passed on, or nothing.
func (p *plan) option(r *rule, text string) string {
	name, valued := optionName(text), strings.Contains(text, "=")
	if name == "" {
		return fmt.Sprintf("%q is no option: it begins with a dash and has a name", short(text))
	}
	if len(r.Allow) > 0 {
		wanted := name
		if valued {
			wanted += "="
		}
		if !slices.Contains(r.Allow, wanted) {
			return fmt.Sprintf("the option %s is not allowed here; there are %s", short(text), strings.Join(r.Allow, ", "))
		}
		return ""
	}
	for _, refused := range slices.Concat(p.Refuse, alwaysRefused) {
		if meets(name, refused) {
			return fmt.Sprintf("the option %s is refused here, being %s or one that may stand for it", short(text), refused)
		}
	}
	return ""
}

// optionName is the name of an option without its value: "--format", "-n". Empty: it is none.
func optionName(text string) string {
	name, _, _ := strings.Cut(text, "=")
	if !strings.HasPrefix(name, "-") || strings.Trim(name, "-") == "" {
		return ""
	}
	return name
}

// meets reports whether an option is a refused one, or one that a program might take for it: an
// abbreviation of a long one, or a letter in a cluster of short ones.
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

// short is a text as messages quote it.
func short(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}
