package app

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/rest"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// restServers are the MCP servers as the REST door knows them: the file of servers with its overlay,
// and the connections of the pool.
type restServers struct {
	live   *live
	saving sync.Mutex
}

// Config is the merged file with every secret masked.
func (s *restServers) Config(context.Context) (json.RawMessage, error) {
	site := s.live.current().site
	if site.file == nil {
		return nil, noFile()
	}
	return rawjson.Set(site.file.Shown(), "mcp_config_locked", []byte("false")), nil
}

// Save checks what is posted as the start would, writes the overlay and takes it up.
func (s *restServers) Save(ctx context.Context, posted json.RawMessage) (int, error) {
	s.saving.Lock()
	defer s.saving.Unlock()
	site := s.live.current().site
	if site.file == nil {
		return 0, noFile()
	}
	overlay, servers, err := site.file.Change(posted)
	if err != nil {
		return 0, err
	}
	if err := site.file.Write(overlay, config.WriteFile); err != nil {
		return 0, err
	}
	if err := s.live.current().agreeTo(site); err != nil {
		return 0, err
	}
	s.live.look(context.WithoutCancel(ctx))
	return len(servers), nil
}

// agreeTo trusts what the servers of a site do as its files stand now: the operator has just asked for it.
func (r *run) agreeTo(old *site) error {
	if old.where != config.Walked {
		return nil
	}
	loaded, err := config.Parse(old.File, old.Text)
	if err != nil {
		return err
	}
	now, err := r.siteOf(loaded, old.where)
	if err != nil {
		return err
	}
	return r.granted(config.Trust{Dir: filepath.Join(r.folders.State, "trust")}, old.File, now.Claims())
}

func noFile() error {
	return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "this server has no mcp_servers.json", Hint: "name one as mcp_servers: in twodoor.yaml"}
}

// connections are the exact ids of the servers that are served, by source.
func (l *live) connections() map[string]string {
	return l.current().site.ids
}

// Discover asks every far side anew, also those that failed, and waits for none.
func (s *restServers) Discover(context.Context) error {
	run := s.live.current()
	for _, name := range run.site.listed() {
		run.far.pool.Retry(name)
	}
	if s.live.fresh != nil {
		s.live.fresh.all()
	}
	return nil
}

// Status tells how each far side does, in the words of existing clients.
func (s *restServers) Status(context.Context) []rest.ServerStatus {
	run := s.live.current()
	var all []rest.ServerStatus
	for _, name := range run.site.listed() {
		st := run.stateOf(name)
		status := rest.ServerStatus{Name: st.Connection, Source: name, Status: "ok", Description: run.site.servers[name].Description}
		for range run.opened.catalog.Below(name + ".") {
			status.Tools++
		}
		switch {
		case st.State == mcpclient.Starting:
			status.Status = "loading"
		case st.Reason != "" && st.State != mcpclient.Ready, status.Tools == 0 && st.Reason != "":
			status.Status, status.Error = "error", st.Reason
		}
		all = append(all, status)
	}
	return all
}
