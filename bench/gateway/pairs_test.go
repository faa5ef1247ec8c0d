//lint:file-ignore SA1019 what 2026-07-28 deprecates is what the revisions before it have

package gateway

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/twodoor/twodoor/internal/harbor/mcpupstream"
)

// pairs runs a test in all four pairs of eras: the client's revision, the upstream's era.
func pairs(t *testing.T, run func(t *testing.T, version string, era mcpupstream.Era)) {
	for _, version := range []string{mcpupstream.Modern, mcpupstream.Legacy} {
		for _, era := range []mcpupstream.Era{mcpupstream.OnlyModern, mcpupstream.OnlyLegacy} {
			t.Run(version+" to "+string(era), func(t *testing.T) { run(t, version, era) })
		}
	}
}

// answers are a client's who can be asked everything.
func answers() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			content := map[string]any{"urgency": "high"}
			switch r.Params.Message {
			case "Who takes over?":
				content = map[string]any{"name": "Ann"}
			case "What should they know?":
				content = map[string]any{"notes": "the queue is long"}
			}
			return &mcp.ElicitResult{Action: "accept", Content: content}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "in short"}}, nil
		},
	}
}

// What an upstream asks in the middle of a call reaches the client and its answer the upstream: one
// question, two one after the other, the client's model, its folders.
func TestQuestions(t *testing.T) {
	pairs(t, func(t *testing.T, version string, era mcpupstream.Era) {
		session := newChain(t, era).connect(t, version, answers())
		for tool, wants := range map[string][]string{
			"harbor_page_oncall": {"paged", `"urgency":"high"`},
			"harbor_hand_over":   {`"name":"Ann"`, `"notes":"the queue is long"`},
			"harbor_summarize":   {"summary", "in short"},
			"harbor_folders":     {"folders", "roots"},
		} {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"incident": "INC-1"}})
			if err != nil {
				t.Errorf("%s: %v", tool, err)
				continue
			}
			for _, want := range wants {
				if got := textOf(t, result); !strings.Contains(got, want) {
					t.Errorf("%s answers %s, which lacks %s", tool, got, want)
				}
			}
		}
	})
}

// Who cannot be asked is told so; nothing hangs, and nothing is empty.
func TestWhoCannotBeAsked(t *testing.T) {
	pairs(t, func(t *testing.T, version string, era mcpupstream.Era) {
		session := newChain(t, era).connect(t, version, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "harbor_page_oncall", Arguments: map[string]any{"incident": "INC-1"}})
		switch {
		case err == nil && (!result.IsError || !strings.Contains(textOf(t, result), "ask")):
			t.Errorf("answers %s", textOf(t, result))
		case err != nil && !strings.Contains(err.Error(), "ask"):
			t.Errorf("fails with %v", err)
		}
	})
}

// Resources, templates, prompts and completion pass in every pair; views are served under the source's
// name, and what points at them points there.
func TestThings(t *testing.T) {
	pairs(t, func(t *testing.T, version string, era mcpupstream.Era) {
		session := newChain(t, era).connect(t, version, answers())
		resources, err := session.ListResources(t.Context(), nil)
		if err != nil || len(resources.Resources) != 2 || resources.Resources[0].URI != "harbor://status" || resources.Resources[1].URI != "ui://harbor/harbor/board" {
			t.Fatalf("%+v %v", resources, err)
		}
		for _, uri := range []string{"harbor://status", "ui://harbor/harbor/board", "harbor://runbook/checkout"} {
			read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil || len(read.Contents) != 1 || read.Contents[0].URI != uri || read.Contents[0].Text == "" {
				t.Errorf("%s: %+v %v", uri, read, err)
			}
		}
		if read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "harbor://none"}); err == nil {
			t.Errorf("what is not there: %+v", read)
		}
		templates, err := session.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(templates.ResourceTemplates) != 1 {
			t.Errorf("%+v %v", templates, err)
		}
		prompts, err := session.ListPrompts(t.Context(), nil)
		if err != nil || len(prompts.Prompts) != 1 || prompts.Prompts[0].Name != "harbor_handover" || !prompts.Prompts[0].Arguments[0].Required {
			t.Fatalf("%+v %v", prompts, err)
		}
		prompt, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "harbor_handover", Arguments: map[string]string{"team": "checkout"}})
		if err != nil || len(prompt.Messages) != 2 || prompt.Description != "Hand over" {
			t.Errorf("%+v %v", prompt, err)
		}
		completed, err := session.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "harbor_handover"}, Argument: mcp.CompleteParamsArgument{Name: "team", Value: "p"}})
		if err != nil || strings.Join(completed.Completion.Values, " ") != "payments platform" {
			t.Errorf("%+v %v", completed, err)
		}
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools.Tools {
			if tool.Name == "harbor_board" && tool.Meta["ui/resourceUri"] != "ui://harbor/harbor/board" {
				t.Errorf("the view of %s is %v", tool.Name, tool.Meta)
			}
		}
		board, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "harbor_board"})
		if err != nil || board.Content[1].(*mcp.ResourceLink).URI != "ui://harbor/harbor/board" {
			t.Errorf("%+v %v", board, err)
		}
	})
}

