package docs_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/docs"
)

func TestEveryPageSaysWhatItIs(t *testing.T) {
	topics := docs.Topics()
	if len(topics) < 4 {
		t.Fatalf("%d pages", len(topics))
	}
	for _, topic := range topics {
		if !strings.HasPrefix(topic.Text, "# ") || topic.Title == "" || topic.Says == "" || len(topic.Says) > 300 {
			t.Errorf("%s: title %q, says %q", topic.Name, topic.Title, topic.Says)
		}
		for _, part := range topic.Parts() {
			if got, ok := docs.Find(topic.Name, part); !ok || !strings.HasPrefix(got.Text, "## ") {
				t.Errorf("%s: there is no part %q", topic.Name, part)
			}
		}
	}
}

func TestErrorsAreThoseOfTheCode(t *testing.T) {
	page, _ := docs.Find("errors", "")
	for _, code := range twodoor.Codes() {
		if part, ok := docs.Find("error", code.String()); !ok || len(part.Text) < 40 {
			t.Errorf("there is no page for the code %s", code)
		}
		told := "`isError`"
		switch {
		case code == twodoor.CodeCanceled:
			told = "no reply"
		case code.RPC() != 0:
			told = fmt.Sprintf("error %d", code.RPC())
		}
		again := map[bool]string{true: "yes", false: "no"}[code.Retryable()]
		row := fmt.Sprintf("| `%s` | %d | %d | %s | %s |", code, code.Exit(), code.HTTP(), told, again)
		if !strings.Contains(page.Text, row) {
			t.Errorf("the table lacks %q", row)
		}
	}
}

func TestHandler(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("GET /docs/{topic...}", docs.Handler())
	for path, want := range map[string]string{
		"/docs/":                  "(errors.md)",
		"/docs/errors":            "# Errors",
		"/docs/errors.md":         "# Errors",
		"/docs/errors/not_found":  "## `not_found`",
		"/docs/nothing":           "there is no such page",
		"/docs/errors/no-section": "there is no such page",
	} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if !strings.Contains(w.Body.String(), want) || (w.Code == http.StatusOK) == strings.HasPrefix(want, "there is no") {
			t.Errorf("%s: %d %.80q", path, w.Code, w.Body)
		}
	}
}
