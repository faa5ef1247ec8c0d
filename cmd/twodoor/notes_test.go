package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// notes is an MCP server of a handshake revision.
//
//	notes-mcp TOOLS [STARTS] [DELAY]   over stdio
//	notes-mcp -http TOOLS              over HTTP; it says where it listens
//
// Its tools stand in the file TOOLS, a JSON array; when that changes it says so. Each start adds a line
// to STARTS.
type notes struct {
	file string
	out  sync.Mutex
}

func notesMCP() {
	if os.Args[1] == "-http" {
		notesHTTP(os.Args[2])
	}
	n := &notes{file: os.Args[1]}
	if len(os.Args) > 2 {
		starts, err := os.OpenFile(os.Args[2], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(starts, "started %d\n", os.Getpid())
		starts.Close()
	}
	if len(os.Args) > 3 {
		delay, err := time.ParseDuration(os.Args[3])
		if err != nil {
			panic(err)
		}
		time.Sleep(delay)
	}
	go n.follow()
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		go n.take(line, os.Getenv("NOTES_USER"), func(text []byte) { n.say(text) })
	}
}

func (n *notes) say(text []byte) {
	n.out.Lock()
	defer n.out.Unlock()
	os.Stdout.Write(append(text, '\n'))
}

// follow tells that the file is another one.
func (n *notes) follow() {
	before, _ := os.ReadFile(n.file)
	for {
		time.Sleep(20 * time.Millisecond)
		if now, err := os.ReadFile(n.file); err == nil && string(now) != string(before) {
			before = now
			n.say([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
		}
	}
}

// message is a request as a server reads it.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Arguments json.RawMessage
		Meta      struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
}

func (n *notes) take(line []byte, user string, say func([]byte)) {
	var m message
	if json.Unmarshal(line, &m) != nil || m.ID == nil {
		return
	}
	switch m.Method {
	case "initialize":
		say(reply(m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"notes","title":"Notes","version":"1.2"}}`))
	case "tools/list":
		tools, err := os.ReadFile(n.file)
		if err != nil {
			panic(err)
		}
		var line bytes.Buffer
		if err := json.Compact(&line, tools); err != nil {
			panic(err)
		}
		say(reply(m.ID, `{"tools":`+line.String()+`}`))
	case "tools/call":
		n.call(m, user, say)
	case "ping":
		say(reply(m.ID, `{}`))
	default:
		say(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID))
	}
}

func (n *notes) call(m message, user string, say func([]byte)) {
	switch m.Params.Name {
	case "crash":
		fmt.Fprintln(os.Stderr, "notes: out of paper")
		os.Exit(3)
	case "wait": // until the file go is there
		if err := os.WriteFile(n.file+".waiting", nil, 0o644); err != nil {
			panic(err)
		}
		for {
			if _, err := os.Stat(n.file + ".go"); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	case "refuse":
		say(reply(m.ID, `{"content":[{"type":"text","text":"the note is locked"}],"isError":true,"extra":7}`))
		return
	}
	answer, err := json.Marshal(map[string]any{"pid": fmt.Sprintf("pid-%d", os.Getpid()), "email": user, "tool": m.Params.Name, "given": m.Params.Arguments})
	if err != nil {
		panic(err)
	}
	text, err := json.Marshal(string(answer))
	if err != nil {
		panic(err)
	}
	say(reply(m.ID, `{"content":[{"type":"text","text":`+string(text)+`}],"structuredContent":`+string(answer)+`}`))
}

func reply(id json.RawMessage, result string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// notesHTTP answers each POST by itself. The user is whom the token names; without one it is 401.
func notesHTTP(file string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	n := &notes{file: file}
	fmt.Println("ready http://" + l.Addr().String())
	panic(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer token-of-")
		switch {
		case !ok:
			w.WriteHeader(http.StatusUnauthorized)
			return
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		said := false
		n.take(body, user, func(text []byte) { said = true; w.Write(text) })
		if !said {
			w.WriteHeader(http.StatusAccepted)
		}
	})))
}

// get URL TOKEN [HEADER: VALUE…]: sends a GET, or the method of a header "method", and prints the answer.
func get() {
	req, err := http.NewRequest(http.MethodGet, os.Args[1], nil)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer "+os.Args[2])
	for _, header := range os.Args[3:] {
		name, value, _ := strings.Cut(header, ": ")
		if req.Header.Set(name, value); name == "method" {
			req.Method = value
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(resp.StatusCode)
	_, _ = io.Copy(os.Stdout, resp.Body)
}
