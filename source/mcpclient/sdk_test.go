package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/mcpclient"
	"github.com/twodoor/twodoor/twodoortest"
)

// sdkServer is a server of the official SDK. Tools keep their own spelling.
func sdkServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	object := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	server.AddTool(&mcp.Tool{Name: "getNote", Description: "Gets a note", InputSchema: object}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(req.Params.Arguments)}}}, nil
	})
	server.AddTool(&mcp.Tool{Name: "slow_note", Description: "Tells its progress", InputSchema: object}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half"})
		return &mcp.CallToolResult{Content: []mcp.Content{}}, err
	})
	server.AddTool(&mcp.Tool{Name: "note.region", Description: "Wants a header", InputSchema: json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "seen"}}}, nil
		})
	server.AddTool(&mcp.Tool{Name: "note.fail", Description: "Fails", InputSchema: object}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "locked"}}}, nil
	})
	return server
}

// The official SDK as a peer: over stdio and HTTP, with and without sessions, and over HTTP+SSE.
func TestSDK(t *testing.T) {
	handlers := map[string]http.Handler{
		"stateless": mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdkServer() }, &mcp.StreamableHTTPOptions{Stateless: true}),
		"JSON":      mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdkServer() }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}),
		"sessions":  mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdkServer() }, nil),
		"SSE":       mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return sdkServer() }, nil),
	}
	eras := map[string]string{"stateless": "2026-07-28", "JSON": "2026-07-28", "sessions": "2025-11-25", "SSE": "2025-11-25", "stdio": "2026-07-28"}
	servers := map[string]mcpclient.Server{"stdio": local("sdk")}
	for name, handler := range handlers {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		t.Cleanup(server.CloseClientConnections)
		servers[name] = mcpclient.Server{URL: server.URL}
	}
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			pool := serve(t, server)
			catalog, err := twodoor.NewCatalog(twodoortest.Sources(t, &mcpclient.Source{Name: "fake", Pool: pool}))
			if err != nil {
				t.Fatal(err)
			}
			if s := status(t, pool); s.Era != eras[name] || s.Starts != 1 {
				t.Errorf("status %+v", s)
			}
			engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{mcpclient.Kind: &mcpclient.Invoker{Pool: pool}}}
			engine.Serve(catalog)
			talk(t, engine, name != "JSON")
		})
	}
}

// talk makes the calls that every peer must answer alike.
func talk(t *testing.T, engine *twodoor.Engine, progress bool) {
	do := func(tool, args string, tell func(twodoor.Progress)) (string, error) {
		result, err := engine.Do(t.Context(), twodoor.Call{Operation: tool, Arguments: []byte(args), Progress: tell})
		if err != nil {
			return "", err
		}
		return string(result.Value), nil
	}
	if got, err := do("fake.getNote", `{"n":1152921504606846977}`, nil); got != `{"n":1152921504606846977}` {
		t.Errorf("got %s, %v", got, err)
	}
	if progress { // a server that answers in JSON has nowhere to tell it
		var told []twodoor.Progress
		if _, err := do("fake.slow_note", `{}`, func(p twodoor.Progress) { told = append(told, p) }); err != nil || len(told) != 1 {
			t.Errorf("progress %+v, %v", told, err)
		}
	}
	if got, err := do("fake.note.region", `{"region":"zürich"}`, nil); got != `"seen"` {
		t.Errorf("got %s, %v", got, err)
	}
	_, err := do("fake.note.fail", `{}`, nil)
	wantCode(t, err, twodoor.CodeUpstream, "locked")
}

func playSDK() int {
	if err := sdkServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		return 1
	}
	return 0
}

// A server behind an address tells of changes on a stream: the one of a session, or a listen request.
func TestChangesOnStreams(t *testing.T) {
	for name, options := range map[string]*mcp.StreamableHTTPOptions{"session": nil, "listen": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			shared := sdkServer()
			server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return shared }, options))
			t.Cleanup(server.Close)
			told := make(chan string, 10)
			pool := &mcpclient.Pool{Doer: &plain{}, Changed: func(source string) { told <- source }}
			pool.Serve(map[string]mcpclient.Server{"fake": {URL: server.URL}})
			defer pool.Close()
			before := len(read(t, pool).Operations)
			deadline := time.After(20 * time.Second)
			for added := 0; ; added++ { // until the stream is open, nobody hears it
				shared.AddTool(&mcp.Tool{Name: fmt.Sprintf("note.new%d", added), Description: "New", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
				select {
				case <-told:
					if after := len(read(t, pool).Operations); after <= before {
						t.Errorf("%d operations before, %d after", before, after)
					}
					return
				case <-time.After(300 * time.Millisecond):
				case <-deadline:
					t.Fatal("nobody was told")
				}
			}
		})
	}
}
