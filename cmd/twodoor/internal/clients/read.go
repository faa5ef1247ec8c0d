package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/rawyaml"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// Found is a server in a file.
type Found struct {
	Server mcpclient.Server
	Folder string   // of the project that it is for alone (Claude Code's local scope); empty: it is for all
	Skip   string   // why it is none that we can serve
	Notes  []string // what the file says of it and we do not do
}

// ErrNoServers says that a file is of no kind that holds servers, or has none yet.
var ErrNoServers = errors.New("it holds no servers: it has none of mcpServers, servers, context_servers, mcp_servers, mcp, extensions, projects")

// Read takes the servers out of a file of any client, out of a registry's server.json or out of the
// manifest of a bundle. What it is is seen by its content; the name of the file says only which fault
// is told where it can be nothing.
func Read(file string, text []byte) ([]Found, error) {
	body, _ := unmarked(text)
	root, err := tree(file, body)
	if err != nil {
		return nil, err
	}
	switch {
	case !root.Is(rawjson.KindObject):
		return nil, ErrNoServers
	case root.Get("packages") != nil || root.Get("remotes") != nil || root.Get("server").Get("name") != nil:
		return readRegistry(root)
	case root.Path("server", "mcp_config") != nil:
		return readManifest(file, root)
	}
	all, err := readEntries(root)
	for folder, project := range root.Get("projects").Members() {
		local, bad := readEntries(project)
		if bad != nil {
			continue // most projects have none
		}
		for _, found := range local {
			found.Folder = folder
			all = append(all, found)
		}
	}
	if err != nil && root.Get("projects") == nil {
		return nil, err
	}
	return all, nil
}

// tree reads JSON with comments, TOML or YAML.
func tree(file string, text []byte) (*rawjson.Node, error) {
	d, badJSON := parseJSONC(text)
	if badJSON == nil {
		if d.bare {
			return rawjson.Parse([]byte("{}"))
		}
		d.root.Standardize()
		return rawjson.Parse(d.root.Pack())
	}
	t, badTOML := parseTOML(text)
	if badTOML == nil {
		return t.tree()
	}
	n, badYAML := rawyaml.Parse(text, rawyaml.Limits{})
	if badYAML == nil && n.Is(rawjson.KindObject) {
		return n, nil
	}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".toml":
		return nil, badTOML
	case ".yaml", ".yml":
		if badYAML != nil {
			return nil, fmt.Errorf("it is not YAML: %w", badYAML)
		}
	}
	return nil, badJSON
}

// tree is the document as JSON, its servers in the order of the file.
func (d *tomlDoc) tree() (*rawjson.Node, error) {
	raw, err := jsonOf(d.values)
	if err != nil {
		return nil, err
	}
	root, err := rawjson.Parse(raw)
	if err != nil {
		return nil, err
	}
	servers := root.Get("mcp_servers")
	if !servers.Is(rawjson.KindObject) {
		return root, nil
	}
	ordered := &rawjson.Node{Kind: rawjson.KindObject}
	for _, t := range d.tables {
		if len(t.path) > 1 && t.path[0] == "mcp_servers" && ordered.Get(t.path[1]) == nil && servers.Get(t.path[1]) != nil {
			ordered.Put(t.path[1], servers.Get(t.path[1]))
		}
	}
	for name, entry := range servers.Members() {
		if ordered.Get(name) == nil {
			ordered.Put(name, entry)
		}
	}
	root.Put("mcp_servers", ordered)
	return root, nil
}

// jsonOf is what was read from TOML as JSON.
func jsonOf(value any) ([]byte, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("it has a value that JSON cannot say: %w", err)
	}
	return raw, nil
}

// goose are the types of Goose's extensions that are parts of Goose.
var goose = []string{"builtin", "platform", "frontend", "inline_python"}

// readEntries reads the servers of any client's container.
func readEntries(root *rawjson.Node) ([]Found, error) {
	if extensions := root.Get("extensions"); extensions.Is(rawjson.KindObject) && root.Get("mcpServers") == nil {
		root = &rawjson.Node{Kind: rawjson.KindObject}
		root.Put("mcpServers", extensions)
	}
	servers, err := mcpclient.ParseServers(root.JSON())
	if err != nil {
		return nil, ErrNoServers
	}
	all := make([]Found, len(servers))
	for i, s := range servers {
		all[i].Server = s
		entry, bad := rawjson.Parse(s.Raw)
		if bad != nil {
			continue
		}
		if kind := entry.Get("type").Str(); slices.Contains(goose, kind) {
			all[i].Skip = "it is a part of its client (" + kind + ")"
		}
		if entry.Get("envFile") != nil {
			all[i].Notes = append(all[i].Notes, "its envFile is not read: add those variables to its env")
		}
		if entry.Get("headersHelper") != nil {
			all[i].Notes = append(all[i].Notes, "its headersHelper is not run: add those headers")
		}
		if s.Disabled {
			all[i].Notes = append(all[i].Notes, "it is switched off there, and here")
		}
	}
	return all, nil
}
