package app_test

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// canaries are the texts that must be found nowhere, in each form in which they might be written.
func canaries(secrets ...string) (all []string) {
	for _, plain := range secrets {
		all = append(all, plain, url.QueryEscape(plain))
		for before := range 3 { // base64, by itself and within more
			text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + plain))
			all = append(all, text[(before*8+5)/6+1:(before+len(plain))*8/6-1])
		}
	}
	return all
}

// TestNoSecretIsKept makes calls whose arguments and answers hold every key that is in use, in many
// forms, and looks for them in every byte that the program wrote or sent anywhere.
func TestNoSecretIsKept(t *testing.T) {
	stores(t, func(t *testing.T, l *lab) {
		const key, odd, collectorKey = "canary-of-the-connection", "canary of/the=env+key é", "canary-of-the-collector"
		c := newCollector(t)
		l.env["LAB_KEY"], l.env["ODD"] = key, odd
		l.env["OTEL_EXPORTER_OTLP_ENDPOINT"], l.env["OTEL_EXPORTER_OTLP_HEADERS"] = c.URL, "X-Tenant=a%20b,X-Key="+collectorKey
		l.env["OTEL_SERVICE_NAME"], l.env["OTEL_RESOURCE_ATTRIBUTES"] = "gateway", "team=sea"
		l.more = "  odd: {openapi: ./openapi.json, connection: odd}\n"
		l.rest = "  odd: {type: bearer, token: \"${env:ODD}\"}\n" + l.rest
		l.run("lab", "items", "get", "echo") // into the spool
		s := l.up()
		events := s.follow()
		for _, plain := range []string{key, s.token, collectorKey, odd} {
			for _, form := range []string{plain, url.QueryEscape(plain), base64.StdEncoding.EncodeToString([]byte(plain)), base64.StdEncoding.EncodeToString([]byte("a:" + plain)), strings.Repeat("long ", 200) + plain, strings.Repeat("y", 1010) + plain} {
				s.ask("POST", "/api/v1/call/lab.items.create", "", fmt.Sprintf(`{"name":%q}`, form))
				s.ask("POST", "/api/v1/call/lab.items.get", "", fmt.Sprintf(`{"id":%q}`, form))
				s.ask("POST", "/api/v1/call/no.such.thing", "", fmt.Sprintf(`{"a":{"b":[%q]}}`, form))
			}
		}
		s.ask("POST", "/api/v1/call/odd.items.get", "", `{"id":"echo"}`) // the odd key is in use from here on
		for _, source := range []string{"lab", "odd"} {
			s.ask("POST", "/api/v1/call/"+source+".items.get", "", `{"id":"echo"}`)
			s.ask("POST", "/api/v1/call/"+source+".items.get", "", `{"id":"missing"}`)
			s.ask("POST", "/api/v1/call/"+source+".items.create", "", fmt.Sprintf(`{"name":%q}`, odd))
		}
		_, metrics := s.ask("GET", "/metrics", "", "")
		_, listed := s.ask("GET", "/api/v1/calls?limit=1000", "", "")
		said := l.must("calls", "-o", "jsonl") + l.must("calls", "-o", "csv") + l.must("friction", "-o", "md")
		if n := strings.Count(listed, `"call_id"`); n < 70 {
			t.Errorf("only %d calls were listed", n)
		}
		s.stop()
		places := map[string]string{"metrics": metrics, "the list": listed, "the command line": said, "stderr": s.log.String(), "OTLP": c.all(), "events": events.String()}
		if !strings.Contains(places["events"], "event: call") || !strings.Contains(places["OTLP"], "traceId") || !strings.Contains(places["stderr"], "call failed") {
			t.Error("a place that should have been written to is empty")
		}
		read(t, l, places)
		for place, text := range places {
			for _, canary := range canaries(key, odd, s.token, collectorKey) {
				if at := strings.Index(text, canary); at >= 0 && !(place == filepath.Join("state", "twodoor", "operator-token")) {
					t.Errorf("%s holds %q: …%s…", place, canary, text[max(0, at-80):min(len(text), at+len(canary)+20)])
				}
			}
		}
	})
}

// follow reads the events of a server until it ends.
func (s *server) follow() *lines {
	all := &lines{}
	begun := make(chan struct{})
	go func() {
		resp, err := s.open(s.l.t.Context(), "/api/v1/events", "", "")
		close(begun)
		if err != nil {
			return
		}
		defer resp.Body.Close()
		buffer := make([]byte, 4096)
		for {
			n, err := resp.Body.Read(buffer)
			_, _ = all.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	<-begun
	return all
}

// read takes everything below the lab's folder that the program wrote, but its own configuration.
func read(t *testing.T, l *lab, places map[string]string) {
	t.Helper()
	err := filepath.WalkDir(l.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(l.dir, path)
		places[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
