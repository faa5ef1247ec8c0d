package cli

import (
	"context"
	"os/exec"
	"strings"
	"testing"
)

func TestManPages(t *testing.T) {
	h := newHarness(t)
	h.Commands = append(testCommands(nil), Command{
		Name: "manual", Args: "[WORD…]", Short: "Pages", Long: ".dots and 'quotes' at the beginning\n\nback\\slash", Example: h.name() + " manual up",
		Flags: []Flag{{Name: "many", Kind: FlagList, Usage: "for -each"}, {Name: "loud", Kind: FlagSwitch, Usage: "say more"}, {Name: "mystery", Usage: "not told", Hidden: true}},
		Run: func(_ context.Context, in *Invocation) error {
			page, err := in.ManPage(in.Args)
			if err != nil {
				return err
			}
			for _, p := range in.ManPages() {
				lint(t, p)
			}
			return in.PrintLines(page.Name+"\n"+page.Text, nil)
		},
	})
	for _, c := range []struct{ words, want, not string }{
		{"manual", `\&.dots and 'quotes' at the beginning` + "\n.PP\nback\\eslash", "mystery"},
		{"manual", "\\-\\-loud\nsay more", "\\-\\-loud VALUE"},
		{"manual", "for \\-each", "Hidden"},
		{"guides read", "guides-read.1\n.TH", "SEE ALSO\n.BR up"},
		{"guides", "guides\\-read (1)", "COMMANDS"},
		{"", "SOURCE GROUP VERB", "mystery"},
	} {
		if status := h.run(append([]string{"manual"}, strings.Fields(c.words)...)...); status != 0 {
			t.Fatalf("%s: exit %d: %s", c.words, status, h.err.String())
		}
		if got := h.out.String(); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("man %s: want %q and not %q:\n%s", c.words, c.want, c.not, got)
		}
	}
	if status := h.run("manual", "nowhere"); status != 2 {
		t.Errorf("an unknown command: exit %d", status)
	}
}

// lint has groff read a page, where there is one.
func lint(t *testing.T, p Page) {
	path, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	groff := exec.Command(path, "-man", "-Tutf8", "-ww", "-z")
	groff.Stdin = strings.NewReader(p.Text)
	if out, err := groff.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s: %v\n%s", p.Name, err, out)
	}
}