// Changes pass: of the list of tools, and of a resource that is watched. So do progress and logs.
func TestWhatAnUpstreamTells(t *testing.T) {
	pairs(t, func(t *testing.T, version string, era mcpupstream.Era) {
		steps, logs, tools, updated := make(chan float64, 16), make(chan any, 16), make(chan bool, 16), make(chan string, 16)
		options := answers()
		options.ProgressNotificationHandler = func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { steps <- r.Params.Progress }
		options.LoggingMessageHandler = func(_ context.Context, r *mcp.LoggingMessageRequest) { logs <- r.Params.Data }
		options.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { tools <- true }
		options.ResourceUpdatedHandler = func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI }
		session := newChain(t, era).connect(t, version, options)
		if version == mcpupstream.Legacy {
			if err := session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
				t.Fatal(err)
			}
		}
		params := &mcp.CallToolParams{Name: "harbor_watch_deploy"}
		params.SetProgressToken("p")
		if _, err := session.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		if got := <-steps; got != 1 {
			t.Errorf("the first step is %v", got)
		}
		if version == mcpupstream.Legacy {
			data := <-logs
			for text, ok := data.(string); ok; text, ok = data.(string) { // the words of progress are told as well
				t.Log(text)
				data = <-logs
			}
			if data, ok := data.(map[string]any); !ok || data["step"] == nil {
				t.Errorf("the log message is %v", data)
			}
		}
		if err := session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "harbor://status"}); err != nil {
			t.Fatal(err)
		}
		call := func(tool string) func() {
			return func() {
				if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"status": "on fire"}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := until(t, updated, call("harbor_set_status")); got != "harbor://status" {
			t.Errorf("updated: %s", got)
		}
		until(t, tools, call("harbor_add_tool"))
		list, err := session.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 12 {
			t.Errorf("%d tools after one was added: %v", len(list.Tools), err)
		}
	})
}

// A crash in the middle of a call fails that call, and the next one finds the server started again.
func TestCrash(t *testing.T) {
	pairs(t, func(t *testing.T, version string, era mcpupstream.Era) {
		session := newChain(t, era).connect(t, version, answers())
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "harbor_crash"})
		if err != nil || !result.IsError || !strings.Contains(textOf(t, result), "ended in the middle of the call") {
			t.Errorf("%+v %v", result, err)
		}
		result, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "harbor_echo", Arguments: map[string]any{"value": 1}})
		if err != nil || result.IsError || !strings.Contains(textOf(t, result), `{"value":1}`) {
			t.Errorf("after the crash: %+v %v", result, err)
		}
	})
}

// until does something again and again until it is told of: a client that has asked to be told does not
// know from when on it is.
func until[T any](t *testing.T, told <-chan T, do func()) T {
	t.Helper()
	for range 100 {
		do()
		select {
		case what := <-told:
			return what
		case <-time.After(200 * time.Millisecond):
		}
	}
	t.Fatal("nothing was told")
	panic("unreachable")
}
