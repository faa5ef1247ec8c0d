package openapi

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

const exported = `openapi: 3.1.0
info: {title: T, version: "1", x-twodoor: {title: Ours}}
x-twodoor: {title: Ours}
servers: [{url: "https://api.example.com"}]
tags: [{name: open}, {name: secret}, {name: never}]
security: [{key: []}]
paths:
  /open:
    x-twodoor: {timeout: 1s}
    get:
      tags: [open]
      operationId: getOpen
      parameters: [{name: default, in: query, schema: {$ref: "#/components/schemas/A%20B"}, x-twodoor: {time: x}}]
      responses:
        "200":
          description: ok
          content: {application/json: {schema: {$ref: "#/components/schemas/Open"}}}
          links: {next: {operationId: getSecret}, self: {operationId: getOpen}}
        default: {description: bad, x-twodoor: {a: 1}, content: {application/json: {schema: {properties: {default: {type: string, x-twodoor: {}}, x-twodoor: {type: string}}}}}}
    delete: {tags: [secret], operationId: deleteOpen, x-twodoor: {export: none}, responses: {"200": {$ref: "#/components/responses/Secret"}}}
  /secret:
    get: {tags: [secret], operationId: getSecret, x-twodoor: {export: none}, security: [{other: []}], responses: {"200": {$ref: "#/components/responses/Secret"}}}
  /both: {$ref: "#/components/pathItems/Both"}
  /twin: {$ref: "#/components/pathItems/Both"}
components:
  securitySchemes: {key: {type: apiKey, in: header, name: K}, other: {type: http, scheme: bearer}}
  responses: {Secret: {description: s, content: {application/json: {schema: {$ref: "#/components/schemas/Secret"}}}}}
  pathItems: {Both: {get: {responses: {"200": {description: ok}}}, post: {responses: {"200": {description: made}}}}}
  schemas:
    A B: {type: string}
    Open: {oneOf: [{$ref: "#/components/schemas/Cat"}], discriminator: {propertyName: k, mapping: {d: Dog}}, example: {x-twodoor: data}}
    Cat: {type: object, properties: {k: {type: string}}}
    Dog: {type: object, properties: {n: {const: 1152921504606846977}}}
    Secret: {type: object, properties: {inner: {$ref: "#/components/schemas/Inner"}}}
    Inner: {type: string}
`

func TestExport(t *testing.T) {
	pages := web{"https://x.example/a.yaml": exported, "https://x.example/b.yaml": strings.Replace(exported, "#/components/schemas/Inner", "c.yaml#/Inner", 1), "https://x.example/c.yaml": "Inner: {type: string}"}
	s := &Source{Name: "api", File: "https://x.example/a.yaml", Fetch: pages.fetch, Operations: map[string]json.RawMessage{"POST /both": json.RawMessage(`{"export":"none"}`)}}
	raw, err := s.Export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	root, err := rawjson.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	keys := func(path ...string) string { return strings.Join(root.Path(path...).Keys, " ") }
	for _, c := range []struct{ what, got, want string }{
		{"paths", keys("paths"), "/open /both /twin"},
		{"methods", keys("paths", "/open"), "get"},
		{"the path that had a reference", keys("paths", "/both"), "get"},
		{"the path that shared it", keys("paths", "/twin"), "$ref"},
		{"schemas", keys("components", "schemas"), "A B Open Cat Dog"},
		{"responses", keys("components", "responses"), ""},
		{"schemes", keys("components", "securitySchemes"), "key"},
		{"path items", keys("components", "pathItems"), "Both"},
		{"links", keys("paths", "/open", "get", "responses", "200", "links"), "self"},
		{"a property of that name", keys("paths", "/open", "get", "responses", "default", "content", "application/json", "schema", "properties"), "default x-twodoor"},
		{"tags", string(root.Get("tags").JSON()), `[{"name":"open"},{"name":"never"}]`},
		{"an example", string(root.Path("components", "schemas", "Open", "example").JSON()), `{"x-twodoor":"data"}`},
		{"digits", string(root.Path("components", "schemas", "Dog", "properties", "n", "const").JSON()), "1152921504606846977"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.what, c.got, c.want)
		}
	}
	if n := strings.Count(string(raw), "x-twodoor"); n != 2 {
		t.Errorf("%d annotations are left:\n%s", n-2, raw)
	}
	s.File = "https://x.example/b.yaml"
	if _, err := s.Export(t.Context()); twodoor.AsError(err).Code != twodoor.CodeInvalid || !strings.Contains(err.Error(), "c.yaml#/Inner") {
		t.Errorf("several files: %v", err)
	}
}

// TestCorpusExport: where nothing is hidden the cut is the description itself, as a value; where a half
// is hidden, the other half is what it was.
func TestCorpusExport(t *testing.T) {
	folder := os.Getenv("TWODOOR_CORPUS")
	if folder == "" {
		t.Skip("TWODOOR_CORPUS is unset: no real descriptions to read")
	}
	for _, name := range []string{"flashduty.en.json", "stripe.json", "kubernetes-swagger2.json", "twilio-api-v2010.json", "asana.yaml"} {
		file := filepath.Join(folder, "openapi", name)
		s := &Source{Name: "api", File: file}
		whole, err := s.Export(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if text, err := os.ReadFile(file); err == nil && strings.HasSuffix(name, ".json") && !rawjson.Equal(text, whole) {
			t.Errorf("%s: the whole is not what it was", name)
		}
		reading, err := s.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.Operations, s.Kept = map[string]json.RawMessage{}, reading.Lock
		left := map[string]*twodoor.Operation{}
		for i := range reading.Operations {
			if op := &reading.Operations[i]; i%2 == 0 {
				s.Operations[op.Origin] = json.RawMessage(`{"export":"none"}`)
			} else {
				left[op.ID] = op
			}
		}
		half, err := s.Export(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		path := filepath.Join(t.TempDir(), "half.json")
		if err := os.WriteFile(path, half, 0o644); err != nil {
			t.Fatal(err)
		}
		again, err := (&Source{Name: "api", File: path, Kept: reading.Lock}).Read(t.Context())
		if err != nil || len(again.Operations) != len(left) {
			t.Fatalf("%s: %d of %d operations are left, %v", name, len(again.Operations), len(left), err)
		}
		for _, op := range again.Operations {
			if was := left[op.ID]; was == nil || !bytes.Equal(op.Input, was.Input) || op.Title != was.Title {
				t.Errorf("%s: %s is not what it was", name, op.ID)
			}
		}
		t.Logf("%s: %d kB of %d kB", name, len(half)/1000, len(whole)/1000)
	}
}
