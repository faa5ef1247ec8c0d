package proc

import (
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Command is a program to run.
type Command struct {
	Path string   // required; a name without a separator is looked up on PATH
	Args []string // without the program's name
	Dir  string   // empty: the present folder
	Env  []string // its whole environment, "NAME=value"; see [Environment]

	// Grace is how long the program may take to end by itself when its context ends: it is asked to,
	// and killed after that. 0: it is killed at once.
	Grace time.Duration
}

// everyday lists the variables that programs need to find their files and to speak a language.
// None of them holds a secret.
var everyday = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "TMPDIR",
	"XDG_*", "SSL_CERT_FILE", "SSL_CERT_DIR", "NO_COLOR",
	// Windows
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME",
	"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

// Environment picks from an environment what a program may see: the everyday variables (PATH, HOME,
// the locale, folders for temporary files, …) and those allowed by name. A name may end in a star.
func Environment(from []string, allow ...string) []string {
	var env []string
	for _, pair := range from {
		name, _, _ := strings.Cut(pair, "=")
		if allowed(everyday, name) || allowed(allow, name) {
			env = append(env, pair)
		}
	}
	return env
}

func allowed(names []string, name string) bool {
	return slices.ContainsFunc(names, func(allow string) bool {
		if head, star := strings.CutSuffix(allow, "*"); star {
			return strings.HasPrefix(name, head)
		}
		return allow == name
	})
}

// Find reports where a program is that is named as in [Command]; the error is as of [Start].
func Find(name string) (path string, err error) { return exec.LookPath(name) }
