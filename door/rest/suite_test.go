package rest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/twodoortest"
)

// TestDoors holds the door to the promises of every door, over every way in.
func TestDoors(t *testing.T) {
	server := httptest.NewServer(&Door{Engine: twodoortest.Engine()})
	defer server.Close()
	for name, way := range map[string]way{
		"v1":      {url: server.URL + "/api/v1/call/", read: readAnswer},
		"v1 root": {url: server.URL + "/v1/call/", read: readAnswer},
		"stream":  {url: server.URL + "/api/v1/call/", read: readStream, accept: "text/event-stream"},
		"tools":   {url: server.URL + "/api/tools/custom/", read: readEnvelope},
		"execute": {url: server.URL + "/api/mcp/execute", read: readEnvelope, wrap: `{"server":"suite","tool":"%","args":$}`},
		"other":   {url: server.URL + "/mcp/execute", read: readEnvelope, wrap: `{"server_name":"suite","tool_name":"%","arguments":$,"session_id":"s"}`},
	} {
		t.Run(name, func(t *testing.T) { twodoortest.Doors(t, way, nil) })
	}
}

// way is a route, and how its answers are read.
type way struct {
	url, accept, wrap string
	read              func(t *testing.T, status int, body []byte) twodoortest.Seen
}

func (way way) Call(ctx context.Context, t *testing.T, name string, args json.RawMessage) twodoortest.Seen {
	url, body := way.url+name, string(args)
	if way.wrap != "" {
		url, body = way.url, strings.NewReplacer("%", name, "$", body).Replace(way.wrap)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", way.accept)
	reply, err := http.DefaultClient.Do(r)
	if ctx.Err() != nil {
		return twodoortest.Seen{NoWord: true}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	answer, err := io.ReadAll(reply.Body)
	if ctx.Err() != nil {
		return twodoortest.Seen{NoWord: true}
	}
	if err != nil {
		t.Fatal(err)
	}
	return way.read(t, reply.StatusCode, answer)
}

func readAnswer(t *testing.T, status int, body []byte) twodoortest.Seen {
	t.Helper()
	var answer struct {
		Value json.RawMessage
		Blobs []struct{ Data []byte }
		Error struct{ Code, Hint string }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if fault := answer.Error; fault.Code != "" {
		if status < 400 {
			t.Errorf("%s comes with HTTP %d", fault.Code, status)
		}
		return twodoortest.Seen{Code: fault.Code, Text: string(body)}
	}
	seen := twodoortest.Seen{Value: answer.Value}
	for _, blob := range answer.Blobs {
		seen.Blobs = append(seen.Blobs, blob.Data)
	}
	return seen
}

func readStream(t *testing.T, status int, body []byte) twodoortest.Seen {
	t.Helper()
	event, data, _ := bytes.Cut(bytes.TrimSpace(body), []byte("\ndata: "))
	if string(event) == "event: error" {
		status = 500
	}
	return readAnswer(t, status, data)
}

func readEnvelope(t *testing.T, status int, body []byte) (seen twodoortest.Seen) {
	t.Helper()
	var e struct {
		Success, IsError    bool
		Result, Error, Code string
		Content             []struct{ Type, Text, Data string }
	}
	if err := json.Unmarshal(body, &e); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if e.Success == e.IsError || e.Success == (e.Error != "") || status != 200 && status != 401 && status != 403 {
		t.Errorf("HTTP %d with %s", status, body)
	}
	if !e.Success {
		return twodoortest.Seen{Code: e.Code, Text: e.Error}
	}
	for _, block := range e.Content {
		switch {
		case block.Type == "image":
			data, _ := base64.StdEncoding.DecodeString(block.Data)
			seen.Blobs = append(seen.Blobs, data)
		case block.Text == twodoor.NoContent:
		case rawjson.Check([]byte(block.Text)) == nil:
			seen.Value = json.RawMessage(block.Text)
		default:
			seen.Value = rawjson.Quote(block.Text)
		}
	}
	return seen
}
