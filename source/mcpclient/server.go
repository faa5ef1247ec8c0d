package mcpclient

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Server says how an MCP server is reached: it is a program that is started, or an address.
type Server struct {
	ID string // required; the exact id of the connection, as its file spells it

	Command string
	Args    []string
	Env     map[string]string // added to what every child gets; values may hold references
	Pass    []string          // names of variables that the child may see besides the everyday ones
	Dir     string

	URL      string
	Headers  map[string]string // put on by the [Doer], like any key; not by this package
	Protocol Protocol

	Description string
	Disabled    bool
	Isolation   Isolation
	Include     []string        // tools that are served; empty: all
	Exclude     []string        // tools that are not, whatever Include says
	Start       time.Duration   // bound of a start; 0: the pool's
	OAuth       json.RawMessage // the entry's oauth object, for whoever signs in
	Problem     string          // why the entry cannot be served; empty: it can
	Raw         json.RawMessage // the entry as its file has it
}

// Protocol is a transport as configurations name it.
type Protocol string

// The transports. The empty one is found out: a command is stdio, an address is tried.
const (
	Stdio Protocol = "stdio"
	HTTP  Protocol = "http" // Streamable HTTP
	SSE   Protocol = "sse"  // HTTP+SSE of 2024-11-05, tried first
)

// Isolation says who shares a connection. A server that keeps state for its client must not be
// shared by strangers.
type Isolation string

// The isolations; the empty one is shared.
const (
	Shared       Isolation = "shared"
	PerSession   Isolation = "session"
	PerPrincipal Isolation = "principal"
)

func (s *Server) local() bool { return s.Command != "" }

// check says why the server cannot be served.
func (s *Server) check() string {
	switch {
	case s.Problem != "":
		return s.Problem
	case s.Command != "" && s.URL != "":
		return "it has a command and a url: keep one of them"
	case s.Command == "" && s.URL == "":
		return "it has neither a command nor a url"
	case s.Command == "" && s.Protocol == Stdio:
		return "its protocol is stdio, but it has no command"
	case s.Command != "" && (s.Protocol == HTTP || s.Protocol == SSE):
		return fmt.Sprintf("its protocol is %s, but it has a command and no url", s.Protocol)
	case s.Isolation != "" && s.Isolation != Shared && s.Isolation != PerSession && s.Isolation != PerPrincipal:
		return fmt.Sprintf("its isolation %q is not shared, session or principal", s.Isolation)
	}
	return ""
}

// serves reports whether a tool is let through.
func (s *Server) serves(tool string) bool {
	return !slices.Contains(s.Exclude, tool) && (len(s.Include) == 0 || slices.Contains(s.Include, tool))
}

// same reports whether a connection of the one would serve the other.
func (s *Server) same(other *Server) bool {
	key := func(s *Server) string {
		plain := *s
		plain.Description, plain.Raw, plain.Include, plain.Exclude = "", nil, nil, nil
		raw, _ := json.Marshal(plain) // of texts and numbers: it cannot fail
		return string(raw)
	}
	return key(s) == key(other)
}

// SourceNames gives each connection id a name that operation ids can begin with: lower-case letters,
// digits and hyphens. An id that is such a name keeps it; where two ids fall together, those that
// had to be respelled get a short hash of themselves.
func SourceNames(ids []string) map[string]string {
	uses := map[string]int{}
	for _, id := range ids {
		uses[sourceName(id)]++
	}
	names := make(map[string]string, len(ids))
	for _, id := range ids {
		name := sourceName(id)
		if uses[name] > 1 && name != id {
			sum := fnv.New32a()
			_, _ = sum.Write([]byte(id))
			name += "-" + strconv.FormatUint(uint64(sum.Sum32()), 36)
		}
		names[id] = name
	}
	return names
}

func sourceName(id string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(id) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if name := strings.Trim(b.String(), "-"); name != "" {
		return name
	}
	return "server"
}
