package revision

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository makes one with two commits.
func repository(t *testing.T) *Repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git on PATH")
	}
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		command := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		command.Dir = dir
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	write("api/ä b.yaml", "first\n")
	write("big.bin", "\x00\x01")
	write("empty.md", "")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	git("tag", "v1")
	write("api/ä b.yaml", "second\nand no line break at the end")
	git("commit", "-q", "-a", "-m", "two")
	write("api/ä b.yaml", "not committed")
	r, err := Open(t.Context(), filepath.Join(dir, "api"), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestExtract(t *testing.T) {
	r := repository(t)
	for name, want := range map[string]string{"v1": "first\n", "HEAD": "second\nand no line break at the end", "main~1": "first\n"} {
		commit, err := r.Resolve(t.Context(), name)
		if err != nil || len(commit) < 40 {
			t.Fatalf("%s: %q %v", name, commit, err)
		}
		dir := t.TempDir()
		if err := r.Extract(t.Context(), commit, dir, func(path string) bool { return !strings.HasSuffix(path, ".bin") }); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "api", "ä b.yaml")); err != nil || string(got) != want {
			t.Errorf("%s: %q %v", name, got, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "empty.md")); err != nil || len(got) > 0 {
			t.Errorf("%s: %q %v", name, got, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "big.bin")); err == nil {
			t.Error("a file that nobody wants was taken out")
		}
	}
	if now, _ := os.ReadFile(filepath.Join(r.Root, "api", "ä b.yaml")); string(now) != "not committed" {
		t.Errorf("the working tree was touched: %q", now)
	}
}

func TestNames(t *testing.T) {
	r := repository(t)
	for _, name := range []string{"", "nothing", "--all", "-x", "HEAD~7"} {
		if commit, err := r.Resolve(t.Context(), name); commit != "" || err != nil {
			t.Errorf("%q is %q, %v", name, commit, err)
		}
	}
	first, _ := r.Resolve(t.Context(), "v1")
	if base, err := r.Base(t.Context(), first); base != first || err != nil {
		t.Errorf("%q %v", base, err)
	}
	if r.Shallow(t.Context()) {
		t.Error("it is not shallow")
	}
	if _, err := Open(t.Context(), t.TempDir(), os.Environ()); err == nil || !strings.Contains(err.Error(), "git rev-parse") {
		t.Errorf("%v", err)
	}
}
