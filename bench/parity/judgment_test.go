package parity

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestParityJudge holds the judge against requests that are right, and against the same ones with
// one thing wrong: a judge that lets a wrong one pass proves nothing.
func TestParityJudge(t *testing.T) {
	o := describedItem(t)
	args := object(json2any([]byte(`{"id":"a/b","tags":["x","y"],"body_id":1152921504606846977,"trace":"t","note":"n","deep":{"a":1}}`)))
	right := []string{"POST", "/v1/items/a%2Fb?tags=x&tags=y&deep%5Ba%5D=1", "Trace: t", "X-Key: " + key,
		`{"id":1152921504606846977,"note":"n"}`}
	if faults := judged(t, o, args, right); faults != nil {
		t.Fatalf("a right request is refused: %q", faults)
	}
	for name, wrong := range map[string][2]string{
		"another method":         {"POST", "PUT"},
		"another path":           {"/v1/items/", "/v1/other/"},
		"no base path":           {"/v1/items/", "/items/"},
		"an open slash":          {"a%2Fb", "a/b"},
		"a list joined":          {"tags=x&tags=y", "tags=x,y"},
		"a list cut":             {"tags=x&tags=y", "tags=x"},
		"a list turned":          {"tags=x&tags=y", "tags=y&tags=x"},
		"a parent key lost":      {"deep%5Ba%5D", "a"},
		"a query nobody gave":    {"?tags=x", "?limit=0&tags=x"},
		"a header lost":          {"Trace: t", "Accept: */*"},
		"a header changed":       {"Trace: t", "Trace: T"},
		"no key":                 {"X-Key: " + key, "Accept: */*"},
		"the key twice":          {`"n"}`, `"n","key":"` + key + `"}`},
		"the key in the query":   {"?tags", "?k=" + key + "&tags"},
		"digits lost":            {"1152921504606846977", "1152921504606847000"},
		"a number as text":       {"1152921504606846977", `"1152921504606846977"`},
		"a field lost":           {`,"note":"n"`, ``},
		"a field nobody gave":    {`"n"}`, `"n","more":null}`},
		"inputs that changed":    {`"id":1152921504606846977`, `"id":"a/b"`},
		"a body that is no JSON": {`{"id"`, `{id`},
	} {
		bad := make([]string, len(right))
		changed := false
		for i := range right {
			bad[i] = strings.Replace(right[i], wrong[0], wrong[1], 1)
			changed = changed || bad[i] != right[i]
		}
		if !changed {
			t.Errorf("%s: nothing is wrong with it", name)
		} else if faults := judged(t, o, args, bad); faults == nil {
			t.Errorf("%s: it passes: %q", name, bad)
		}
	}
	delete(args, "note")
	if faults := judged(t, o, args, right); faults == nil {
		t.Error("a field that no argument gave passes")
	}
}

// judged judges a request of: method, address, two headers, body.
func judged(t *testing.T, o *described, args map[string]any, request []string) []string {
	t.Helper()
	req, err := http.NewRequest(request[0], "http://far.test"+request[1], strings.NewReader(request[4]))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range request[2:4] {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	r, err := overWire(req)
	if err != nil {
		t.Fatal(err)
	}
	r.base = "http://far.test/v1"
	return o.judge(r, ask{args: args})
}

// describedItem is an operation with something in every place.
func describedItem(t *testing.T) *described {
	t.Helper()
	file := filepath.Join(t.TempDir(), "item.json")
	document := `{"openapi":"3.0.3","servers":[{"url":"http://far.test/v1"}],"paths":{"/other/{id}":{"post":{}},"/items/{id}":{"post":{
		"security":[{"k":[]}],
		"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}},
			{"name":"tags","in":"query","schema":{"type":"array","items":{"type":"string"}}},
			{"name":"limit","in":"query","schema":{"type":"integer"}},
			{"name":"deep","in":"query","style":"deepObject","schema":{"type":"object","properties":{"a":{"type":"integer"}}}},
			{"name":"Trace","in":"header","schema":{"type":"string"}}],
		"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","required":["id"],
			"properties":{"id":{"type":"integer","format":"int64"},"note":{"type":"string"}}}}}}}}},
		"components":{"securitySchemes":{"k":{"type":"apiKey","in":"header","name":"X-Key"}}}}`
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := readDocument(file)
	if err != nil {
		t.Fatal(err)
	}
	return d.operations["POST /items/{id}"]
}
