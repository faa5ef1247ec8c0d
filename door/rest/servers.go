package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Servers keeps the upstream MCP servers and their configuration.
type Servers interface {
	// Config is {"mcp_config_locked":bool,"mcpServers":{…}} with every secret masked.
	Config(ctx context.Context) (json.RawMessage, error)
	// Save checks an {"mcpServers":{…}} and writes it to the overlay file, all of it or nothing. It
	// returns how many servers are configured then.
	Save(ctx context.Context, config json.RawMessage) (servers int, err error)
	// Discover begins to connect anew to every server, and returns at once.
	Discover(ctx context.Context) error
	// Status tells how each server does.
	Status(ctx context.Context) []ServerStatus
}

// ServerStatus is how an upstream server does.
type ServerStatus struct {
	Name        string `json:"name"`             // the exact id of the connection
	Source      string `json:"source,omitempty"` // first word of its operations' ids; empty: the name
	Status      string `json:"status"`           // ok, loading or error
	Error       string `json:"error,omitempty"`
	Description string `json:"description,omitempty"`
	Tools       int    `json:"tools"`
}

func (d *Door) servers(who asker) (Servers, error) {
	if err := who.onlyOperator("see and change the configuration"); err != nil {
		return nil, err
	}
	if d.Servers == nil {
		return nil, &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "this server has no mcp_servers.json", Hint: "name one as mcp_servers: in twodoor.yaml"}
	}
	return d.Servers, nil
}

func (d *Door) readConfig(w http.ResponseWriter, r *http.Request, who asker) {
	servers, err := d.servers(who)
	if err != nil {
		refuse(w, r, err)
		return
	}
	config, err := servers.Config(r.Context())
	if err != nil {
		refuse(w, r, err)
		return
	}
	answerRaw(w, http.StatusOK, config)
}

// saveConfig takes {"config":{"mcpServers":{…}}}, and the inner object alone.
func (d *Door) saveConfig(w http.ResponseWriter, r *http.Request, who asker) {
	servers, err := d.servers(who)
	if err != nil {
		refuse(w, r, err)
		return
	}
	body, err := bodyOf(w, r)
	if err != nil {
		refuse(w, r, err)
		return
	}
	config := body
	if inner, ok := rawjson.Get(body, "config"); ok {
		config = inner
	}
	n, err := servers.Save(r.Context(), config)
	if err != nil {
		refuse(w, r, err)
		return
	}
	answerJSON(w, http.StatusOK, map[string]any{"status": "saved", "message": "the configuration is saved and taken up", "servers": n})
}

func (d *Door) discover(w http.ResponseWriter, r *http.Request, who asker) {
	servers, err := d.servers(who)
	if err == nil {
		err = servers.Discover(r.Context())
	}
	if err != nil {
		refuse(w, r, err)
		return
	}
	answerJSON(w, http.StatusOK, map[string]any{"status": "discovery_started"})
}

func (d *Door) configStatus(w http.ResponseWriter, r *http.Request, who asker) {
	servers, err := d.servers(who)
	if err != nil {
		refuse(w, r, err)
		return
	}
	answerJSON(w, http.StatusOK, map[string]any{"servers": orEmpty(servers.Status(r.Context()))})
}

// orEmpty is the list, never null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
