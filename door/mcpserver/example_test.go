package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/mcpserver"
)

// An existing HTTP server gets an MCP server as one more route.
func ExampleDoor_Handler() {
	clock := &twodoor.FuncSource{Name: "clock", Funcs: []twodoor.Func{
		twodoor.NewFunc(twodoor.Operation{ID: "clock.day.get", Title: "The day", Effect: twodoor.Reads},
			func(context.Context, struct{}) (string, error) {
				return time.Date(2026, 7, 28, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), nil
			}),
	}}
	reading, err := clock.Read(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		fmt.Println(err)
		return
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: clock}}
	engine.Serve(catalog)

	mux := http.NewServeMux() // your own
	mux.Handle("/mcp", (&mcpserver.Door{Engine: engine, Name: "clock"}).Handler())

	server := httptest.NewServer(mux)
	defer server.Close()
	fmt.Println(post(server.URL+"/mcp", "tools/call", `"name":"clock_day_get","arguments":{},`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"\"2026-07-28\""}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"clock","version":"0"}}}}
}

// post makes one request of MCP 2026-07-28.
func post(url, method, params string) string {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"example","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", method)
	r.Header.Set("Mcp-Name", "clock_day_get")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
