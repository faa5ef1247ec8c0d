package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/upstream"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// siteOf is a configuration with the MCP servers that it names: those of its own sources, and those
// of its file of servers, each of which is a source too.
func (r *run) siteOf(loaded *config.Loaded, where config.Where) (*site, error) {
	s := &site{Loaded: loaded, where: where, servers: map[string]mcpclient.Server{}}
	for name, source := range s.Sources {
		if len(source.MCP) == 0 {
			continue
		}
		server, err := mcpclient.ParseServer(name, source.MCP)
		if err != nil {
			return nil, err
		}
		server.Isolation = mcpclient.Isolation(source.Isolation)
		s.servers[name] = server
	}
	if s.MCPServers != "" {
		if err := s.takeFile(); err != nil {
			return nil, err
		}
	}
	s.ids = map[string]string{}
	for _, name := range config.Sorted(s.servers) {
		s.ids[name] = s.servers[name].ID
		s.servers[name] = s.placed(upstream.Refer(s.servers[name], r.LookupEnv, s.Dir()))
		s.warnOf(name)
	}
	return s, nil
}

// takeFile makes the servers of the file sources.
func (s *site) takeFile() error {
	file, err := upstream.Read(s.Place(s.MCPServers))
	if err != nil {
		return err
	}
	s.file = file
	names := upstream.Names(file.Servers, func(name string) bool {
		_, taken := s.Sources[name]
		return !taken && config.CheckName(name) == ""
	})
	if s.Sources == nil {
		s.Sources = map[string]config.Source{}
	}
	s.filed = map[string]bool{}
	for _, server := range file.Servers {
		name := names[server.ID]
		whoami, _ := rawjson.Get(server.Raw, "whoami")
		text, _ := rawjson.String(whoami)
		if s.servers[name], s.filed[name] = server, true; server.Disabled {
			continue
		}
		s.Sources[name] = config.Source{MCP: server.Raw, Isolation: string(server.Isolation), Whoami: text}
	}
	return nil
}

// placed is a server that starts in the folder of the configuration, wherever twodoor itself runs.
func (s *site) placed(server mcpclient.Server) mcpclient.Server {
	if server.Command == "" || s.Dir() == "" {
		return server
	}
	if !strings.Contains(server.Dir, "${") {
		server.Dir = s.Place(orElse(server.Dir, "."))
	}
	if strings.HasPrefix(server.Command, "./") || strings.HasPrefix(server.Command, "../") {
		server.Command = filepath.Join(s.Dir(), server.Command)
	}
	return server
}

// warnOf names what the configuration of a server should not have.
func (s *site) warnOf(name string) {
	server := s.servers[name]
	file, path := s.File, "sources."+name+".mcp"
	if s.filed[name] {
		file, path = s.file.Path, "mcpServers."+server.ID
	}
	if server.Problem != "" {
		s.Warnings = append(s.Warnings, config.Fault{File: file, Path: path, Problem: path + " cannot be served: " + server.Problem})
	}
	for _, key := range upstream.Literals(server.Raw) {
		s.Warnings = append(s.Warnings, config.Fault{
			File: file, Path: path + "." + key, Problem: path + "." + key + " is written out in the file",
			Hint: "keep it elsewhere and write ${env:NAME}, ${file:/path} or ${keyring:name}",
		})
	}
}

// Claims lists what the configuration does, with what its servers do: programs that are started, with
// the folder and the variables that decide what they are, and hosts that are called.
func (s *site) Claims() []config.Claim {
	claims := s.Loaded.Claims()
	for _, name := range config.Sorted(s.servers) {
		server := s.servers[name]
		switch {
		case server.Problem != "" || server.Disabled:
		case server.URL != "":
			claims = append(claims, config.CallClaim(server.URL))
		default:
			claims = append(claims, startClaim(&server))
		}
		for _, text := range upstream.Texts(&server) {
			for _, ref := range config.References(text) {
				claims = append(claims, config.Claim("read "+ref.String()))
			}
		}
	}
	slices.Sort(claims)
	return slices.Compact(claims)
}

func startClaim(server *mcpclient.Server) config.Claim {
	text := "start " + upstream.CommandLine(server)
	if len(server.Env) > 0 {
		names := config.Sorted(server.Env)
		sum := sha256.New()
		for _, name := range names {
			fmt.Fprintf(sum, "%s=%s\n", name, server.Env[name])
		}
		text += fmt.Sprintf(" with %s (%s)", strings.Join(names, ", "), hex.EncodeToString(sum.Sum(nil)[:4]))
	}
	return config.Claim(text)
}

// edited reports whether the file of servers or its overlay is not what was read.
func (s *site) edited() bool { return s.file != nil && s.file.Edited() }
