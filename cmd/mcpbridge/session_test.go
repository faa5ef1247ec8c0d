package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/agentsession"
)

// TestAgentSession starts the bridge as the entry of a session says, and calls a Go function through it.
func TestAgentSession(t *testing.T) {
	var agents agentsession.Host
	words := func(word string) agentsession.Tool {
		return agentsession.Typed("say", "Says it", func(_ context.Context, in struct {
			To string `json:"to"`
		}) (string, error) {
			return word + " to " + in.To, nil
		})
	}
	for _, word := range []string{"hello", "goodbye"} {
		session, err := agentsession.New(t.Context(), agentsession.Config{Host: &agents, Tools: []agentsession.Tool{words(word)}})
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		var entry map[string]struct{ Env map[string]string }
		if err := json.Unmarshal(session.MCPServers("x"), &entry); err != nil {
			t.Fatal(err)
		}
		var env []string
		for name, value := range entry["x"].Env {
			env = append(env, name+"="+value)
		}
		h := start(t, env...)
		if names := strings.Join(h.tools(), " "); names != "say" {
			t.Errorf("listed are %s", names)
		}
		if reply := h.call("say", `{"to":"you"}`); !bytes.Contains(reply, []byte(`"text":"`+word+` to you"`)) {
			t.Errorf("it says %s", reply)
		}
		other := start(t, append(env, "MCP_SESSION_ID=another")...)
		if reply := other.call("say", `{"to":"you"}`); bytes.Contains(reply, []byte(word)) {
			t.Errorf("with another session's name it says %s", reply)
		}
	}
}
