package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// run is what one process cost.
type run struct {
	cpu  time.Duration
	peak int64 // bytes
}

// TestStartUp prints what a generated command of GitHub's description costs from a warm bundle,
// beside an empty program with the same imports, and what the first compile costs. It fails only
// where a command fails: the figures are for reading.
func TestStartUp(t *testing.T) {
	corpus := os.Getenv("TWODOOR_CORPUS")
	if corpus == "" {
		t.Skip("TWODOOR_CORPUS does not name the folder of real API descriptions")
	}
	if testing.Short() {
		t.Skip("starts two hundred processes")
	}
	product, empty := build(t)
	env := workspace(t, filepath.Join(corpus, "openapi", "github.json"))

	command := []string{"github", "repos", "get", "octocat", "hello-world", "--dry-run"}
	first := measure(t, env, product, command...)
	fmt.Printf("first compile and call  cpu %4d ms  peak %4d MB\n", first.cpu.Milliseconds(), first.peak>>20)
	base := median(t, env, empty)
	fmt.Printf("empty, same imports     cpu %4.1f ms  peak %4d MB\n", ms(base.cpu), base.peak>>20)
	for name, args := range map[string][]string{
		"call --dry-run": command,
		"command --help": {"github", "repos", "get", "--help"},
		"group --help":   {"github", "repos", "--help"},
		"source --help":  {"github", "--help"},
	} {
		warm := median(t, env, product, args...)
		fmt.Printf("%-22s  cpu %4.1f ms  peak %4d MB  %.2f× the empty one\n", name, ms(warm.cpu), warm.peak>>20, float64(warm.cpu)/float64(base.cpu))
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// build builds the product, and a main of the same imports that does nothing.
func build(t *testing.T) (product, empty string) {
	t.Helper()
	dir := t.TempDir()
	product, empty = filepath.Join(dir, "twodoor"), filepath.Join(dir, "empty")
	goBuild(t, "-o", product, "../cmd/twodoor")
	source := filepath.Join(dir, "main.go")
	text := "package main\n\nimport _ \"github.com/twodoor/twodoor/cmd/twodoor/internal/app\"\n\nfunc main() {}\n"
	overlay := filepath.Join(dir, "overlay.json")
	virtual, err := filepath.Abs("../cmd/twodoor/internal/empty/main.go")
	if err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{virtual: source}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, source, []byte(text))
	write(t, overlay, replace)
	goBuild(t, "-overlay", overlay, "-o", empty, "github.com/twodoor/twodoor/cmd/twodoor/internal/empty")
	return product, empty
}

func goBuild(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("go", append([]string{"build"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("go build %v: %v\n%s", args, err, out)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// workspace is a folder with a configuration of one source; the environment keeps every other file
// of the product in it too.
func workspace(t *testing.T, description string) (env []string) {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "twodoor.yaml")
	write(t, config, fmt.Appendf(nil, "sources:\n  github: {openapi: %q}\n", description))
	return append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir, "XDG_STATE_HOME="+dir,
		"XDG_RUNTIME_DIR="+dir, "TWODOOR_CONFIG="+config, "TWODOOR_TRUST=1")
}

// median is the middle of 50 runs, after a warm-up.
func median(t *testing.T, env []string, program string, args ...string) run {
	t.Helper()
	measure(t, env, program, args...)
	var runs []run
	for range 50 {
		runs = append(runs, measure(t, env, program, args...))
	}
	slices.SortFunc(runs, func(a, b run) int { return int(a.cpu - b.cpu) })
	middle := runs[len(runs)/2]
	slices.SortFunc(runs, func(a, b run) int { return int(a.peak - b.peak) })
	middle.peak = runs[len(runs)/2].peak
	return middle
}

func measure(t *testing.T, env []string, program string, args ...string) run {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v\n%s", filepath.Base(program), args, err, stderr.Bytes())
	}
	state := cmd.ProcessState
	return run{cpu: state.UserTime() + state.SystemTime(), peak: peak(state)}
}
