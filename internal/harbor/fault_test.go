package harbor_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twodoor/twodoor/internal/harbor"
	"github.com/twodoor/twodoor/internal/harbor/fault"
)

// TestFaultsAnswer: the faults that answer at all, each for one request; the next one is fine again.
func TestFaultsAnswer(t *testing.T) {
	wants := map[string]func(answer) bool{
		"badjson": func(got answer) bool { return got.status == 200 && !json.Valid(got.body) },
		"wrongtype": func(got answer) bool {
			return got.status == 200 && strings.HasPrefix(got.header.Get("Content-Type"), "text/html")
		},
		"redirect-other-host": func(got answer) bool {
			return got.status == 307 && strings.HasPrefix(got.header.Get("Location"), "http://localhost:")
		},
		"500":  func(got answer) bool { return got.status == 500 && !json.Valid(got.body) },
		"503":  func(got answer) bool { return got.status == 503 && got.header.Get("Retry-After") == "1" },
		"429":  func(got answer) bool { return got.status == 429 && got.header.Get("Retry-After") == "1" },
		"huge": func(got answer) bool { return len(got.body) == 50_000_000 && json.Valid(got.body) },
	}
	server, service := serve(t, harbor.Options{})
	for name, fits := range wants {
		if err := service.Fault(name, 1); err != nil {
			t.Fatal(err)
		}
		if got := send(t, to("GET", "/incident", "")(t, server.URL)); !fits(got) {
			t.Errorf("%s: status %d, %v, %d bytes", name, got.status, got.header, len(got.body))
		}
		if got := send(t, to("GET", "/incident", "")(t, server.URL)); got.status != 200 {
			t.Errorf("after %s: status %d", name, got.status)
		}
		if got := send(t, withHeader(to("GET", "/incident", ""), "Harbor-Fault", name)(t, server.URL)); !fits(got) {
			t.Errorf("%s by header: status %d", name, got.status)
		}
	}
}

func TestFaultsCut(t *testing.T) {
	server, service := serve(t, harbor.Options{})
	if err := service.Fault("flaky", 2); err != nil {
		t.Fatal(err)
	}
	if err := service.Fault("reset", 1); err != nil {
		t.Fatal(err)
	}
	// A GET is sent again by net/http when a kept connection breaks: each request gets its own.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for i, cut := range []bool{true, false, true, false, true, false} {
		response, err := client.Do(to("GET", "/person", "")(t, server.URL))
		if err == nil {
			response.Body.Close()
		}
		if (err != nil) != cut {
			t.Errorf("request %d: %v", i, err)
		}
	}
}

func TestFaultHangEndsWithTheCaller(t *testing.T) {
	server, service := serve(t, harbor.Options{})
	if err := service.Fault("hang", 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := http.DefaultClient.Do(to("POST", "/incident/search", `{"text":"x"}`)(t, server.URL).WithContext(ctx))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestFaultSlowAnswersRightly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := harbor.New(harbor.Options{})
		if err := service.Fault("slow", 1); err != nil {
			t.Fatal(err)
		}
		begin, recorder := time.Now(), httptest.NewRecorder()
		service.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", "/person", nil))
		if waited := time.Since(begin); waited != 2*time.Second || recorder.Code != 200 {
			t.Errorf("status %d after %s", recorder.Code, waited)
		}
	})
}

func TestFaultsByRequest(t *testing.T) {
	server, service := serve(t, harbor.Options{OtherHost: "http://other.example/"})
	if err := service.Fault("earthquake", 1); err == nil {
		t.Error("an unknown fault was taken")
	}
	if err := service.Fault("500", 0); err == nil {
		t.Error("a count of 0 was taken")
	}
	if got := send(t, to("POST", "/faults", `{"name":"redirect-other-host","count":3}`)(t, server.URL)); got.status != 201 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	got := send(t, to("GET", "/incident?limit=2", "")(t, server.URL))
	if want := "http://other.example/incident?limit=2"; got.header.Get("Location") != want {
		t.Errorf("redirected to %q, want %q", got.header.Get("Location"), want)
	}
	if got := send(t, to("GET", "/faults", "")(t, server.URL)); !strings.Contains(string(got.body), `{"name":"redirect-other-host","count":2}`) {
		t.Errorf("waiting: %s", got.body)
	}
	send(t, to("DELETE", "/faults", "")(t, server.URL))
	if got := send(t, to("GET", "/incident", "")(t, server.URL)); got.status != 200 {
		t.Errorf("after clearing: %d", got.status)
	}
}

// TestFaultsListed: each fault can be asked for, and the document allows exactly these.
func TestFaultsListed(t *testing.T) {
	doc := read(t)
	body := doc.root["paths"].(object)["/faults"].(object)["post"].(object)["requestBody"].(object)
	schema := body["content"].(object)["application/json"].(object)["schema"].(object)
	documented := schema["properties"].(object)["name"].(object)["enum"].([]any)
	service := harbor.New(harbor.Options{})
	var listed []any
	for _, kind := range fault.Kinds() {
		listed = append(listed, kind.Name)
		if err := service.Fault(kind.Name, 1); err != nil || kind.Meaning == "" {
			t.Errorf("%s: %v, meaning %q", kind.Name, err, kind.Meaning)
		}
	}
	if !slices.Equal(documented, listed) {
		t.Errorf("documented %v, listed %v", documented, listed)
	}
}
