package clients

import (
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/source/mcpclient"
)

// Self is how this program is told from others in a client's file.
type Self struct {
	Executable string   // absolute path
	Addresses  []string // host:port of every address that this configuration listens at
}

// In says where an entry leads back to us; empty: it does not. An entry that does would make us our
// own upstream.
func (s Self) In(server mcpclient.Server) string {
	if server.URL != "" {
		if s.listens(server.URL) {
			return "it is this program's own address"
		}
		return ""
	}
	words := append([]string{server.Command}, server.Args...)
	for i, word := range words {
		switch {
		case s.starts(word, words[i+1:]):
			return "it starts this program"
		case strings.Contains(word, "://") && s.listens(word):
			return "it is a bridge to this program's own address"
		case i == 0 && base(word) == "mcpbridge":
			if at := server.Env["MCP_API_URL"]; at == "" || s.listens(at) {
				return "it is a bridge to this program's own address"
			}
		}
	}
	return ""
}

// Starts reports whether an entry is one of those that install writes: it starts this program, or
// calls it.
func (s Self) Starts(server mcpclient.Server) bool {
	if server.URL != "" {
		return s.listens(server.URL)
	}
	return s.starts(server.Command, server.Args)
}

func (s Self) starts(command string, args []string) bool {
	if len(args) == 0 || !slices.Contains(args, "mcp") {
		return false
	}
	if base(command) == base(s.Executable) {
		return true
	}
	if !filepath.IsAbs(command) {
		return false
	}
	there, err := filepath.EvalSymlinks(command)
	here, bad := filepath.EvalSymlinks(s.Executable)
	return err == nil && bad == nil && there == here
}

func base(path string) string {
	return strings.TrimSuffix(path[strings.LastIndexAny(path, `/\`)+1:], ".exe")
}

// listens reports whether an address is one of ours. All names of loopback are one.
func (s Self) listens(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return slices.ContainsFunc(s.Addresses, func(own string) bool {
		host, ownPort, err := net.SplitHostPort(own)
		if err != nil || ownPort != port {
			return false
		}
		return strings.EqualFold(host, u.Hostname()) || loopback(host) && loopback(u.Hostname())
	})
}

// loopback takes "every address" for loopback: it can be reached there.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || strings.EqualFold(host, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}
