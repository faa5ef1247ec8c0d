package harbor_test

import (
	"bytes"
	"encoding/json"
	"mime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/harbor"
)

// TestEveryOperationAnswersAsDocumented sends every operation with its examples, once per kind of body.
func TestEveryOperationAnswersAsDocumented(t *testing.T) {
	doc := read(t)
	for _, op := range doc.operations() {
		for media, example := range doc.bodies(t, op) {
			t.Run(strings.TrimSpace(op.String()+" "+media), func(t *testing.T) {
				server, _ := serve(t, harbor.Options{})
				if media != "" && media != "text/plain" && media != "multipart/form-data" {
					doc.mustFit(t, op.pointer+"/requestBody/content/"+escape(media)+"/schema", example)
				}
				doc.judge(t, op, send(t, op.build(t, server.URL, media, example)))
			})
		}
	}
}

// bodies are the documented request bodies by media type; an operation without a body has one empty entry.
func (doc *reading) bodies(t *testing.T, op operation) map[string]any {
	t.Helper()
	found := map[string]any{}
	contents, _ := doc.follow(op.spec["requestBody"])["content"].(object)
	for media, content := range contents {
		example := content.(object)["example"]
		if example == nil {
			t.Fatalf("%s has no example of %s", op, media)
		}
		found[media] = example
	}
	if len(found) == 0 {
		found[""] = nil
	}
	return found
}

func (doc *reading) mustFit(t *testing.T, pointer string, value any) {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.check(pointer, raw); err != nil {
		t.Errorf("the example does not fit its schema: %v", err)
	}
}

// judge holds an answer against the success that is declared.
func (doc *reading) judge(t *testing.T, op operation, got answer) {
	t.Helper()
	if got.status >= 300 {
		t.Fatalf("status %d: %s", got.status, got.body)
	}
	responses := op.spec["responses"].(object)
	status := strconv.Itoa(got.status)
	declared, has := responses[status]
	if !has {
		t.Fatalf("status %s is not declared", status)
	}
	contents := doc.contents(declared, op.pointer+"/responses/"+status)
	if len(contents) == 0 {
		if len(got.body) > 0 {
			t.Errorf("no body is declared, got %q", got.body)
		}
		return
	}
	media, _, err := mime.ParseMediaType(got.header.Get("Content-Type"))
	pointer, known := contents[media]
	if err != nil || !known {
		t.Fatalf("content type %q is not declared", got.header.Get("Content-Type"))
	}
	for name := range doc.follow(doc.follow(declared)["headers"]) {
		if got.header.Get(name) == "" {
			t.Errorf("declared header %s is missing", name)
		}
	}
	doc.judgeBody(t, media, pointer, got.body)
}

func (doc *reading) judgeBody(t *testing.T, media, pointer string, body []byte) {
	t.Helper()
	if len(body) == 0 {
		t.Fatal("the body is empty")
	}
	switch media {
	case "application/json":
		if bytes.Contains(body, []byte(`"items":[]`)) {
			t.Errorf("the example finds nothing: %s", body)
		}
		if err := doc.check(pointer, body); err != nil {
			t.Errorf("%v\n%s", err, body)
		}
	case "application/x-ndjson":
		for _, line := range bytes.Split(bytes.TrimSpace(body), []byte("\n")) {
			if err := doc.check(pointer, line); err != nil {
				t.Errorf("%v\n%s", err, line)
			}
		}
	case "text/event-stream":
		for _, block := range strings.Split(strings.TrimSpace(string(body)), "\n\n") {
			if strings.Contains(block, "event: end") {
				continue
			}
			_, data, _ := strings.Cut(block, "data: ")
			if err := doc.check(pointer, []byte(data)); err != nil {
				t.Errorf("%v\n%s", err, data)
			}
		}
	}
}

// TestEveryOperationIsAPrompt holds what an agent reads to a minimum: a summary, a description, errors.
func TestEveryOperationIsAPrompt(t *testing.T) {
	for _, op := range read(t).operations() {
		summary, _ := op.spec["summary"].(string)
		description, _ := op.spec["description"].(string)
		if len(summary) < 8 || len(summary) > 60 || len(description) < 40 || len(description) > 700 {
			t.Errorf("%s: summary of %d, description of %d bytes", op, len(summary), len(description))
		}
		responses := op.spec["responses"].(object)
		for _, status := range []string{"401", "default"} {
			if responses[status] == nil {
				t.Errorf("%s does not declare %s", op, status)
			}
		}
		if strings.Contains(op.path, "{") && responses["404"] == nil {
			t.Errorf("%s does not declare 404", op)
		}
	}
}

// TestLargeSchema: creating a workflow takes about 32k tokens of schema when every reference is written out, recursion
// cut where it begins again.
func TestLargeSchema(t *testing.T) {
	doc := read(t)
	inlined, err := json.Marshal(doc.inline(object{"$ref": "#/components/schemas/WorkflowDocument"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	tokens := len(inlined) / 4
	if tokens < 29_000 || tokens > 36_000 {
		t.Errorf("the schema weighs about %d tokens", tokens)
	}
	t.Logf("%d bytes, about %d tokens", len(inlined), tokens)
}

// inline writes every reference out, except one that leads back into itself.
func (doc *reading) inline(value any, within []string) any {
	switch node := value.(type) {
	case object:
		if ref, isRef := node["$ref"].(string); isRef {
			if slices.Contains(within, ref) {
				return object{}
			}
			return doc.inline(doc.follow(node), append(slices.Clone(within), ref))
		}
		out := object{}
		for name, inner := range node {
			out[name] = doc.inline(inner, within)
		}
		return out
	case []any:
		out := []any{}
		for _, inner := range node {
			out = append(out, doc.inline(inner, within))
		}
		return out
	}
	return value
}

// TestNoStrayKeys: a comma in an unquoted YAML text makes a key of the words behind it, without a value.
func TestNoStrayKeys(t *testing.T) {
	var walk func(at string, value any)
	walk = func(at string, value any) {
		switch node := value.(type) {
		case object:
			for name, inner := range node {
				if inner == nil {
					t.Errorf("%s: the key %q has no value", at, name)
				}
				walk(at+"/"+name, inner)
			}
		case []any:
			for _, inner := range node {
				walk(at, inner)
			}
		}
	}
	walk("", read(t).root)
}
