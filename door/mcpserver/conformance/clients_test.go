package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sight is what client.mjs prints.
type sight struct {
	Server   string    `json:"server"`
	Version  string    `json:"version"`
	Tools    []string  `json:"tools"`
	Text     string    `json:"text"`
	Echo     string    `json:"echo"`
	Kinds    []string  `json:"kinds"`
	IsError  bool      `json:"isError"`
	Progress []float64 `json:"progress"`
	Unknown  int       `json:"unknown"`
	Stopped  string    `json:"stopped"`
	Changed  bool      `json:"changed"`
}

// TestTypeScriptClients puts the clients that most hosts are built on through the same paces, over
// both transports: v1, and v2 in either era.
func TestTypeScriptClients(t *testing.T) {
	modules := nodeModules(t)
	for _, kind := range []string{"v1", "v2", "v2-modern"} {
		for _, wire := range []string{"http", "stdio"} {
			t.Run(kind+" "+wire, func(t *testing.T) {
				target := []string{serve(t)}
				if wire == "stdio" {
					target = []string{self(t), serveArgument}
				}
				out := node(t, modules, append([]string{"testdata/client.mjs", modules, kind, wire}, target...)...)
				var got sight
				if err := json.Unmarshal([]byte(lastLine(out)), &got); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				check(t, got, kind)
			})
		}
	}
}

func check(t *testing.T, got sight, kind string) {
	t.Helper()
	if len(got.Tools) < 20 || !slices.Contains(got.Tools, "test_simple_text") {
		t.Errorf("lists %q", got.Tools)
	}
	// These clients drop the progress that comes in one read with the answer.
	if steps := got.Progress; !slices.Equal(steps, []float64{0, 50, 100}) && !slices.Equal(steps, []float64{0, 50}) {
		t.Errorf("progress %v", steps)
	}
	version := map[string]string{"v1": "", "v2": "2025-11-25", "v2-modern": "2026-07-28"}[kind]
	want := sight{
		Server: "twodoor-conformance", Version: version, Tools: got.Tools,
		Text: "This is a simple text response for testing.", Echo: `{"value":"grüße 🚪"}`,
		Kinds: []string{"text", "image", "resource"}, IsError: true, Progress: got.Progress,
		Unknown: -32602, Stopped: "canceled", Changed: true,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestInspector runs the command line of the protocol's inspector, in both eras.
func TestInspector(t *testing.T) {
	modules := nodeModules(t)
	inspector := filepath.Join(modules, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	for _, era := range []string{"legacy", "modern"} {
		for _, wire := range []string{"http", "stdio"} {
			t.Run(era+" "+wire, func(t *testing.T) {
				args := []string{inspector, "--cli", "--protocol-era", era}
				if wire == "http" {
					args = append(args, "--transport", "http", "--server-url", serve(t))
				} else {
					args = append(args, self(t), serveArgument)
				}
				list := node(t, modules, append(args, "--method", "tools/list")...)
				if !strings.Contains(list, `"json_schema_2020_12_tool"`) {
					t.Errorf("tools/list: %s", list)
				}
				call := node(t, modules, append(args, "--method", "tools/call", "--tool-name", "echo", "--tool-arg", "value=ä")...)
				if !strings.Contains(call, `{\"value\":\"ä\"}`) {
					t.Errorf("tools/call: %s", call)
				}
			})
		}
	}
}

// self is this test binary, which serves on its standard streams when told to.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
