package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/mcpserver"
	"github.com/twodoor/twodoor/internal/harbor/mcpupstream"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// upstreamArgument makes the test binary Harbor's MCP server of an era.
const upstreamArgument = "harbor-mcp"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == upstreamArgument {
		server := &mcpupstream.Server{Era: mcpupstream.Era(os.Args[2]), Crash: func() { os.Exit(3) }}
		if err := server.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	m.Run()
}

// chain is a door over Harbor's MCP server in a process of its own.
type chain struct {
	*mcpserver.Door
	pool *mcpclient.Pool
}

// newChain starts one with an upstream of an era. More servers are named by their source.
func newChain(t testing.TB, era mcpupstream.Era, more ...string) *chain {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &chain{pool: &mcpclient.Pool{Environ: os.Environ()}}
	servers := map[string]mcpclient.Server{}
	for _, name := range append([]string{"harbor"}, more...) {
		servers[name] = mcpclient.Server{ID: name, Command: self, Args: []string{upstreamArgument, string(era)}}
	}
	c.pool.Serve(servers)
	invoker := &mcpclient.Invoker{Pool: c.pool}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{mcpclient.Kind: invoker}, Seal: []byte("seal")}
	c.Door = &mcpserver.Door{Engine: engine, Name: "gateway", Version: "1", Definition: mcpclient.Definition}
	read := func() {
		var readings []*twodoor.Reading
		for name := range servers {
			reading, err := (&mcpclient.Source{Name: name, Pool: c.pool}).Read(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			readings = append(readings, reading)
		}
		catalog, err := twodoor.NewCatalog(readings...)
		if err != nil {
			t.Error(err)
			return
		}
		engine.Serve(catalog)
	}
	c.pool.Changed = func(string) { read(); c.Changed(twodoor.ListOfOperations) }
	c.pool.Lists = func(_ string, lists twodoor.Lists) { c.Changed(lists) }
	read()
	t.Cleanup(func() {
		c.Close()
		c.pool.Close()
	})
	return c
}

// connect begins a session of the SDK's client, in the revision that it is told.
func (c *chain) connect(t testing.TB, version string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		defer outW.Close()
		if err := c.Serve(context.Background(), mcpserver.Stream{In: inR, Out: outW, Principal: twodoor.Operator}); err != nil {
			t.Errorf("Serve: %v", err)
		}
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options).Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("the session speaks %s, not %s", got, version)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func textOf(t testing.TB, result *mcp.CallToolResult) string {
	t.Helper()
	var texts []string
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	raw, _ := json.Marshal(result.StructuredContent)
	return strings.Join(texts, "\n") + string(raw)
}
