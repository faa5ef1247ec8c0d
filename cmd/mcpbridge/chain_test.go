package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/twodoor/twodoor/twodoortest"
)

// bigText is 8 MB that no shortening would leave alone.
var bigText = sync.OnceValue(func() string {
	var b strings.Builder
	for i := 0; b.Len() < 8<<20; i++ {
		fmt.Fprintf(&b, "line %d <&> \"é\"\n", i)
	}
	return b.String()
})

// chainServer is the upstream at the far end of the chain.
type chainServer struct {
	begun, stopped chan struct{} // of a call of stall
}

func (s *chainServer) server() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	add := func(name string, handler mcp.ToolHandler) {
		server.AddTool(&mcp.Tool{Name: name, Description: "Does <" + name + "> & more", InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}, handler)
	}
	add("picture", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: "a pixel <&>"}, &mcp.ImageContent{Data: twodoortest.PNG, MIMEType: "image/png"}},
			StructuredContent: json.RawMessage(`{"z":1,"given":` + string(r.Params.Arguments) + `,"list":[]}`), Meta: mcp.Meta{"own/key": "kept"},
		}, nil
	})
	add("big", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: bigText()}}}, nil
	})
	add("fail", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "the note is locked"}}}, nil
	})
	add("steps", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3, Message: "step"}); err != nil {
				return nil, err
			}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
	})
	add("stall", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.begun <- struct{}{}
		<-ctx.Done()
		s.stopped <- struct{}{}
		return nil, ctx.Err()
	})
	return server
}

// serving is a twodoor that serves a configuration.
type serving struct {
	dir, url, token string
	env             []string
	command         *exec.Cmd
}

// upWith starts a server of a configuration.
func upWith(t *testing.T, twodoor, configuration, listen string, beside ...file) *serving {
	t.Helper()
	dir := t.TempDir()
	for _, f := range append(beside, file{"twodoor.yaml", configuration}) {
		f.write(t, dir)
	}
	run, err := os.MkdirTemp("", "td") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	s := &serving{dir: dir, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + run}}
	s.start(t, twodoor, listen)
	return s
}

func (s *serving) start(t *testing.T, twodoor, listen string) {
	t.Helper()
	command := exec.Command(twodoor, "up", "--config", "twodoor.yaml", "--listen", listen)
	command.Dir, command.Env = s.dir, s.env
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	s.command = command
	t.Cleanup(s.stop)
	said := regexp.MustCompile(`(?s)MCP    (\S+)/mcp\n       Authorization: Bearer (\S+)\n.*\nnext`)
	var text []byte
	for buffer := make([]byte, 4096); ; {
		n, err := out.Read(buffer)
		text = append(text, buffer[:n]...)
		if m := said.FindSubmatch(text); m != nil {
			s.url, s.token = string(m[1]), string(m[2])
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return
		}
		if err != nil {
			t.Fatalf("twodoor up does not start:\n%s", text)
		}
	}
}

func (s *serving) stop() {
	if s.command == nil {
		return
	}
	_ = s.command.Process.Signal(os.Interrupt)
	_ = s.command.Wait()
	s.command = nil
}

// bearer puts the token on requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestChain holds that images, 8 MB results, faults, progress and cancellation survive the whole way
// from a client over each front to the upstream and back, and that definitions and results are those of
// the upstream.
func TestChain(t *testing.T) {
	twodoor, bridge := programs(t)
	far := &chainServer{begun: make(chan struct{}, 1), stopped: make(chan struct{}, 1)}
	upstream := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return far.server() }, nil))
	t.Cleanup(upstream.Close)
	t.Cleanup(upstream.CloseClientConnections)
	s := upWith(t, twodoor, "sources:\n  far: {mcp: {url: \""+upstream.URL+"\"}}\n", "127.0.0.1:0")

	direct := connect(t, &mcp.StreamableClientTransport{Endpoint: upstream.URL}, nil)
	for name, transport := range map[string]func() mcp.Transport{
		"mcpbridge": func() mcp.Transport { return s.program(bridge, "MCP_API_URL="+s.url+"/api", "MCP_API_TOKEN="+s.token) },
		"stdio":     func() mcp.Transport { return s.program(twodoor, "TWODOOR_CONFIG=twodoor.yaml") },
		"http": func() mcp.Transport {
			return &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(s.token)}}
		},
	} {
		t.Run(name, func(t *testing.T) { checkChain(t, far, direct, transport()) })
	}
}

// program is a front that a client starts itself.
func (s *serving) program(path string, env ...string) mcp.Transport {
	command := exec.Command(path)
	if strings.HasSuffix(path, "twodoor") {
		command.Args = append(command.Args, "mcp")
	}
	command.Dir, command.Env = s.dir, append(append([]string{}, s.env...), env...)
	return &mcp.CommandTransport{Command: command}
}

func connect(t *testing.T, transport mcp.Transport, progress func(*mcp.ProgressNotificationParams)) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			if progress != nil {
				progress(r.Params)
			}
		},
	})
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func checkChain(t *testing.T, far *chainServer, direct *mcp.ClientSession, transport mcp.Transport) {
	steps := make(chan float64, 100)
	session := connect(t, transport, func(p *mcp.ProgressNotificationParams) { steps <- p.Progress })

	theirs, err := direct.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]*mcp.Tool{}
	for _, tool := range ours.Tools {
		listed[tool.Name] = tool
	}
	for _, tool := range theirs.Tools {
		mine := listed["far_"+tool.Name]
		if mine == nil {
			t.Fatalf("far_%s is not listed", tool.Name)
		}
		mine.Name = tool.Name
		if a, b := asJSON(t, mine), asJSON(t, tool); a != b {
			t.Errorf("the definition is %s, there %s", a, b)
		}
	}
	for _, tool := range []string{"picture", "fail", "big"} {
		there, here := callTool(t, direct, tool), callTool(t, session, "far_"+tool)
		for part, both := range map[string][2]string{
			"content": {asJSON(t, here.Content), asJSON(t, there.Content)}, "structured content": {asJSON(t, here.StructuredContent), asJSON(t, there.StructuredContent)},
			"isError": {fmt.Sprint(here.IsError), fmt.Sprint(there.IsError)}, "own meta": {fmt.Sprint(here.Meta["own/key"]), fmt.Sprint(there.Meta["own/key"])},
		} {
			if both[0] != both[1] {
				t.Errorf("%s: the %s is %.300s, there %.300s", tool, part, both[0], both[1])
			}
		}
	}
	params := &mcp.CallToolParams{Name: "far_steps"}
	params.SetProgressToken("p")
	if _, err := session.CallTool(t.Context(), params); err != nil {
		t.Error(err)
	}
	select {
	case <-steps:
	case <-time.After(10 * time.Second):
		t.Error("no progress arrives")
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "far_stall"})
		done <- err
	}()
	<-far.begun
	cancel()
	select {
	case <-far.stopped:
	case <-time.After(10 * time.Second):
		t.Error("the upstream is not told that its caller has left")
	}
	<-done
}

func callTool(t *testing.T, session *mcp.ClientSession, name string) *mcp.CallToolResult {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(`{"n":1152921504606846977}`)})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return result
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
