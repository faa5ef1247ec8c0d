package openapi

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTranslated(t *testing.T) {
	pages := web{
		"https://docs.example.com/zh.yaml": `openapi: 3.0.3
info: {title: T, version: "1"}
paths:
  /incident/list:
    post: {summary: " 列出\n故障 ", description: 分页列出。}
  /incident/info: {$ref: "#/components/pathItems/info"}
  /incident/ack: {post: {operationId: ackIncident}}
components: {pathItems: {info: {get: {description: 一个故障。}}}}
`, "https://docs.example.com/broken.yaml": "a: ["}
	s := &Source{Name: "api", File: "https://docs.example.com/en.yaml", Fetch: pages.fetch, Overlays: []string{"https://docs.example.com/none.yaml"},
		Translations: map[string]string{"zh": "https://docs.example.com/zh.yaml"}}
	got, err := s.Translated(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Words{"POST /incident/list": {"列出 故障", "分页列出。"}, "GET /incident/info": {"一个故障。", ""}}
	if len(got) != 1 || !maps.Equal(got["zh"], want) {
		t.Errorf("got %+v", got)
	}
	s.Translations["ja"] = "https://docs.example.com/broken.yaml"
	if _, err := s.Translated(t.Context()); err == nil || !strings.Contains(err.Error(), "translation ja") || !strings.Contains(err.Error(), "broken.yaml:") {
		t.Errorf("a broken twin is told as %v", err)
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
	all, err := s.Translated(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range r.Operations {
		if all["zh"][op.Origin].Title == "" {
			t.Errorf("%s has no title in the twin", op.Origin)
		}
	}
}
