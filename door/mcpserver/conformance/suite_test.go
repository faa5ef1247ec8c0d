package conformance

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// verdict is a line of the suite's summary.
var verdict = regexp.MustCompile(`(?m)^[✓✗] (\S+): (\d+) passed, (\d+) failed`)

func TestSuite(t *testing.T) {
	modules := nodeModules(t)
	suite := filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
	later := names(t, "testdata/later.txt")
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			url := serve(t)
			out := node(t, modules, suite, "server", "--url", url, "--requirements", revision, "-o", t.TempDir())
			seen := judge(t, out, revision, later)
			for name := range names(t, "testdata/now.txt") {
				set, scenario, _ := strings.Cut(name, " ")
				if set == revision && !seen[scenario] {
					t.Errorf("%s was not run", scenario)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// judge reads the summary: every scenario passes without a failed check, or is named in later.txt.
func judge(t *testing.T, out, revision string, later map[string]bool) (seen map[string]bool) {
	t.Helper()
	seen = map[string]bool{}
	now := names(t, "testdata/now.txt")
	for _, m := range verdict.FindAllStringSubmatch(out, -1) {
		scenario, failed := m[1], m[3]
		seen[scenario] = true
		switch {
		case later[scenario]:
		case !now[revision+" "+scenario]:
			t.Errorf("%s is named neither in now.txt nor in later.txt", scenario)
		case failed != "0":
			t.Errorf("%s: %s checks failed", scenario, failed)
		}
	}
	return seen
}

// names reads a list: a name a line, # begins a comment.
func names(t *testing.T, path string) map[string]bool {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all := map[string]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if line, _, _ := strings.Cut(lines.Text(), "#"); strings.TrimSpace(line) != "" {
			all[strings.TrimSpace(line)] = true
		}
	}
	return all
}
