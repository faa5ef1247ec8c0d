package mcpclient

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// containers are the keys under which clients keep their servers.
var containers = []string{"mcpServers", "mcp_servers", "servers", "context_servers", "mcp"}

// ParseServers reads a file of MCP servers in the dialect of any client: mcpServers (Claude, Cursor,
// Windsurf, Gemini, Cline, …), servers (VS Code), context_servers (Zed), mcp (OpenCode, Crush), a
// list whose entries have names (Continue), or the bare entries. Comments and commas before a
// closing bracket are taken, as editors write them. The order of the file is kept. An entry that
// cannot be served has a Problem and is there all the same.
func ParseServers(data []byte) ([]Server, error) {
	root, err := rawjson.Parse(plainJSON(data))
	if err != nil {
		return nil, fmt.Errorf("read the file of MCP servers: %w", err)
	}
	if root.Kind != rawjson.KindObject {
		return nil, fmt.Errorf("read the file of MCP servers: it is no object, write {\"mcpServers\":{…}}")
	}
	entries := entriesOf(root)
	if entries == nil {
		return nil, fmt.Errorf("read the file of MCP servers: it has none of %s", strings.Join(containers, ", "))
	}
	var servers []Server
	seen := map[string]int{}
	each(entries, func(id string, entry *rawjson.Node) {
		s := parseServer(id, entry)
		if at, twice := seen[id]; twice {
			servers[at] = s // as everywhere in JSON, the last one counts
			return
		}
		seen[id] = len(servers)
		servers = append(servers, s)
	})
	return servers, nil
}

// ParseServer reads a single entry.
func ParseServer(id string, entry []byte) (Server, error) {
	node, err := rawjson.Parse(plainJSON(entry))
	if err != nil {
		return Server{}, fmt.Errorf("read the MCP server %q: %w", id, err)
	}
	return parseServer(id, node), nil
}

func entriesOf(root *rawjson.Node) *rawjson.Node {
	for _, key := range containers {
		if n := root.Get(key); n.Is(rawjson.KindObject) || n.Is(rawjson.KindArray) {
			if inner := n.Get("servers"); key == "mcp" && inner.Is(rawjson.KindObject) { // VS Code's settings.json
				return inner
			}
			return n
		}
		if n := root.Get(key); n.Is(rawjson.KindNull) {
			return &rawjson.Node{Kind: rawjson.KindObject}
		}
	}
	for _, entry := range root.Members() {
		if entry.Get("command") == nil && entry.Get("url") == nil {
			return nil
		}
	}
	return root
}

// each walks a map of entries, or a list of entries that have names.
func each(entries *rawjson.Node, yield func(id string, entry *rawjson.Node)) {
	for id, entry := range entries.Members() {
		yield(id, entry)
	}
	at := 0
	for entry := range entries.Elements() {
		at++
		id := entry.Get("name").Str()
		if id == "" {
			id = fmt.Sprintf("server-%d", at)
		}
		yield(id, entry)
	}
}

func parseServer(id string, entry *rawjson.Node) Server {
	s := Server{ID: id, Raw: entry.JSON()}
	if entry.Kind != rawjson.KindObject {
		s.Problem = "its entry is no object"
		return s
	}
	s.readProgram(entry)
	s.readAddress(entry)
	s.Protocol, s.Problem = protocolOf(first(entry, "protocol", "type", "transport").Str())
	s.Description = entry.Get("description").Str()
	s.Disabled = entry.Get("disabled").Bool() || falsy(entry.Get("enabled")) || falsy(entry.Get("isActive"))
	s.Isolation = Isolation(entry.Get("isolation").Str())
	s.Include = first(entry, "includeTools", "enabled_tools", "allowedTools").Strings()
	s.Exclude = first(entry, "excludeTools", "disabled_tools", "disabledTools").Strings()
	if seconds, ok := entry.Get("startup_timeout_sec").Int(); ok && seconds > 0 {
		s.Start = time.Duration(min(seconds, 3600)) * time.Second
	}
	if oauth := entry.Get("oauth"); oauth.Is(rawjson.KindObject) {
		s.OAuth = oauth.JSON()
	}
	s.Problem = s.check()
	return s
}

