package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/smoke"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/harbor"
	"github.com/twodoor/twodoor/internal/harbor/fault"
	"github.com/twodoor/twodoor/internal/harbor/telemetry"
)

func (r *run) demoCommand() cli.Command {
	faults := []string{}
	for _, f := range fault.Kinds() {
		faults = append(faults, f.Name)
	}
	return cli.Command{
		Name: "demo", Args: "[fault] [NAME]", Short: "Serve Harbor, a small incident service inside this program",
		Long:    "Starts Harbor on a loopback port and serves it like any other API, with a configuration of its own in the state folder. While it runs, and where no " + config.FileName + " is found, every command uses it. `demo fault NAME` makes its next requests fail: " + strings.Join(faults, ", ") + ".",
		Example: "twodoor demo --once",
		Flags: []cli.Flag{
			{Name: "once", Kind: cli.FlagSwitch, Usage: "make one call at each door, show both, and exit"},
			{Name: "port", Kind: cli.FlagInt, Usage: "loopback port of Harbor; default: a free one"},
			{Name: "listen", Kind: cli.FlagList, Usage: "address to serve at; default " + defaultListen + ", or a free port where that is taken"},
			{Name: "count", Kind: cli.FlagInt, Default: "1", Usage: "demo fault: how many requests fail"},
		},
		Run: func(ctx context.Context, in *cli.Invocation) error {
			if len(in.Args) > 0 {
				return r.demoFault(ctx, in, faults)
			}
			return r.demo(ctx, in)
		},
		Complete: func(_ context.Context, args []string, _ string) []string {
			if len(args) == 0 {
				return []string{"fault"}
			}
			return faults
		},
	}
}

// demoFault asks the running demo for a fault, as its generated command does.
func (r *run) demoFault(ctx context.Context, in *cli.Invocation, faults []string) error {
	if in.Args[0] != "fault" || len(in.Args) < 2 || !slices.Contains(faults, in.Args[1]) {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "demo takes: fault NAME", Hint: "faults are " + strings.Join(faults, ", ")}
	}
	if file := r.demoFile(); !isFile(file) || !r.alive(file) {
		return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "the demo does not run", Hint: "start it in another terminal with: twodoor demo"}
	}
	r.early.Config, r.early.Words = r.demoFile(), nil
	if err := r.serve(ctx); err != nil {
		return err
	}
	return in.Operate(ctx, "harbor.fault.create", []string{"--name", in.Args[1], "--count", strconv.Itoa(in.Int("count"))})
}

// demo serves Harbor and everything in front of it.
func (r *run) demo(ctx context.Context, in *cli.Invocation) error {
	once := in.Switch("once")
	file, remove, err := r.demoFolder(once)
	if err != nil {
		return err
	}
	defer remove()
	service, err := startHarbor(file, in.Int("port"))
	if err != nil {
		return err
	}
	defer service.Close()
	r.early.Config, r.early.Words = file, nil
	addresses := in.List("listen")
	if once {
		r.folders.Cache, r.folders.Runtime, r.folders.State = "", filepath.Dir(file), filepath.Dir(file)
		addresses = []string{"127.0.0.1:0"}
	}
	if _, err := r.find(); err != nil {
		return err
	}
	u, err := r.newServer(ctx, addresses)
	if fault := twodoor.AsError(err); fault != nil && fault.Code == twodoor.CodeConflict && len(addresses) == 0 {
		u, err = r.newServer(ctx, []string{"127.0.0.1:0"})
	}
	if err != nil {
		return err
	}
	if once {
		return r.demoOnce(ctx, in, u)
	}
	if err := r.announce(in, u, "Harbor, an incident service, runs inside this program; its data is seeded and stays in memory.\n", "\n"+sameCall(u)); err != nil {
		return err
	}
	return u.serve(ctx)
}

// demoFolder is where the demo's configuration is kept: one place for the demo that stays, a
// temporary one for one that makes a call and ends.
func (r *run) demoFolder(once bool) (file string, remove func(), err error) {
	if once {
		dir, err := os.MkdirTemp("", "twodoor-demo-")
		return filepath.Join(dir, config.FileName), func() { _ = os.RemoveAll(dir) }, err
	}
	file = r.demoFile()
	if file == "" {
		return "", nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no state folder: neither HOME nor XDG_STATE_HOME is set"}
	}
	if isFile(file) && r.alive(file) {
		return "", nil, &twodoor.Error{Code: twodoor.CodeConflict, Message: "the demo runs already", Hint: "use it: twodoor harbor --help"}
	}
	return file, func() {}, os.MkdirAll(filepath.Dir(file), 0o700)
}

// startHarbor starts the service and writes the configuration in front of it.
func startHarbor(file string, port int) (*http.Server, error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		fault := twodoor.AsError(unbound(fmt.Sprintf("127.0.0.1:%d", port), err))
		fault.Hint = "choose another port of Harbor with --port"
		return nil, fault
	}
	const key = "demo-key-of-harbor"
	if err := writeDemo(file, "http://"+l.Addr().String(), key); err != nil {
		l.Close()
		return nil, err
	}
	server := &http.Server{Handler: harbor.New(harbor.Options{Token: key}).Handler(), Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true) // for gRPC
	go func() { _ = server.Serve(l) }()        // ends with Close
	return server, nil
}

