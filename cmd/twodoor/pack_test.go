package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPackedGitHub packs an API of a thousand operations, and uses the program with nothing at hand:
// no folder, no configuration, no variable. What its start costs is logged.
func TestPackedGitHub(t *testing.T) {
	corpus := os.Getenv("TWODOOR_CORPUS")
	if corpus == "" {
		t.Skip("TWODOOR_CORPUS is not set")
	}
	dir, empty := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "twodoor.yaml"), []byte("sources:\n  github: {openapi: "+filepath.Join(corpus, "openapi", "github.json")+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(in, program string, args ...string) (out string, cpu time.Duration) {
		cmd := exec.Command(program, args...)
		var text bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = in, &text, &text, []string{}
		if err := cmd.Run(); err != nil {
			t.Errorf("%s %q: %v\n%s", filepath.Base(program), args, err, text.String())
		}
		return text.String(), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	hb := filepath.Join(dir, "hb")
	run(dir, programNamed(t, "twodoor"), "pack", "github", "--name", "hb", "--out", hb, "--trust", "--config", "twodoor.yaml")
	for _, c := range []struct{ line, want string }{
		{"--help", "users (47)"},
		{"users --help", "hb users VERB"}, // an own word of twodoor that the brand uses
		{"users list --help", "GET /users"},
		{"search --help", "hb search VERB"},
		{"self check", "0 findings"},
		{"version", "hb "},
		{"find list the issues of a repository", "github.issues.list"},
		{"issues get octocat hello 3 --dry-run", "https://api.github.com/repos/octocat/hello/issues/3"},
	} {
		out, cpu := run(empty, hb, strings.Fields(c.line)...)
		if !strings.Contains(out, c.want) {
			t.Errorf("hb %s: there is no %q in\n%.2000s", c.line, c.want, out)
		}
		t.Logf("%5d ms of CPU: hb %s", cpu.Milliseconds(), c.line)
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("it left %v behind, %v", left, err)
	}
}
