package mcpclient_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient"
)

func operation(t *testing.T, reading *twodoor.Reading, id string) *twodoor.Operation {
	t.Helper()
	for i := range reading.Operations {
		if reading.Operations[i].ID == id {
			return &reading.Operations[i]
		}
	}
	t.Fatalf("no operation %s", id)
	return nil
}

func TestRead(t *testing.T) {
	pool := serve(t, local("modern"))
	reading := read(t, pool)
	if reading.Title != "fake" || reading.Version != "9" || reading.Description != "read me" {
		t.Errorf("the server is told as %+v", reading)
	}
	described := rawjson.Len([]byte(tools))
	if len(reading.Operations)+len(reading.Exceptions) != described || len(reading.Exceptions) != 2 {
		t.Errorf("%d described, %d operations, exceptions %+v", described, len(reading.Operations), reading.Exceptions)
	}
	for raw := range rawjson.Elements([]byte(tools)) {
		name, _ := rawjson.Get(raw, "name")
		text, _ := rawjson.String(name)
		if strings.HasPrefix(text, "bad") {
			continue
		}
		op := operation(t, reading, "fake."+text)
		want := strings.ReplaceAll(string(raw), `"ui://x"`, `"ui://fake/x"`) // views are served under their source's name
		if got := string(mcpclient.Definition(op)); got != want {
			t.Errorf("the definition changed:\n got %s\nwant %s", got, want)
		}
		if schema, _ := rawjson.Get(raw, "inputSchema"); string(op.Input) != string(schema) || !op.Verbatim || op.Kind != "mcp" {
			t.Errorf("operation %+v", op)
		}
	}
	for id, want := range map[string]twodoor.Effect{"fake.notes_list": twodoor.Reads, "fake.delete_note": twodoor.Destroys, "fake.echo": twodoor.Writes} {
		if op := operation(t, reading, id); op.Effect != want || op.Why == "" {
			t.Errorf("%s %s because %s, want %s", id, op.Effect, op.Why, want)
		}
	}
	if again := read(t, pool); asJSON(t, again) != asJSON(t, reading) {
		t.Error("two readings differ")
	}
	if _, err := twodoor.NewCatalog(reading); err != nil {
		t.Error(err)
	}
}

func asJSON(t *testing.T, r *twodoor.Reading) string {
	t.Helper()
	out, err := json.Marshal([]any{r, r.Operations})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestIncludeAndExclude(t *testing.T) {
	server := local("legacy")
	server.Include, server.Exclude = []string{"echo", "pid"}, []string{"pid"}
	reading := read(t, serve(t, server))
	if len(reading.Operations) != 1 || reading.Operations[0].ID != "fake.echo" || len(reading.Skipped) != 13 {
		t.Errorf("served %+v, skipped %d", reading.Operations, len(reading.Skipped))
	}
}

func TestNamesThatFallTogether(t *testing.T) {
	list := `[{"name":"a.b","inputSchema":{}},{"name":"a_b","inputSchema":{"type":"object"}},{"name":"a_b","inputSchema":{"type":"object"}},{"name":"  ","inputSchema":{}},{"name":"` + strings.Repeat("x", 300) + `","inputSchema":{}},{"inputSchema":{}},{"name":"Über Note","inputSchema":{}}]`
	reading := peer(t, list)
	if len(reading.Operations) != 3 || len(reading.Exceptions) != 4 || len(reading.Notes) != 1 {
		t.Fatalf("operations %d, exceptions %+v, notes %q", len(reading.Operations), reading.Exceptions, reading.Notes)
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"peer.a.b", "peer.a_b", "peer.Über_Note"} {
		if op, _, err := catalog.Find(name); op == nil || err != nil {
			t.Errorf("%s is not found", name)
		}
	}
}

// A header annotation that breaks the rules takes one tool away, and only where headers are sent.
func TestBadHeaderAnnotations(t *testing.T) {
	for name, schema := range map[string]string{
		"empty":       `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}}`,
		"no token":    `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"a b"}}}`,
		"twice":       `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Q"},"b":{"type":"string","x-mcp-header":"q"}}}`,
		"number":      `{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"Q"}}}`,
		"in items":    `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"Q"}}}}`,
		"in oneOf":    `{"type":"object","oneOf":[{"properties":{"a":{"type":"string","x-mcp-header":"Q"}}}]}`,
		"behind $ref": `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string","x-mcp-header":"Q"}}}`,
		"no text":     `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":5}}}`,
	} {
		list := `[{"name":"good","inputSchema":{"type":"object"}},{"name":"bad","inputSchema":` + schema + `}]`
		reading := peer(t, list)
		if len(reading.Operations) != 1 || len(reading.Exceptions) != 1 {
			t.Errorf("%s: %d operations, exceptions %+v", name, len(reading.Operations), reading.Exceptions)
		}
	}
}

// peer reads a modern server behind an address that has these tools.
func peer(t *testing.T, list string) *twodoor.Reading {
	t.Helper()
	url := newList(t, list)
	pool := &mcpclient.Pool{Doer: &plain{}, Environ: os.Environ()}
	pool.Serve(map[string]mcpclient.Server{"peer": {ID: "peer", URL: url}})
	t.Cleanup(pool.Close)
	reading, err := (&mcpclient.Source{Name: "peer", Pool: pool}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return reading
}
