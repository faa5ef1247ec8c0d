package conformance

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/mcpserver"
)

// serveArgument makes the test binary an MCP server on its standard streams, for clients that start one.
const serveArgument = "serve-stdio"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == serveArgument {
		door, err := newServer()
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
	door, err := newServer()
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

// newServer is a door over the suite's tools.
func newServer() (*mcpserver.Door, error) {
	door := &mcpserver.Door{Name: "twodoor-conformance", Version: "1.0.0", Needs: needs}
	source := &twodoor.FuncSource{Name: "test", Funcs: append(tools(door.Changed), askers()...), ResourceFuncs: resources(), PromptFuncs: prompts()}
	reading, err := source.Read(context.Background())
	if err != nil {
		return nil, err
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		return nil, err
	}
	door.Engine = &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}}
	door.Engine.Serve(catalog)
	return door, nil
}

func needs(op *twodoor.Operation) []byte {
	if op.Tool == "test_missing_capability" {
		return []byte(`{"sampling":{}}`)
	}
	return nil
}

type run = func(context.Context, *twodoor.Invocation) (*twodoor.Value, error)

// tools are the fixtures of the suite's scenarios on tools; the texts are the suite's.
func tools(changed func(...twodoor.Lists)) []twodoor.Func {
	return []twodoor.Func{
		tool("test_simple_text", "Returns a text", "", says("This is a simple text response for testing.")),
		tool("test_image_content", "Returns an image", "", blobs(image())),
		tool("test_audio_content", "Returns a sound", "", blobs(sound())),
		tool("test_embedded_resource", "Returns a resource", "", blobs(resource("test://embedded-resource", "text/plain", "This is an embedded resource content."))),
		tool("test_multiple_content_types", "Returns a text, an image and a resource", "", mixed),
		tool("test_error_handling", "Always fails", "", fails),
		tool("test_tool_with_progress", "Tells progress", "", steps("", 0, 50, 100)),
		tool("test_tool_with_logging", "Tells log messages", "", steps("Tool execution", 1, 2, 3)),
		tool("test_logging_tool", "Tells log messages", "", steps("Tool execution", 1)),
		tool("test_missing_capability", "Needs a client that samples", "", says("sampled")),
		tool("test_trigger_tool_change", "Says that the list of tools has changed", "", func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			changed(twodoor.ListOfOperations)
			return &twodoor.Value{}, nil
		}),
		tool("test_trigger_prompt_change", "Says that the list of prompts has changed", "", func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			changed(twodoor.ListOfPrompts)
			return &twodoor.Value{}, nil
		}),
		tool("test_reconnection", "Takes a while", "", steps("", 0, 100)),
		tool("test_x_mcp_header", "Takes an argument that is repeated in a header",
			`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"query":{"type":"string"}}}`, says("served")),
		tool("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", schema202012, says("valid")),
		tool("echo", "Returns its arguments", `{"type":"object","properties":{"value":{}}}`, func(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{JSON: in.Arguments}, nil
		}),
	}
}

const schema202012 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`

func tool(name, description, input string, run run) twodoor.Func {
	return twodoor.Func{Run: run, Operation: twodoor.Operation{
		ID: "test." + strings.ReplaceAll(name, "_", "-"), Tool: name, Description: description,
		Input: json.RawMessage(input), Effect: twodoor.Reads, Verbatim: input != "",
	}}
}

func says(text string) run {
	return func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) { return textOf(text), nil }
}

func textOf(text string) *twodoor.Value {
	raw, _ := json.Marshal(text)
	return &twodoor.Value{JSON: raw, MediaType: "text/plain"}
}

func blobs(all ...twodoor.Blob) run {
	return func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
		return &twodoor.Value{Blobs: all}, nil
	}
}

func mixed(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
	value := textOf("Multiple content types test:")
	value.Blobs = []twodoor.Blob{image(), resource("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)}
	return value, nil
}

func fails(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
	return nil, &twodoor.Error{Code: twodoor.CodeUpstream, Message: "This tool intentionally returns an error for testing"}
}

// steps tells of each step of a hundred, 50 ms apart as the suite asks, with a message where there is one.
func steps(message string, done ...float64) run {
	return func(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
		for i, at := range done {
			if i > 0 {
				select {
				case <-time.After(50 * time.Millisecond):
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			if in.Progress != nil {
				in.Progress(twodoor.Progress{Done: at, Total: 100, Message: message})
			}
		}
		return textOf("done"), nil
	}
}

func resource(uri, mediaType, text string) twodoor.Blob {
	return twodoor.Blob{URI: uri, MediaType: mediaType, Data: []byte(text)}
}

// image is a red pixel.
func image() twodoor.Blob {
	data, _ := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	return twodoor.Blob{MediaType: "image/png", Data: data}
}

// sound is a wave file without samples.
func sound() twodoor.Blob {
	data, _ := base64.StdEncoding.DecodeString("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
	return twodoor.Blob{MediaType: "audio/wav", Data: data}
}
