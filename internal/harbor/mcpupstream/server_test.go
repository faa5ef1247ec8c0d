//lint:file-ignore SA1019 what 2026-07-28 deprecates is what the revisions before it have

package mcpupstream

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connect begins a session of the protocol's own SDK, which takes the newest revision that both speak.
func connect(t *testing.T, s *Server, options *mcp.ClientOptions) (*mcp.ClientSession, <-chan error) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := s.Serve(context.Background(), inR, outW)
		outW.Close()
		inR.Close()
		ended <- err
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session, ended
}

func accept(content map[string]any) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: content}, nil
	}
}

func TestBothEras(t *testing.T) {
	for era, version := range map[Era]string{OnlyLegacy: Legacy, OnlyModern: Modern, "": Modern} {
		t.Run(version+string(era), func(t *testing.T) {
			steps, changed := make(chan float64, 8), make(chan bool, 1)
			session, _ := connect(t, &Server{Era: era}, &mcp.ClientOptions{
				ElicitationHandler: accept(map[string]any{"urgency": "high", "name": "Ann", "notes": "none"}),
				CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
					return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "in short"}}, nil
				},
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { steps <- r.Params.Progress },
				ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed <- true },
			})
			if got := session.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("speaks %s, want %s", got, version)
			}
			if tools, err := session.ListTools(t.Context(), nil); err != nil || len(tools.Tools) != 11 {
				t.Errorf("%+v %v", tools, err)
			}
			for tool, want := range map[string]string{
				"echo": "{}", "page_oncall": `"urgency":"high"`, "hand_over": `"notes":"none"`, "summarize": "in short", "folders": "roots", "set_status": "changed",
			} {
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{}})
				if err != nil || !strings.Contains(result.Content[0].(*mcp.TextContent).Text, want) {
					t.Errorf("%s: %+v %v", tool, result, err)
				}
			}
			params := &mcp.CallToolParams{Name: "watch_deploy"}
			params.SetProgressToken("p")
			if _, err := session.CallTool(t.Context(), params); err != nil || <-steps != 1 {
				t.Errorf("progress: %v", err)
			}
			read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "harbor://runbook/checkout"})
			if err != nil || !strings.Contains(read.Contents[0].Text, "checkout") {
				t.Errorf("%+v %v", read, err)
			}
			if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "harbor://none"}); err == nil {
				t.Error("what is not there is read")
			}
			prompt, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "handover", Arguments: map[string]string{"team": "checkout"}})
			if err != nil || len(prompt.Messages) != 2 {
				t.Errorf("%+v %v", prompt, err)
			}
			if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "add_tool"}); err != nil || !<-changed {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestCrash(t *testing.T) {
	session, ended := connect(t, &Server{}, nil)
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "crash"}); err == nil {
		t.Error("a crash answers")
	}
	if err := <-ended; !errors.Is(err, errCrashed) {
		t.Errorf("ended with %v", err)
	}
}

func TestWhoCannotBeAsked(t *testing.T) {
	session, _ := connect(t, &Server{Era: OnlyLegacy}, &mcp.ClientOptions{})
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "page_oncall"}); err == nil || !strings.Contains(err.Error(), "cannot be asked") {
		t.Errorf("%v", err)
	}
}
