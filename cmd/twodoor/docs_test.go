package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// session is a command that a document shows, and what it says the command prints.
type session struct {
	line    int
	command string
	want    string
}

// TestDocs runs every line that a document shows after a dollar sign in a console block, and
// compares what it prints. An ellipsis stands for anything; the demo runs beside. A block marked
// "console one" is one command, whose output may look like further ones.
func TestDocs(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the lines are for a shell, and there is no bash on PATH")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	env := docsEnv(t, root)
	startDemo(t, env)
	ran := 0
	for _, doc := range documents(t, root) {
		for _, s := range sessions(t, doc) {
			ran++
			runSession(t, root, env, doc, s)
		}
	}
	runSession(t, root, env, "check", session{command: "twodoor check README.md docs", want: "…0 findings"})
	if ran < 5 {
		t.Errorf("only %d lines were run: the documents are not where this test looks", ran)
	}
}

func documents(t *testing.T, root string) []string {
	t.Helper()
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return append(docs, filepath.Join(root, "README.md"))
}

// docsEnv has the product on PATH and every file of it in a folder of its own.
func docsEnv(t *testing.T, root string) []string {
	t.Helper()
	bin, home := t.TempDir(), t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "twodoor"), "./cmd/twodoor")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	env := append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		env = append(env, name+"="+home)
	}
	goCache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return append(env, "GOCACHE="+strings.TrimSpace(string(goCache)))
}

// startDemo serves the demo until the test ends.
func startDemo(t *testing.T, env []string) {
	t.Helper()
	demo := exec.Command("bash", "-c", "exec twodoor demo --listen 127.0.0.1:0")
	demo.Env, demo.Dir = env, t.TempDir()
	out, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	demo.Stderr = &stderr
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		demo.Process.Signal(os.Interrupt)
		demo.Wait()
	})
	if _, ok := saysLine(out, "CLI "); !ok {
		t.Fatalf("the demo ended: %s", stderr.Bytes())
	}
}

// saysLine waits for a line that begins so, and reads on behind it. It returns the lines up to there.
func saysLine(out io.Reader, begins string) (said []string, ok bool) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		said = append(said, lines.Text())
		if strings.HasPrefix(lines.Text(), begins) {
			go io.Copy(io.Discard, out)
			return said, true
		}
	}
	return said, false
}

var fence = regexp.MustCompile("(?ms)^```console( one)?\n(.*?)^```")

// sessions takes the console blocks of a document apart.
func sessions(t *testing.T, path string) []session {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []session
	for _, at := range fence.FindAllSubmatchIndex(text, -1) {
		line := bytes.Count(text[:at[4]], []byte("\n")) + 1
		first, one := true, at[2] >= 0
		for row := range strings.Lines(string(text[at[4]:at[5]])) {
			command, isCommand := strings.CutPrefix(row, "$ ")
			if isCommand && (first || !one) {
				all = append(all, session{line: line, command: strings.TrimSpace(command)})
			} else if len(all) > 0 {
				all[len(all)-1].want += row
			}
			first = false
			line++
		}
	}
	return all
}

func runSession(t *testing.T, root string, env []string, doc string, s session) {
	t.Helper()
	cmd := exec.Command("bash", "-c", s.command)
	cmd.Env, cmd.Dir = env, root
	out, _ := cmd.CombinedOutput()
	if !matches(s.want, string(out)) {
		t.Errorf("%s:%d: %s\nprints\n%s\nthe document says\n%s", filepath.Base(doc), s.line, s.command, out, s.want)
	}
}

// matches compares an output with what a document says of it.
func matches(want, got string) bool {
	parts := strings.Split(strings.TrimSpace(want), "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(parts, `.*`) + `$`).MatchString(strings.TrimSpace(got))
}
