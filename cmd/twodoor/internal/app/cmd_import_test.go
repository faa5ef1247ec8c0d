package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"
)

const githubToken = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"

// importing runs import on a machine of its own. What is answered is typed at a terminal.
func importing(t *testing.T, answered string, args ...string) (servers, said string, status int) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "mcp.json")
	entry := `{"mcpServers":{"github":{"command":"gh-mcp","env":{"GITHUB_TOKEN":"` + githubToken + `","MODE":"fast"}},"web":{"url":"https://web.example/mcp","headers":{"Authorization":"Bearer ` + githubToken + `"}}}}`
	if err := os.WriteFile(file, []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a := App{
		Dir: dir, Executable: "/opt/twodoor", Stdin: strings.NewReader(answered), Stdout: &out, Stderr: &out,
		StdinTTY: answered != "", StderrTTY: answered != "",
		LookupEnv: func(name string) (string, bool) {
			value, set := map[string]string{"HOME": dir}[name]
			return value, set
		},
	}
	status = a.Run(context.Background(), append([]string{"import", file}, args...))
	text, err := os.ReadFile(filepath.Join(dir, serversFile))
	if err != nil && status == 0 {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), githubToken) {
		t.Errorf("the secret is shown:\n%s", &out)
	}
	return string(text), out.String(), status
}

// TestImportKeepsSecrets moves secrets to the keyring where the line says so, or the person at the
// terminal, and never unasked.
func TestImportKeepsSecrets(t *testing.T) {
	keyring.MockInit()
	servers, said, status := importing(t, "", "--keyring")
	if status != 0 || strings.Contains(servers, githubToken) || !strings.Contains(servers, "${keyring:github.GITHUB_TOKEN}") || !strings.Contains(servers, "Bearer ${keyring:web.Authorization}") {
		t.Errorf("status %d\n%s\n%s", status, said, servers)
	}
	for _, name := range []string{"github.GITHUB_TOKEN", "web.Authorization"} {
		if kept, err := keyring.Get("twodoor", name); err != nil || kept != githubToken {
			t.Errorf("the keyring has %q under %s: %v", kept, name, err)
		}
	}

	keyring.MockInit()
	servers, said, status = importing(t, "y\n", "--server", "github")
	if status != 0 || strings.Contains(servers, githubToken) || !strings.Contains(said, "github has secrets in env GITHUB_TOKEN: move them to the keyring? [y/N]") {
		t.Errorf("asked: status %d\n%s\n%s", status, said, servers)
	}

	keyring.MockInit()
	for _, answered := range []string{"", "n\n"} {
		servers, said, status = importing(t, answered, "--server", "github")
		if _, err := keyring.Get("twodoor", "github.GITHUB_TOKEN"); err == nil || status != 0 || !strings.Contains(servers, githubToken) || !strings.Contains(said, "a secret is written out in env GITHUB_TOKEN") {
			t.Errorf("answered %q: status %d, keyring %v\n%s", answered, status, err, said)
		}
	}

	keyring.MockInitWithError(os.ErrPermission)
	servers, said, status = importing(t, "", "--keyring")
	if status == 0 || servers != "" || !strings.Contains(said, "nothing was imported") {
		t.Errorf("a keyring that takes nothing: status %d\n%s\n%s", status, said, servers)
	}
}
