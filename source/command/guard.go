package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/argv"
)

// Bounds of a list of values, and of all arguments together, in bytes.
const (
	maxItems = 1000
	maxArgv  = 512 << 10
)

// check says what is wrong with a text of a parameter, or nothing. It does not know yet where the text
// will stand.
func (r *rule) check(text string) string {
	switch {
	case r.Input:
		return ""
	case r.Safe, r.Kind == kindNumber, r.Kind == kindText, r.Kind == kindJSON:
		return argv.Text(text)
	case r.Local:
		if problem := argv.Local(text); problem != "" {
			return problem
		}
	}
	return argv.Word(text)
}

// option says why an option may not be passed on, or nothing.
func (p *plan) option(r *rule, text string) string {
	name, valued := argv.OptionName(text), strings.Contains(text, "=")
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
	if refused := argv.Refused(name, slices.Concat(p.Refuse, argv.Dangerous)...); refused != "" {
		return fmt.Sprintf("the option %s is refused here, being %s or one that may stand for it", short(text), refused)
	}
	return ""
}

// short is a text as messages quote it.
func short(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}
