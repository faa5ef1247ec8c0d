package openapi

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
)

// TestTranslations: the words of a twin stand in the reading by origin, and nothing else of it does; a
// twin that cannot be read is told, and what is served stays.
func TestTranslations(t *testing.T) {
	pages := web{
		"https://docs.example.com/en.yaml": `openapi: 3.0.3
info: {title: T, version: "1"}
servers: [{url: "https://api.example.com"}]
tags: [{name: incident, description: Incidents.}]
paths:
  /incident/list: {post: {tags: [incident], summary: List, requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Query"}}}}, responses: {"200": {description: ok}}}}
  /incident/info: {get: {tags: [incident], summary: Info, responses: {"200": {description: ok}}}}
  /incident/ack: {post: {tags: [incident], operationId: ackIncident, responses: {"200": {description: ok}}}}
  /person/list: {post: {tags: [person], summary: People, responses: {"200": {description: ok}}}}
components: {schemas: {Query: {type: object, properties: {status: {type: string, description: The status}, kept: {type: string, description: Same}}}}}
`,
		"https://docs.example.com/zh.yaml": `openapi: 3.0.3
info: {title: T, version: "1"}
tags: [{name: incident, description: 故障。}]
paths:
  /incident/list:
    post:
      tags: [incident]
      summary: " 列出\n故障 "
      description: 分页列出。
      requestBody: {content: {application/json: {schema: {type: object, properties: {status: {type: string, description: 状态}, kept: {type: string, description: Same}}}}}}
      responses: {"200": {description: ok}}
      x-twodoor: {answer: {empty: 没有故障}}
  /incident/info: {$ref: "#/components/pathItems/info"}
  /incident/ack: {post: {tags: [incident], operationId: ackIncident, responses: {"200": {description: ok}}}}
  /incident/gone: {post: {tags: [incident], summary: 没有, responses: {"200": {description: ok}}}}
components: {pathItems: {info: {get: {tags: [incident], description: 一个故障。, responses: {"200": {description: ok}}}}}}
`, "https://docs.example.com/broken.yaml": "a: ["}
	s := &Source{Name: "api", File: "https://docs.example.com/en.yaml", Fetch: pages.fetch,
		Translations: map[string]string{"zh": "https://docs.example.com/zh.yaml", "ja": "https://docs.example.com/broken.yaml"}}
	got, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]twodoor.Translation{"zh": {
		Groups: map[string]string{"incident": "故障。"},
		Operations: map[string]twodoor.Words{
			"POST /incident/list": {Title: "列出 故障", Description: "分页列出。", Inputs: map[string]string{"status": "状态"}, Empty: "没有故障"},
			"GET /incident/info":  {Title: "一个故障。", Inputs: map[string]string{}},
		},
	}}
	if !reflect.DeepEqual(got.Translations, want) {
		t.Errorf("got %+v", got.Translations)
	}
	if !slices.ContainsFunc(got.Notes, func(note string) bool {
		return strings.Contains(note, "translation ja") && strings.Contains(note, "broken.yaml:")
	}) {
		t.Errorf("a broken twin is told as %q", got.Notes)
	}
	for _, file := range []string{"zh.yaml", "broken.yaml"} {
		if !slices.Contains(got.Files, "https://docs.example.com/"+file) {
			t.Errorf("%s is not among the files: %v", file, got.Files)
		}
	}
}

// TestCorpusTranslated finds the words of a real twin for every operation.
func TestCorpusTranslated(t *testing.T) {
	folder := os.Getenv("TWODOOR_CORPUS")
	if folder == "" {
		t.Skip("TWODOOR_CORPUS is unset: no real descriptions to read")
	}
	file := func(name string) string { return filepath.Join(folder, "openapi", name) }
	s := &Source{Name: "flashduty", File: file("flashduty.en.json"), Translations: map[string]string{"zh": file("flashduty.zh.json")}}
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	inputs := 0
	for _, op := range r.Operations {
		words := r.Translations["zh"].Operations[op.Origin]
		if words.Title == "" {
			t.Errorf("%s has no title in the twin", op.Origin)
		}
		inputs += len(words.Inputs)
	}
	if inputs < len(r.Operations) {
		t.Errorf("the twin tells of %d inputs only", inputs)
	}
}
