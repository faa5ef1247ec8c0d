package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/mcpserver"
)

// The cost of one tools/call over MCP, as CPU of the server alone: each server is a process of its
// own (this test binary, told which one to be), and says how much it has used.
//
//	go test ./bench -run xxx -bench MCP -benchtime 5000x
//
// twodoor goes through the whole engine; sdk is the protocol's Go SDK with its stateless handler;
// bare is a net/http handler that decodes and encodes the same bytes and knows no protocol.

const (
	mcpServe  = "mcp-serve"
	mcpRounds = 5 // of each server, taken in turn: what disturbs one disturbs all
)

// mcpServers are the contestants.
func mcpServers() map[string]func() http.Handler {
	return map[string]func() http.Handler{"twodoor": twodoorServer, "sdk": sdkServer, "bare": bareServer}
}

// mcpMain serves in place of the tests when the arguments say so.
func mcpMain(args []string) bool {
	if len(args) != 3 || args[1] != mcpServe {
		return false
	}
	if args[2] == "stdio" {
		mcpDoor().ServeStdio(context.Background(), os.Stdin, os.Stdout)
		fmt.Fprintln(os.Stderr, cpuUsed().Microseconds())
		return true
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return true
	}
	mux := http.NewServeMux()
	if args[2] == answerServe {
		mux.Handle("/records", answerServer())
	} else {
		mux.Handle("/mcp", mcpServers()[args[2]]())
	}
	mux.HandleFunc("/cpu", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, cpuUsed().Microseconds()) })
	go func() {
		io.Copy(io.Discard, os.Stdin) // the benchmark has ended
		listener.Close()
	}()
	fmt.Println(listener.Addr())
	http.Serve(listener, mux)
	return true
}

func cpuUsed() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const mcpEchoSchema = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`

func mcpDoor() *mcpserver.Door {
	source := &twodoor.FuncSource{Name: "lab", Funcs: []twodoor.Func{{
		Operation: twodoor.Operation{ID: "lab.echo", Tool: "echo", Effect: twodoor.Reads, Description: "Returns its text", Input: json.RawMessage(mcpEchoSchema)},
		Run: func(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{JSON: in.Arguments}, nil
		},
	}}}
	reading, err := source.Read(context.Background())
	if err != nil {
		panic(err)
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		panic(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}}
	engine.Serve(catalog)
	return &mcpserver.Door{Engine: engine, Name: "bench", Version: "1"}
}

func twodoorServer() http.Handler { return mcpDoor().Handler() }

func sdkServer() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "echo", Description: "Returns its text", InputSchema: json.RawMessage(mcpEchoSchema)},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}}}, nil
		})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}

func bareServer() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID     json.RawMessage
			Params struct {
				Arguments json.RawMessage
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": in.ID, "result": map[string]any{
			"content": []any{map[string]any{"type": "text", "text": string(in.Params.Arguments)}},
		}})
	})
}

// mcpCall is a tools/call whose arguments weigh 200 bytes.
func mcpCall() []byte {
	arguments := `{"text":"` + strings.Repeat("x", 200-len(`{"text":""}`)) + `"}`
	return []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":` + arguments +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}}}}`)
}

// BenchmarkMCP measures calls over HTTP: for each server and number of connections the CPU of a call,
// and on one connection the wall time of one.
func BenchmarkMCP(b *testing.B) {
	for _, conns := range []int{1, 16} {
		b.Run(fmt.Sprintf("conns=%d", conns), func(b *testing.B) {
			cpu := map[string][]float64{}
			wall := map[string][]float64{}
			for range mcpRounds {
				for name := range mcpServers() {
					used, took := mcpRound(b, name, conns)
					cpu[name], wall[name] = append(cpu[name], used), append(wall[name], took)
				}
			}
			for name := range cpu {
				b.ReportMetric(mcpMedian(cpu[name]), name+"-cpu-µs/call")
				b.ReportMetric(mcpMedian(wall[name]), name+"-wall-µs/call")
			}
			b.ReportMetric(mcpMedian(cpu["sdk"])/mcpMedian(cpu["twodoor"]), "sdk/twodoor")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// mcpRound makes b.N calls to a fresh server, after as many as warm it up.
func mcpRound(b *testing.B, name string, conns int) (cpu, wall float64) {
	address, stop := mcpStart(b, name)
	defer stop()
	mcpLoad(b, address, conns, 200)
	before, begun := mcpCPU(b, address), time.Now()
	mcpLoad(b, address, conns, b.N)
	took := time.Since(begun)
	used := mcpCPU(b, address) - before
	return used / float64(b.N), float64(took.Microseconds()) / float64(b.N)
}

func mcpStart(b *testing.B, name string) (address string, stop func()) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self, mcpServe, name)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line), func() { in.Close(); cmd.Wait() }
}

func mcpCPU(b *testing.B, address string) float64 {
	reply, err := http.Get("http://" + address + "/cpu")
	if err != nil {
		b.Fatal(err)
	}
	defer reply.Body.Close()
	text, _ := io.ReadAll(reply.Body)
	used, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		b.Fatal(err)
	}
	return used
}

// mcpLoad makes calls over several connections at once, with as little work of its own as it can.
func mcpLoad(b *testing.B, address string, conns, calls int) {
	body := mcpCall()
	request := fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\nContent-Length: %d\r\n\r\n%s", address, len(body), body)
	var group sync.WaitGroup
	for i := range conns {
		share := calls / conns
		if i < calls%conns {
			share++
		}
		group.Go(func() {
			if err := mcpTalk(address, request, share); err != nil {
				b.Error(err)
			}
		})
	}
	group.Wait()
}

func mcpTalk(address string, request []byte, calls int) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for range calls {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		reply, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(reply.Body)
		if err != nil || reply.StatusCode != http.StatusOK || !bytes.Contains(text, []byte("xxxxxxxx")) {
			return fmt.Errorf("status %d: %s %w", reply.StatusCode, text, err)
		}
	}
	return nil
}

// BenchmarkMCPStdio measures calls over a stream, 16 in flight.
func BenchmarkMCPStdio(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self, mcpServe, "stdio")
	var used strings.Builder
	cmd.Stderr = &used
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	replies := bufio.NewReader(out)
	call := bytes.Replace(mcpCall(), []byte(`"id":1`), []byte(`"id":%d`), 1)
	for i := range b.N + 16 {
		if i < b.N {
			fmt.Fprintf(in, string(call)+"\n", i)
		}
		if i >= 16 {
			if _, err := replies.ReadSlice('\n'); err != nil {
				b.Fatal(err)
			}
		}
	}
	in.Close()
	cmd.Wait()
	cpu, _ := strconv.ParseFloat(strings.TrimSpace(used.String()), 64)
	b.ReportMetric(cpu/float64(b.N), "cpu-µs/call")
}

// mcpMedian is the middle of some figures.
func mcpMedian(figures []float64) float64 {
	sorted := slices.Sorted(slices.Values(figures))
	return sorted[len(sorted)/2]
}
