package clients

import (
	"path/filepath"
	"slices"
)

// Scope says whose a file of a client is.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // for all that this user does
	Project Scope = "project" // in the project's folder, shared by all who work on it
	Local   Scope = "local"   // in the user's file, for one project's folder
)

// Client is a program that MCP servers can be put into.
type Client struct {
	ID       string // as the command line spells it: "claude-code"
	Name     string
	Searches bool   // it searches tools by itself: it is given all of them
	Note     string // what is to be done after its file was changed

	format  Format
	keys    []string // the container of the servers
	project string   // the project's file; empty: there is none
	user    func(Place) string
	marks   func(Place) []string // what is there where the client is installed
	stdio   func(Entry) []byte
	http    func(Entry) []byte // nil: it takes no addresses from its file
	input   bool               // it asks for secrets itself
	paste   func(name string, e Entry) string
}

// File is a place where a client keeps servers.
type File struct {
	Client *Client
	Path   string
	Scope  Scope
}

// Written reports whether entries can be written into the client's file. The others are told what to
// paste.
func (c *Client) Written() bool { return c.paste == nil }

// Scopes are those that the client has.
func (c *Client) Scopes() []Scope {
	var all []Scope
	if c.user != nil {
		all = append(all, User)
	}
	if c.project != "" {
		all = append(all, Project)
	}
	if c.ID == claudeCode {
		all = append(all, Local)
	}
	return all
}

// File is the client's file of a scope. ok is false where it has none.
func (c *Client) File(p Place, scope Scope) (f File, ok bool) {
	f = File{Client: c, Scope: scope}
	switch {
	case !slices.Contains(c.Scopes(), scope):
		return f, false
	case scope == Project:
		if p.Project == "" {
			return f, false
		}
		f.Path = filepath.Join(p.Project, filepath.FromSlash(c.project))
	case c.user != nil:
		f.Path = c.user(p)
	}
	return f, f.Path != "" && (scope != Local || p.Project != "")
}

// Installed reports whether there are traces of the client on this machine.
func (c *Client) Installed(p Place) bool {
	if c.marks == nil {
		return false
	}
	return slices.ContainsFunc(c.marks(p), exists)
}

// edit is the change that puts an entry of a name into a file.
func (f File) edit(p Place, name string) Edit {
	path := append(slices.Clone(f.Client.keys), name)
	if f.Scope == Local {
		path = append([]string{"projects", filepath.ToSlash(p.Project)}, path...)
	}
	return Edit{Format: f.Client.format, Path: path, Inputs: []string{"inputs"}}
}

// Find is the client of an id, or nil.
func Find(id string) *Client {
	for _, c := range All() {
		if c.ID == id {
			return c
		}
	}
	return nil
}

const claudeCode = "claude-code"

// All lists the clients: those that can be written to, then those that are told what to paste.
func All() []*Client {
	return slices.Concat(written(), pasted())
}

