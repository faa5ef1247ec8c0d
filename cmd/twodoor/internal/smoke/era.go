package smoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Keys of _meta (MCP 2026-07-28, "Base protocol").
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaServer       = "io.modelcontextprotocol/serverInfo"
)

const clientInfo = `{"name":"twodoor-smoke","version":"1"}`

// era is what differs between the protocol with a metadata block in each request and the one with
// a handshake.
type era interface {
	version() string
	opening() string // name of the method that opens
	greet(ctx context.Context, l link) (*greeting, error)

	params(params json.RawMessage) json.RawMessage // of any later request
	wellFormed(result json.RawMessage) error       // of a list
}

// greeting is what a server said when it was greeted.
type greeting struct {
	name   string // what it calls itself
	result json.RawMessage
}

// modern is 2026-07-28: no handshake, everything in each request.
type modern struct{}

func (modern) version() string { return "2026-07-28" }
func (modern) opening() string { return "server/discover" }

func (m modern) greet(ctx context.Context, l link) (*greeting, error) {
	reply, err := l.ask(ctx, m.opening(), m.params(nil))
	if err != nil {
		return nil, err
	}
	if reply.Error != nil {
		return nil, fmt.Errorf("it answered %s", reply.Error)
	}
	if versions, _ := rawjson.Get(reply.Result, "supportedVersions"); !contains(versions, m.version()) {
		return nil, fmt.Errorf("supportedVersions does not name %s", m.version())
	}
	name, _ := rawjson.GetPath(reply.Result, "_meta", metaServer, "name")
	text, _ := rawjson.String(name)
	return &greeting{text, reply.Result}, nil
}

func (m modern) params(params json.RawMessage) json.RawMessage {
	meta := rawjson.Set(json.RawMessage(`{}`), metaVersion, rawjson.AppendString(nil, m.version()))
	meta = rawjson.Set(meta, metaCapabilities, []byte(`{}`))
	meta = rawjson.Set(meta, metaClient, []byte(clientInfo))
	if params == nil {
		params = json.RawMessage(`{}`)
	}
	return rawjson.Set(params, "_meta", meta)
}

// wellFormed: results that may be cached say so (MCP 2026-07-28, "Caching").
func (modern) wellFormed(result json.RawMessage) error {
	for _, key := range []string{"resultType", "ttlMs", "cacheScope"} {
		if _, ok := rawjson.Get(result, key); !ok {
			return fmt.Errorf("the result has no %s, which this revision requires", key)
		}
	}
	return nil
}

// legacy is everything up to 2025-11-25: initialize first.
type legacy struct{}

func (legacy) version() string { return "2025-11-25" }
func (legacy) opening() string { return "initialize" }

func (g legacy) greet(ctx context.Context, l link) (*greeting, error) {
	params := fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":%s}`, g.version(), clientInfo)
	reply, err := l.ask(ctx, g.opening(), json.RawMessage(params))
	if err != nil {
		return nil, err
	}
	if reply.Error != nil {
		return nil, fmt.Errorf("it answered %s", reply.Error)
	}
	if _, ok := rawjson.Get(reply.Result, "protocolVersion"); !ok {
		return nil, errors.New("the result has no protocolVersion")
	}
	name, _ := rawjson.GetPath(reply.Result, "serverInfo", "name")
	text, _ := rawjson.String(name)
	return &greeting{text, reply.Result}, l.tell(ctx, "notifications/initialized")
}

func (legacy) params(params json.RawMessage) json.RawMessage { return params }
func (legacy) wellFormed(json.RawMessage) error              { return nil }

func contains(list json.RawMessage, word string) bool {
	for item := range rawjson.Elements(list) {
		if text, ok := rawjson.String(item); ok && text == word {
			return true
		}
	}
	return false
}
