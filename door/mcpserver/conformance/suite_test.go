package conformance

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// verdict is a line of the suite's summary, total its last.
var (
	verdict = regexp.MustCompile(`(?m)^[✓✗] (\S+): (\d+) passed, (\d+) failed`)
	total   = regexp.MustCompile(`(?m)^Total: (\d+) passed, (\d+) failed`)
)

// TestSuite runs every scenario that the suite has for a revision, required or not. No check of any
// fails, and as many as there were pass: a server that offers less is asked less. The last run is of
// everything at once, extensions among it; what we do not have of these is named in later.txt.
func TestSuite(t *testing.T) {
	modules := nodeModules(t)
	suite := filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
	later := names(t, "testdata/later.txt")
	for _, c := range []struct {
		revision string
		passed   int // checks, in all
	}{{"2026-07-28", 152}, {"2025-11-25", 81}, {"2025-06-18", 56}, {"2025-03-26", 3}, {"", 199}} {
		t.Run("to "+c.revision, func(t *testing.T) {
			args := []string{suite, "server", "--url", serve(t), "--suite", "all", "-o", t.TempDir()}
			if c.revision != "" {
				args = append(args, "--spec-version", c.revision)
			}
			out := node(t, modules, args...)
			judge(t, out, c.passed, later)
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// judge reads the summary.
func judge(t *testing.T, out string, passed int, later map[string]bool) {
	t.Helper()
	failed := 0
	for _, m := range verdict.FindAllStringSubmatch(out, -1) {
		if m[3] == "0" {
			continue
		}
		n, _ := strconv.Atoi(m[3])
		if failed += n; !later[m[1]] {
			t.Errorf("%s: %s checks failed", m[1], m[3])
		}
	}
	m := total.FindStringSubmatch(out)
	if m == nil {
		t.Fatal("the suite printed no summary")
	}
	if n, _ := strconv.Atoi(m[1]); n < passed {
		t.Errorf("%d checks passed, not %d", n, passed)
	}
	if n, _ := strconv.Atoi(m[2]); n != failed {
		t.Errorf("%d checks failed in all, %d of them in a scenario that has a line", n, failed)
	}
	t.Logf("%s", m[0])
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
