package mcpclient

import (
	"cmp"
	"slices"
	"time"

	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/source/mcpclient/wire"
)

// State is where a connection stands.
type State string

// The states.
const (
	Configured State = "configured"  // nobody has asked for it yet
	Starting   State = "starting"    // on its way
	Ready      State = "ready"       // a round trip worked
	Failed     State = "failed"      // the last start failed; the next is not made before its time
	NeedsLogin State = "needs_login" // the server wants a login
	Stopped    State = "stopped"     // it ended; the next call starts it again
	Disabled   State = "disabled"
	Invalid    State = "invalid" // its entry cannot be served
)

// Status is what people see of a connection: of each that there is, and of each server without one.
type Status struct {
	Source     string        `json:"source"`
	Connection string        `json:"connection"` // the exact id of its entry
	Account    string        `json:"account,omitempty"`
	Isolation  Isolation     `json:"isolation,omitempty"` // of a connection that is not shared
	Owner      string        `json:"owner,omitempty"`     // whose it is then
	State      State         `json:"state"`
	Era        string        `json:"era,omitempty"`        // the revision that is spoken
	Transport  string        `json:"transport,omitempty"`  // stdio, http, sse
	Tools      int           `json:"tools"`                // as listed last
	Latency    time.Duration `json:"latency_ns,omitempty"` // of the round trip that listed the tools
	LastGood   time.Time     `json:"last_good,omitzero"`   // when something worked last
	Calls      int           `json:"calls_running,omitempty"`
	Starts     int           `json:"starts,omitempty"`  // since the connection is known
	RetryAt    time.Time     `json:"retry_at,omitzero"` // no start before
	Reason     string        `json:"reason,omitempty"`  // why it is not ready
	Fix        string        `json:"fix,omitempty"`     // what to do about it
	Noise      int           `json:"noise,omitempty"`   // lines of stdout that were no protocol
	Stray      string        `json:"stray,omitempty"`   // the first of them
	Stderr     []string      `json:"stderr,omitempty"`  // last lines of a program that failed
}

// Status tells of every server, sorted by source and owner. It waits for nothing.
func (p *Pool) Status() []Status {
	p.mu.Lock()
	var slots []*slot
	seen := map[string]bool{}
	for k, s := range p.slots {
		slots = append(slots, s)
		seen[k.source] = true
	}
	var all []Status
	for name, server := range p.servers {
		if !seen[name] {
			all = append(all, idle(name, server))
		}
	}
	p.mu.Unlock()
	for _, s := range slots {
		all = append(all, s.status())
	}
	slices.SortFunc(all, func(a, b Status) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Isolation, b.Isolation), cmp.Compare(a.Owner, b.Owner))
	})
	return all
}

func idle(name string, server *Server) Status {
	status := Status{Source: name, Connection: server.ID, State: Configured}
	switch problem := server.check(); {
	case problem != "":
		status.State, status.Reason, status.Fix = Invalid, problem, "correct its entry in the configuration"
	case server.Disabled:
		status.State = Disabled
	}
	return status
}

func (s *slot) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := Status{
		Source: s.key.source, Connection: s.server.ID, Account: s.key.account, Isolation: s.key.kind, Owner: s.key.owner,
		State: s.state, Era: s.era, Transport: s.via, Tools: s.tools, Latency: s.latency, LastGood: s.lastGood,
		Calls: s.users, Starts: s.starts,
	}
	for _, line := range s.stderr {
		status.Stderr = append(status.Stderr, string(secret.Hide([]byte(s.pool.redact(line)))))
	}
	if s.fault != nil && s.state != Ready {
		status.Reason, status.Fix = s.fault.Message, s.fault.Hint
	}
	if s.state == Failed && time.Now().Before(s.retryAt) {
		status.RetryAt = s.retryAt
	}
	if s.conn != nil {
		if program, ok := s.conn.link.(*wire.Stdio); ok {
			status.Noise, status.Stray = program.Noise()
		}
	}
	return status
}
