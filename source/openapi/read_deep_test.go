package openapi

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// TestDeepYAML loses the operation that nests too deep, and no other.
func TestDeepYAML(t *testing.T) {
	deep := strings.Repeat("{items: ", rawjson.MaxDepth+200) + "{}" + strings.Repeat("}", rawjson.MaxDepth+200)
	text := fmt.Sprintf(`openapi: 3.1.0
info: {title: "It's \"T\"", version: '1'}
paths:
  /before: {get: {summary: 'it''s [fine]'}}
  /deep:
    post: {requestBody: {content: {application/json: {schema: %s}}}}
  /after: {get: {}}
`, deep)
	const root = "https://docs.example.com/openapi.yaml"
	r, err := (&Source{Name: "api", File: root, Fetch: web{root: text}.fetch}).Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Operations) != 2 || r.Operations[1].At != root+":7" || r.Operations[0].Title != "it's [fine]" {
		t.Errorf("read %+v", r.Operations)
	}
	if len(r.Exceptions) != 1 || r.Exceptions[0].Operation != "POST /deep" || !strings.Contains(r.Exceptions[0].Reason, "deeper") {
		t.Errorf("the exceptions are %+v", r.Exceptions)
	}
}
