package deed_test

import (
	"testing"

	"github.com/twodoor/twodoor/internal/deed"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		words           []string
		reads, destroys string
	}{
		{[]string{"item", "list"}, "list", ""}, {[]string{"item", "purge", "rm"}, "", "purge"}, {[]string{"rm"}, "", "rm"},
		{[]string{"listing", "removed", "killer"}, "", ""}, {nil, "", ""},
	} {
		if reads, destroys := deed.Reading(c.words...), deed.Destroying(c.words...); reads != c.reads || destroys != c.destroys {
			t.Errorf("%q: reads by %q, destroys by %q", c.words, reads, destroys)
		}
	}
}
