package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// protocol judges messages by the published schema of one revision. Without the corpus it takes
// everything.
type protocol struct {
	revision string
	schema   *jsonschema.Compiler
	defs     string // where the schema keeps its definitions
}

func newProtocol(t *testing.T, revision string) *protocol {
	t.Helper()
	p := &protocol{revision: revision}
	folder := os.Getenv("TWODOOR_CORPUS")
	if folder == "" && os.Getenv("TWODOOR_REQUIRE") == "1" {
		t.Fatal("TWODOOR_CORPUS is unset: nothing says what a message of " + revision + " must look like")
	}
	if folder == "" {
		t.Log("TWODOOR_CORPUS is unset: messages are not held against the schema of " + revision)
		return p
	}
	raw, err := os.ReadFile(filepath.Join(folder, "mcp", "schema-"+revision+".json"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	p.defs = "$defs"
	if _, old := document.(map[string]any)["definitions"]; old {
		p.defs = "definitions"
	}
	p.schema = jsonschema.NewCompiler()
	if err := p.schema.AddResource("mcp.json", document); err != nil {
		t.Fatal(err)
	}
	return p
}

// check holds a message of the server against the schema: as a message, and as the result or the
// notification that it is. method is that of the request which it answers.
func (p *protocol) check(t *testing.T, method, message string) {
	t.Helper()
	if p.schema == nil {
		return
	}
	var m struct {
		Method string
		ID     json.RawMessage
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal([]byte(message), &m); err != nil {
		t.Fatal(err)
	}
	switch {
	case m.Method != "" && m.ID != nil:
		p.fits(t, "ServerRequest", message)
	case m.Method != "":
		p.fits(t, "ServerNotification", message)
	case m.Error != nil && m.ID == nil && p.revision < "2025-11-25": // an error without a request has no form there
	case m.Error != nil:
		p.fits(t, "JSONRPCMessage", message)
	default:
		p.fits(t, "JSONRPCMessage", message)
		if p.revision == Version && strings.Contains(string(m.Result), `"resultType":"input_required"`) {
			method = "input"
		}
		p.fits(t, resultOf(method), string(m.Result))
	}
}

func resultOf(method string) string {
	switch method {
	case "tools/list":
		return "ListToolsResult"
	case "tools/call":
		return "CallToolResult"
	case "server/discover":
		return "DiscoverResult"
	case "subscriptions/listen":
		return "SubscriptionsListenResult"
	case "initialize":
		return "InitializeResult"
	case "resources/list":
		return "ListResourcesResult"
	case "resources/templates/list":
		return "ListResourceTemplatesResult"
	case "prompts/list":
		return "ListPromptsResult"
	case "prompts/get":
		return "GetPromptResult"
	case "resources/read":
		return "ReadResourceResult"
	case "completion/complete":
		return "CompleteResult"
	case "input":
		return "InputRequiredResult"
	}
	return "Result"
}

func (p *protocol) fits(t *testing.T, name, text string) {
	t.Helper()
	schema, err := p.schema.Compile(fmt.Sprintf("mcp.json#/%s/%s", p.defs, name))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("not a %s of %s: %v\n%s", name, p.revision, err, text)
	}
}
