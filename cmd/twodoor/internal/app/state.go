package app

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/upstream"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// state is how a far side does that lists its operations itself.
type state struct {
	State       mcpclient.State `json:"state,omitempty"`
	Connection  string          `json:"connection,omitempty"` // the exact id of its entry
	Era         string          `json:"era,omitempty"`
	Transport   string          `json:"transport,omitempty"`
	LatencyMS   float64         `json:"latency_ms,omitempty"` // of the round trip that listed the tools
	Connections int             `json:"connections,omitempty"`
	Listed      time.Time       `json:"listed,omitzero"` // when what is served was listed
	Reason      string          `json:"reason,omitempty"`
	Fix         string          `json:"fix,omitempty"`
	Stderr      []string        `json:"stderr,omitempty"` // last lines of a program that failed
}

// stateOf is what this run knows of a source, without asking anybody.
func (r *run) stateOf(name string) state {
	var st state
	for _, status := range r.far.pool.Status() {
		if status.Source != name {
			continue
		}
		if status.State == mcpclient.Ready {
			st.Connections++
		}
		if st.State == "" || st.State != mcpclient.Ready && status.State == mcpclient.Ready {
			st.State, st.Connection, st.Era, st.Transport = status.State, status.Connection, status.Era, status.Transport
			st.LatencyMS = float64(status.Latency.Microseconds()) / 1000
			st.Reason, st.Fix, st.Stderr = status.Reason, status.Fix, status.Stderr
		}
	}
	st.Listed = r.far.lists.Seen(name)
	if fault := r.far.lists.Fault(name, r.site.entry(name)); fault != nil && st.Reason == "" {
		st.Reason, st.Fix = fault.Message, fault.Hint
	}
	st.Connection = cmp.Or(st.Connection, name)
	return st
}

// line is the state for a person.
func (st *state) line() string {
	var parts []string
	if st.State != "" {
		parts = append(parts, string(st.State))
	}
	if st.Connection != "" {
		parts = append(parts, fmt.Sprintf("id %q", st.Connection))
	}
	for _, part := range []string{st.Transport, st.Era} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if st.LatencyMS > 0 {
		parts = append(parts, fmt.Sprintf("lists in %.0f ms", st.LatencyMS))
	}
	if !st.Listed.IsZero() {
		parts = append(parts, "listed "+ago(time.Since(st.Listed)))
	}
	return strings.Join(parts, ", ")
}

// ago is how long ago something was, roughly.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return counted(int(d/time.Minute), "minute") + " ago"
	case d < 48*time.Hour:
		return counted(int(d/time.Hour), "hour") + " ago"
	}
	return counted(int(d/(24*time.Hour)), "day") + " ago"
}

// placeOf is where a source is reached, without its secrets.
func (s *site) placeOf(name string) string {
	c, server := s.Sources[name], s.servers[name]
	if server.URL != "" || server.Command != "" {
		return upstream.CommandLine(&server)
	}
	return cmp.Or(c.OpenAPI, c.Remote, c.Command)
}

// questionTime bounds a question to the running up.
const questionTime = 5 * time.Second

// running asks the up of this configuration what it knows of the sources. ok is false where none runs,
// or one that does not understand the question.
func (r *run) running() (all []summary, ok bool) {
	s, err := r.find()
	if err != nil || s.File == "" {
		return nil, false
	}
	conn, err := r.attach(s.File)
	if err != nil {
		return nil, false
	}
	defer conn.Close()
	line, err := json.Marshal(greeting{Ask: askSources})
	if err != nil {
		return nil, false
	}
	_ = conn.SetDeadline(time.Now().Add(questionTime))
	if _, err := conn.Write(append(line, '\n')); err != nil {
		return nil, false
	}
	return all, json.NewDecoder(bufio.NewReader(conn)).Decode(&all) == nil
}

// answer answers a question over the socket.
func (s *socket) answer(conn *net.UnixConn) {
	all, err := s.live.current().summaries()
	if err != nil {
		return // the asker looks for itself
	}
	_ = conn.SetWriteDeadline(time.Now().Add(questionTime))
	_ = json.NewEncoder(conn).Encode(all)
}

// disabled are the servers of the file that are switched off: no sources, but they are told.
func (r *run) disabled() (all []summary) {
	for _, name := range config.Sorted(r.site.servers) {
		if _, ok := r.site.Sources[name]; !ok {
			all = append(all, summary{Name: name, Kind: mcpclient.Kind, File: r.site.placeOf(name), Origins: []string{}, Notes: []string{},
				state: state{State: mcpclient.Disabled, Connection: r.site.servers[name].ID}})
		}
	}
	return all
}

// sources are all sources as they stand: as the running up knows them, else as this run does.
func (r *run) sources(ctx context.Context) ([]summary, error) {
	if all, ok := r.running(); ok && !r.early.Trust { // what is trusted now, the running up has not read yet
		return all, nil
	}
	if _, err := r.open(ctx); err != nil {
		return nil, err
	}
	return r.summaries()
}

// fail tells why a source is not served.
func (s *summary) fail(err error) {
	fault := twodoor.AsError(err)
	s.Error, s.Reason = fault.Error(), fault.Error()
	s.Fix = cmp.Or(s.Fix, fault.Hint)
}