// written are the clients whose files are written. Places and shapes are those of the clients' own
// documentation of September 2026.
func written() []*Client {
	return []*Client{
		{
			ID: claudeCode, Name: "Claude Code", Searches: true, format: JSON, keys: []string{"mcpServers"}, project: ".mcp.json",
			user: func(p Place) string { return p.named("CLAUDE_CONFIG_DIR", p.Home(), ".claude.json") },
			marks: func(p Place) []string {
				return []string{p.named("CLAUDE_CONFIG_DIR", p.Home(), ".claude.json"), p.home(".claude")}
			},
			stdio: func(e Entry) []byte { return object("type", "stdio", "command", e.Command, "args", e.Args) },
			http:  func(e Entry) []byte { return object("type", "http", "url", e.URL, "headers", e.bearer("${%s}")) },
			Note:  "sessions that run see it after /mcp or a restart",
		},
		{
			ID: "claude-desktop", Name: "Claude Desktop", format: JSON, keys: []string{"mcpServers"},
			user: func(p Place) string {
				const file = "claude_desktop_config.json"
				if p.OS == "linux" {
					return firstThere(p.app("Claude", file), p.app("claude", file))
				}
				return p.app("Claude", file)
			},
			marks: func(p Place) []string {
				return []string{p.app("Claude"), p.app("claude", "claude_desktop_config.json")}
			},
			stdio: func(e Entry) []byte { return object("command", e.Command, "args", e.Args) },
			Note:  "quit Claude Desktop and start it again",
		},
		{
			ID: "cursor", Name: "Cursor", format: JSON, keys: []string{"mcpServers"}, project: ".cursor/mcp.json",
			user:  func(p Place) string { return p.home(".cursor", "mcp.json") },
			marks: func(p Place) []string { return []string{p.home(".cursor"), p.app("Cursor")} },
			stdio: func(e Entry) []byte { return object("command", e.Command, "args", e.Args) },
			http:  func(e Entry) []byte { return object("url", e.URL, "headers", e.bearer("${env:%s}")) },
		},
		{
			ID: "vscode", Name: "VS Code", format: JSON, keys: []string{"servers"}, project: ".vscode/mcp.json", input: true,
			user:  func(p Place) string { return p.app("Code", "User", "mcp.json") },
			marks: func(p Place) []string { return []string{p.app("Code"), p.home(".vscode")} },
			stdio: func(e Entry) []byte { return object("type", "stdio", "command", e.Command, "args", e.Args) },
			http: func(e Entry) []byte {
				return object("type", "http", "url", e.URL, "headers", e.bearer("${input:"+inputID+"}"))
			},
		},
		{
			ID: "gemini", Name: "Gemini CLI", format: JSON, keys: []string{"mcpServers"}, project: ".gemini/settings.json",
			user:  func(p Place) string { return p.home(".gemini", "settings.json") },
			marks: func(p Place) []string { return []string{p.home(".gemini")} },
			stdio: func(e Entry) []byte { return object("command", e.Command, "args", e.Args) },
			http:  func(e Entry) []byte { return object("httpUrl", e.URL, "headers", e.bearer("${%s}")) },
		},
		{
			ID: "codex", Name: "Codex", format: TOML, keys: []string{"mcp_servers"}, project: ".codex/config.toml",
			user:  func(p Place) string { return p.named("CODEX_HOME", p.home(".codex"), "config.toml") },
			marks: func(p Place) []string { return []string{p.named("CODEX_HOME", p.home(".codex"))} },
			stdio: func(e Entry) []byte { return object("command", e.Command, "args", e.Args) },
			http:  func(e Entry) []byte { return object("url", e.URL, "bearer_token_env_var", e.Token) },
		},
		{
			ID: "windsurf", Name: "Windsurf", format: JSON, keys: []string{"mcpServers"},
			user:  func(p Place) string { return p.home(".codeium", "windsurf", "mcp_config.json") },
			marks: func(p Place) []string { return []string{p.home(".codeium", "windsurf")} },
			stdio: func(e Entry) []byte { return object("command", e.Command, "args", e.Args) },
			http:  func(e Entry) []byte { return object("serverUrl", e.URL, "headers", e.bearer("${env:%s}")) },
		},
		{
			ID: "zed", Name: "Zed", format: JSON, keys: []string{"context_servers"}, project: ".zed/settings.json",
			user: func(p Place) string {
				if p.OS == "windows" {
					return p.app("Zed", "settings.json")
				}
				return p.zed("settings.json")
			},
			marks: func(p Place) []string {
				if p.OS == "windows" {
					return []string{p.app("Zed")}
				}
				return []string{p.zed()}
			},
			stdio: func(e Entry) []byte { return object("source", "custom", "command", e.Command, "args", e.Args) },
			http: func(e Entry) []byte {
				if e.Token != "" {
					return nil // it has no way of writing a header without the token in it
				}
				return object("url", e.URL)
			},
		},
	}
}

// zed is a path below Zed's settings, which lie below ~/.config on macOS as well.
func (p Place) zed(below ...string) string {
	if p.OS == "darwin" {
		return p.home(append([]string{".config", "zed"}, below...)...)
	}
	return p.config(append([]string{"zed"}, below...)...)
}