// first is the first of the keys that has a value.
func first(entry *rawjson.Node, keys ...string) *rawjson.Node {
	for _, key := range keys {
		if n := entry.Get(key); n != nil && n.Kind != rawjson.KindNull {
			return n
		}
	}
	return nil
}

func falsy(n *rawjson.Node) bool { return n.Is(rawjson.KindBool) && !n.Bool() }

func (s *Server) readProgram(entry *rawjson.Node) {
	command := first(entry, "command", "cmd")
	args := first(entry, "args", "arguments")
	switch {
	case command.Is(rawjson.KindArray): // OpenCode
		if words := command.Strings(); len(words) > 0 {
			s.Command, s.Args = words[0], words[1:]
		}
	case command.Is(rawjson.KindObject): // Zed's older form
		s.Command = first(command, "path", "command").Str()
		args, entry = command.Get("args"), command
	default:
		s.Command = command.Str()
	}
	s.Args = append(s.Args, texts(args)...)
	s.Env = textMap(first(entry, "env", "environment", "envs"))
	s.Pass = append(first(entry, "env_vars").Strings(), first(entry, "env_keys").Strings()...)
	s.Dir = first(entry, "cwd", "working_dir", "workingDirectory", "workingDir").Str()
}

func (s *Server) readAddress(entry *rawjson.Node) {
	s.URL = first(entry, "url", "serverUrl", "httpUrl", "uri").Str()
	if other := entry.Get("httpUrl").Str(); other != "" { // Gemini: it wins, its url means HTTP+SSE
		s.URL = other
	}
	s.Headers = textMap(first(entry, "headers", "http_headers"))
	put := func(name, value string) {
		if s.Headers == nil {
			s.Headers = map[string]string{}
		}
		s.Headers[name] = value
	}
	for name, variable := range textMap(entry.Get("env_http_headers")) {
		put(name, "${env:"+variable+"}")
	}
	if variable := entry.Get("bearer_token_env_var").Str(); variable != "" {
		put("Authorization", "Bearer ${env:"+variable+"}")
	}
}

// protocolOf reads what clients call a transport.
func protocolOf(name string) (p Protocol, problem string) {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(name)) {
	case "", "auto", "remote", "custom", "extension":
		return "", ""
	case "stdio", "local":
		return Stdio, ""
	case "http", "streamablehttp", "httpstream", "streamable":
		return HTTP, ""
	case "sse", "httpsse":
		return SSE, ""
	}
	return "", fmt.Sprintf("its protocol %q is not stdio, http or sse", name)
}

// texts reads a list of texts, where clients write numbers and switches bare as well.
func texts(n *rawjson.Node) []string {
	var list []string
	if text, ok := textOf(n); ok && n.Kind == rawjson.KindString {
		return []string{text}
	}
	for element := range n.Elements() {
		if text, ok := textOf(element); ok {
			list = append(list, text)
		}
	}
	return list
}

func textMap(n *rawjson.Node) map[string]string {
	var all map[string]string
	for name, value := range n.Members() {
		if text, ok := textOf(value); ok {
			if all == nil {
				all = map[string]string{}
			}
			all[name] = text
		}
	}
	return all
}

func textOf(n *rawjson.Node) (string, bool) {
	if n == nil {
		return "", false
	}
	switch n.Kind {
	case rawjson.KindString:
		return n.Str(), true
	case rawjson.KindNumber, rawjson.KindBool:
		return string(n.Text), true
	}
	return "", false
}

// plainJSON takes out what JSONC adds: comments, and commas before a closing bracket. Lines stay
// where they are.
func plainJSON(data []byte) []byte {
	if rawjson.Check(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) == nil {
		return data
	}
	out := slices.Clone(data)
	comma := -1 // of a comma with nothing but space behind it so far
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			i = stringEnd(out, i)
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blankComment(out, i)
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma = ' ', -1
		case c > ' ':
			comma = -1
		}
	}
	return out
}

// stringEnd is where the string that begins at i ends.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// blankComment overwrites a comment with spaces and returns where it ends.
func blankComment(text []byte, i int) int {
	end := len(text)
	if text[i+1] == '/' {
		if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
			end = i + n
		}
	} else if n := bytes.Index(text[i+2:], []byte("*/")); n >= 0 {
		end = i + 2 + n + 2
	}
	for ; i < end; i++ {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
	return end - 1
}
