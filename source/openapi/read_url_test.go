package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

// web answers from a map, and fails for everything else.
type web map[string]string

func (w web) fetch(_ context.Context, url string) ([]byte, error) {
	if text, ok := w[url]; ok {
		return []byte(text), nil
	}
	return nil, fmt.Errorf("404 for %s", url)
}

// TestReadURL reads a description from the web: relative servers and token URLs stand on its
// address, references stay on its host (edge cases 27 and 43).
func TestReadURL(t *testing.T) {
	const root = "https://docs.example.com/api/v1/openapi.yaml"
	pages := web{
		root: `
openapi: 3.1.0
servers: [{url: ../v2/}]
security: [{o: []}]
paths:
  /a: {get: {parameters: [{$ref: "parts.yaml#/limit"}]}}
  /b: {get: {servers: [{url: //cdn.example.com/x}], parameters: [{$ref: "https://elsewhere.example.com/parts.yaml#/limit"}]}}
  /c: {get: {servers: [{url: //cdn.example.com/x}], parameters: [{$ref: "/parts.yaml"}]}}
components:
  securitySchemes: {o: {type: oauth2, flows: {clientCredentials: {tokenUrl: /token}}}}
`,
		"https://docs.example.com/api/v1/parts.yaml":   `limit: {name: limit, in: query, schema: {type: integer}}`,
		"https://docs.example.com/parts.yaml":          `{name: c, in: query, schema: {type: integer}}`,
		"https://elsewhere.example.com/api/parts.yaml": `limit: {name: limit, in: query, schema: {type: integer}}`,
	}
	r, err := (&Source{Name: "api", File: root, Fetch: pages.fetch}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Operations) != 2 || len(r.Exceptions) != 1 || !strings.Contains(r.Exceptions[0].Reason, "no other host is asked") {
		t.Fatalf("%d operations, exceptions %v", len(r.Operations), r.Exceptions)
	}
	var p plan.Plan
	if err := json.Unmarshal(r.Operations[0].Plan, &p); err != nil {
		t.Fatal(err)
	}
	if p.Server != "https://docs.example.com/api/v2" || p.Need[0][0].TokenURL != "https://docs.example.com/token" {
		t.Errorf("server %s, token URL %s", p.Server, p.Need[0][0].TokenURL)
	}
	if want := []string{"https://cdn.example.com", "https://docs.example.com"}; !slices.Equal(r.Origins, want) {
		t.Errorf("origins %v, want %v", r.Origins, want)
	}
	if want := []string{root, "https://docs.example.com/api/v1/parts.yaml", "https://docs.example.com/parts.yaml"}; !slices.Equal(r.Files, want) {
		t.Errorf("read %v, want %v", r.Files, want)
	}
}

func TestReadURLFaults(t *testing.T) {
	const root = "https://docs.example.com/openapi.json"
	if _, err := (&Source{Name: "api", File: root, Fetch: web{}.fetch}).Read(t.Context()); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a page that is not there: %v", err)
	}
	_, err := (&Source{Name: "api", File: root, MaxBytes: 8, Fetch: web{root: `{"openapi": "3.1.0"}`}.fetch}).Read(t.Context())
	if fault, ok := errors.AsType[*twodoor.Error](err); !ok || fault.Code != twodoor.CodeTooLarge {
		t.Errorf("a page over the bound: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&Source{Name: "api", File: root, Fetch: web{root: `{"openapi": "3.1.0"}`}.fetch}).Read(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

// TestReadKeepsTheLock reads a description again that lost an operation: the other one keeps its
// name, and the name of the lost one stays reserved.
func TestReadKeepsTheLock(t *testing.T) {
	const root = "https://docs.example.com/openapi.yaml"
	text := "openapi: 3.1.0\npaths:\n  /a: {get: {}}\n  /b: {get: {}}\n"
	first, err := (&Source{Name: "api", File: root, Fetch: web{root: text}.fetch}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := (&Source{Name: "api", File: root, Kept: first.Lock, Fetch: web{root: "openapi: 3.1.0\npaths:\n  /b: {get: {}}\n"}.fetch}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again.Lock.Names["GET /a"] != first.Lock.Names["GET /a"] || again.Operations[0].ID != first.Operations[1].ID {
		t.Errorf("locked %v, then %v", first.Lock, again.Lock)
	}
}

// FuzzRead feeds the reader documents: it may refuse them, and never panics. What it serves is
// well-formed.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{"openapi":"3.1.0","paths":{"/a/{b}":{"get":{"parameters":[{"name":"b","in":"path","schema":{"type":["string","null"]}}],"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"}}}}}}}},"components":{"schemas":{"S":{"allOf":[{"$ref":"#/components/schemas/S"},{"type":"object","properties":{"x":{"oneOf":[{"type":"null"},{"$ref":"#/components/schemas/S"}]}}}]}}}}`,
		`{"swagger":"2.0","paths":{"/a":{"post":{"consumes":["*/*"],"parameters":[{"in":"body","name":"x","schema":{"discriminator":"k","properties":{"k":{"type":"string"}}}},{"in":"formData","name":"f","type":"file"}]}}}}`,
		"openapi: 3.0.0\npaths:\n  /a:\n    post:\n      x-twodoor: {hide: [a], fix: {b: 1}, rename: {c: d}, time: {d: unix}, page: {style: cursor}}\n      requestBody: {content: {multipart/form-data: {schema: {oneOf: [{properties: {a: {}}}, {required: [b]}], discriminator: {propertyName: a, mapping: {x: y}}}}}}\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		const root = "https://docs.example.com/openapi"
		r, err := (&Source{Name: "api", File: root, Fetch: web{root: text}.fetch}).Read(t.Context())
		if err != nil {
			return
		}
		for _, e := range r.Exceptions {
			if strings.Contains(e.Reason, "reading it went wrong") {
				t.Errorf("%s: %s", e.Operation, e.Reason)
			}
		}
		for i := range r.Operations {
			for _, raw := range []json.RawMessage{r.Operations[i].Input, r.Operations[i].Output, r.Operations[i].Plan} {
				if len(raw) > 0 && !json.Valid(raw) {
					t.Errorf("%s: %s", r.Operations[i].Origin, raw)
				}
			}
		}
	})
}

func TestKeyInAddressIsNotTold(t *testing.T) {
	at := "https://x.example/a.yaml?token=sesame-open-1234"
	for name, text := range map[string]string{"no syntax": "openapi: [", "no description": "a: 1", "empty": "openapi: 3.1.0"} {
		r, err := (&Source{Name: "api", File: at, Fetch: web{at: text}.fetch}).Read(t.Context())
		said := fmt.Sprint(err)
		if r != nil {
			said += fmt.Sprint(r.Notes)
		}
		if strings.Contains(said, "sesame") || !strings.Contains(said, "a.yaml?token=***") {
			t.Errorf("%s: told as %s", name, said)
		}
	}
}
