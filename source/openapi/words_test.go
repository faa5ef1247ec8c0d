package openapi

import "testing"

// TestPlainText holds that the markup of web pages goes, and nothing else does.
func TestPlainText(t *testing.T) {
	for text, want := range map[string]string{
		"<p>Creates a <b>charge</b>.</p>\n\n<p>See <a href=\"/x\">the guide</a> &amp; more.</p>": "Creates a charge.\n\nSee the guide & more.",
		"<ul><li>one</li><li><code>two</code></li></ul>":                                         "- one\n- two",
		"if a < b and c > d": "if a < b and c > d",
		"a <token> here":     "a <token> here",
		"plain &amp; simple": "plain &amp; simple",
	} {
		if got := plainText(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
