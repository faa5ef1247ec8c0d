package conformance

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/door/mcpserver/conformance/fixture"
)

// serveArgument makes the test binary an MCP server on its standard streams, for clients that start one.
const serveArgument = "serve-stdio"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == serveArgument {
		door, err := fixture.New()
		if err == nil {
			err = door.ServeStdio(context.Background(), os.Stdin, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	m.Run()
}

// serve starts the server over HTTP. The suite wants its address to say localhost.
func serve(t *testing.T) (url string) {
	t.Helper()
	door, err := fixture.New()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(door.Handler())
	t.Cleanup(func() {
		door.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return strings.Replace(server.URL, "127.0.0.1", "localhost", 1) + "/mcp"
}