// writeDemo writes what a project around Harbor consists of: its description in two languages, what
// agents should know beside it, guides, cards, and the configuration.
func writeDemo(file, base, key string) error {
	dir := filepath.Dir(file)
	text, err := demoConfig(filepath.Join(dir, "harbor.key"), base)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		path string
		text []byte
		mode os.FileMode
	}{
		{filepath.Join(dir, "harbor.yaml"), harbor.DocumentAt(base), 0o644},
		{filepath.Join(dir, "harbor.zh.yaml"), harbor.Titles(), 0o644},
		{filepath.Join(dir, "agent.overlay.yaml"), harbor.Overlay(), 0o644},
		{filepath.Join(dir, "telemetry.binpb"), telemetry.Descriptors(), 0o644},
		{filepath.Join(dir, "harbor.key"), []byte(key + "\n"), 0o600},
	} {
		if err := config.WriteFile(f.path, f.text, f.mode); err != nil {
			return err
		}
	}
	if err := writeTree(filepath.Join(dir, "guides"), harbor.Guides()); err != nil {
		return err
	}
	if err := writeTree(filepath.Join(dir, "skills"), harbor.Skills()); err != nil {
		return err
	}
	return config.WriteFile(file, text, 0o644)
}

// writeTree writes a tree of files into a folder.
func writeTree(dir string, tree fs.FS) error {
	return fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		to := filepath.Join(dir, filepath.FromSlash(path))
		if err != nil {
			return fmt.Errorf("list the files of the demo: %w", err)
		}
		if entry.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(tree, path)
		if err != nil {
			return fmt.Errorf("read %s of the demo: %w", path, err)
		}
		return config.WriteFile(to, text, 0o644)
	})
}

// demoConfig is the configuration that a person would write for Harbor.
func demoConfig(keyFile, base string) (text []byte, err error) {
	text, err = config.Put([]byte("# The configuration of twodoor demo: written anew at each start.\n"), "sources", "harbor", []config.Setting{
		{Key: "openapi", Text: "./harbor.yaml"}, {Key: "overlays", Text: "./agent.overlay.yaml"}, {Key: "guides", Text: "./guides"}, {Key: "translations", Below: []config.Setting{{Key: "zh", Text: "./harbor.zh.yaml"}}}, {Key: "connection", Text: "harbor-key"},
	})
	if err == nil {
		text, err = config.Put(text, "sources", "telemetry", []config.Setting{
			{Key: "protobuf", Below: []config.Setting{{Key: "descriptors", Text: "./telemetry.binpb"}}}, {Key: "target", Text: base}, {Key: "wire", Text: "connect"}, {Key: "connection", Text: "harbor-key"},
		})
	}
	if err != nil {
		return nil, err
	}
	return config.Put(text, "connections", "harbor-key", []config.Setting{
		{Key: "type", Text: "bearer"}, {Key: "token", Text: "${file:" + keyFile + "}"},
	})
}

// The call that the demo shows at both doors.

var demoArgv = []string{"harbor", "incident", "list", "--status", "open", "--fields", "id,title,severity", "--limit", "2"}

const demoMessage = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"harbor_incident_list",` +
	`"arguments":{"status":["open"],"_want":{"fields":["id","title","severity"],"limit":2}},` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// sameCall shows the same call at both doors, ready to be copied.
func sameCall(u *server) string {
	return fmt.Sprintf("the same call at both doors:\n  twodoor %s\n  curl -s %s -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: harbor_incident_list' -d '%s'\n",
		strings.Join(demoArgv, " "), u.url(), u.token.Reveal(), demoMessage)
}

// demoOnce makes the call at each door and shows both answers.
func (r *run) demoOnce(ctx context.Context, in *cli.Invocation, u *server) error {
	u.quiet = true
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- u.serve(ctx) }()
	defer func() { cancel(); <-ended }()
	fmt.Fprintf(in.Stdout, "Harbor is served at %s, with %d operations.\n\n$ twodoor %s\n", u.url(), countOf(r.engine.Catalog()), strings.Join(demoArgv, " "))
	var out bytes.Buffer
	door := r.door()
	door.Stdout = io.MultiWriter(in.Stdout, &out)
	if status := door.Run(ctx, append(demoArgv, "-o", "json")); status != 0 {
		return cli.Exit(status)
	}
	answer, err := askMCP(ctx, u)
	if err != nil {
		return err
	}
	fmt.Fprintf(in.Stdout, "\n\n$ curl %s -d '%s'\n%s\n", u.url(), demoMessage, answer)
	return nil
}

// askMCP makes the demo's call over HTTP and returns the text of the tool's answer.
func askMCP(ctx context.Context, u *server) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.url(), strings.NewReader(demoMessage))
	if err != nil {
		return "", err
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + u.token.Reveal(), "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "harbor_incident_list",
	} {
		req.Header.Set(name, value)
	}
	answer, err := smoke.Client().Do(req)
	if err != nil {
		return "", fmt.Errorf("call the MCP door: %w", err)
	}
	defer answer.Body.Close()
	var reply struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
		Error *struct{ Message string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&reply); err != nil {
		return "", fmt.Errorf("read the answer of the MCP door: %w", err)
	}
	if reply.Error != nil || reply.Result.IsError || len(reply.Result.Content) == 0 {
		return "", fmt.Errorf("the MCP door refuses the call of the demo: %+v", reply)
	}
	return reply.Result.Content[0].Text, nil
}
