package argv_test

import (
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/argv"
)

func TestTexts(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	for check, cases := range map[string]map[string]bool{
		"word":  {"a b": true, "": true, "--x": true, "-": false, "@f": false, "a\nb": false, "a\x00": false, "\x1b[m": false, long: false},
		"text":  {"a\nb": true, "@f": true, "-": true, "a\x00": false, long: false},
		"local": {"a/b": true, ".": true, "..": false, "/etc": false, "a/../../b": false},
	} {
		for text, good := range cases {
			says := map[string]func(string) string{"word": argv.Word, "text": argv.Text, "local": argv.Local}[check](text)
			if (says == "") != good {
				t.Errorf("%s %.20q: %q", check, text, says)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	for text, want := range map[string]string{"--a=b": "--a", "-n5": "-n5", "-": "", "--": "", "a": "", "=": ""} {
		if got := argv.OptionName(text); got != want {
			t.Errorf("%q is the option %q", text, got)
		}
	}
	for name, want := range map[string]string{
		"--danger": "--danger", "--dang": "--danger", "-danger": "--danger", "-xD": "-D", "-D": "-D", "--dangerous": "", "-x": "", "--D": "-D",
	} {
		if got := argv.Refused(name, "--danger", "-D"); got != want {
			t.Errorf("%s is taken for %q", name, got)
		}
	}
}
