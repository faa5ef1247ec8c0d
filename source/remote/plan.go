package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/twodoor/twodoor"
)

// plan is how an operation is called at the far side: by its id there, or as a tool of existing bridges.
type plan struct {
	Source string `json:"source"` // whose key goes on the request
	URL    string `json:"url"`
	ID     string `json:"id,omitempty"`    // of the operation there
	Relay  bool   `json:"relay,omitempty"` // the far side does the shaping
	Type   string `json:"type,omitempty"`  // of a tool: mcp, custom or virtual
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`

	Definition json.RawMessage `json:"definition,omitempty"` // of an MCP server's tool, as that wrote it
}

// Definition is the definition of a tool as its MCP server wrote it, behind however many servers; nil
// for everything else.
func Definition(op *twodoor.Operation) json.RawMessage {
	if op.Kind != Kind {
		return nil
	}
	p, err := planOf(op)
	if err != nil {
		return nil
	}
	return p.Definition
}

func planOf(op *twodoor.Operation) (p plan, err error) {
	if err = json.Unmarshal(op.Plan, &p); err != nil {
		return p, fmt.Errorf("read the plan of %s: %w", op.ID, err)
	}
	return p, nil
}

// bytes writes the plan. A definition in it stays as it was written: no character is escaped anew.
func (p plan) bytes() json.RawMessage {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if err := to.Encode(p); err != nil { // texts, flags and JSON that was read cannot fail
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// address is the route that carries the call out.
func (p plan) address() string {
	switch {
	case p.ID != "":
		return p.URL + "/v1/call/" + url.PathEscape(p.ID)
	case p.Type == typeMCP:
		return p.URL + "/tools/mcp/" + url.PathEscape(p.Server) + "/" + url.PathEscape(p.Tool)
	case p.Type == typeVirtual:
		return p.URL + "/tools/virtual/" + url.PathEscape(p.Tool)
	}
	return p.URL + "/tools/custom/" + url.PathEscape(p.Tool)
}

func escapeQuery(text string) string { return url.QueryEscape(text) }
