package harbor_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/twodoor/twodoor/internal/harbor"
)

// get reads a path and decodes the answer into a T.
func get[T any](t *testing.T, base, path string) T {
	t.Helper()
	var into T
	got := send(t, to("GET", path, "")(t, base))
	if got.status != 200 {
		t.Fatalf("GET %s: %d %s", path, got.status, got.body)
	}
	if err := json.Unmarshal(got.body, &into); err != nil {
		t.Fatal(err)
	}
	return into
}

// ids is a page of anything that has an id.
type ids struct {
	Items []struct {
		ID string `json:"id"`
	} `json:"items"`
	Total      int     `json:"total"`
	Pages      int     `json:"pages"`
	NextCursor *string `json:"next_cursor"`
}

// seen counts ids and complains of one that comes twice.
type seen map[string]bool

func (s seen) add(t *testing.T, page ids) {
	t.Helper()
	for _, item := range page.Items {
		if s[item.ID] {
			t.Errorf("%s came twice", item.ID)
		}
		s[item.ID] = true
	}
}

func TestPagesAreWhole(t *testing.T) {
	server, _ := serve(t, harbor.Options{})
	t.Run("cursor", func(t *testing.T) {
		all, page := seen{}, get[ids](t, server.URL, "/incident?limit=50")
		for all.add(t, page); page.NextCursor != nil; all.add(t, page) {
			page = get[ids](t, server.URL, "/incident?limit=50&cursor="+*page.NextCursor)
		}
		if len(all) != 126 || page.Total != 126 {
			t.Errorf("%d of %d", len(all), page.Total)
		}
	})
	t.Run("offset", func(t *testing.T) {
		all := seen{}
		for offset := 0; offset < 240; offset += 100 {
			all.add(t, get[ids](t, server.URL, fmt.Sprintf("/change?limit=100&offset=%d", offset)))
		}
		if last := get[ids](t, server.URL, "/change?offset=240"); len(all) != 240 || last.Items == nil || len(last.Items) != 0 {
			t.Errorf("%d changes, then %v", len(all), last.Items)
		}
	})
	t.Run("page", func(t *testing.T) {
		all, page := seen{}, get[ids](t, server.URL, "/service?per_page=5")
		for n := 1; n <= page.Pages; n++ {
			all.add(t, get[ids](t, server.URL, fmt.Sprintf("/service?per_page=5&page=%d", n)))
		}
		if len(all) != 12 || page.Pages != 3 {
			t.Errorf("%d services on %d pages", len(all), page.Pages)
		}
	})
	t.Run("link", func(t *testing.T) {
		all, next := 0, server.URL+"/audit?limit=40"
		link, total := regexp.MustCompile(`^<([^>]+)>; rel="next"$`), ""
		for next != "" {
			got := send(t, to("GET", "", "")(t, next))
			all, total = all+strings.Count(string(got.body), `"id"`), got.header.Get("X-Total-Count")
			next = ""
			if found := link.FindStringSubmatch(got.header.Get("Link")); found != nil {
				next = found[1]
			}
		}
		if fmt.Sprint(all) != total || all < 100 {
			t.Errorf("%d entries of %s", all, total)
		}
	})
}

// TestLargeNumbersSurvive: integers above 2^60 come back with every digit, in an answer, in a filter and in free fields.
func TestLargeNumbersSurvive(t *testing.T) {
	server, _ := serve(t, harbor.Options{})
	const build = "1152921504606847455" // 2^60 + 479
	if got := send(t, to("GET", "/change?build_id="+build, "")(t, server.URL)); !strings.Contains(string(got.body), `"build_id":`+build+`,`) {
		t.Errorf("filtered: %s", got.body)
	}
	sent := `{"title":"x","service_id":"svc_web","fields":{"zulu":1152921504606846977,"alpha":1.50,"nested":{"b":null,"a":[]}}}`
	got := send(t, to("POST", "/incident", sent)(t, server.URL))
	if want := `"fields":{"zulu":1152921504606846977,"alpha":1.50,"nested":{"b":null,"a":[]}}`; !strings.Contains(string(got.body), want) {
		t.Errorf("fields: %s", got.body)
	}
}

func TestSeedDependsOnTheClockAlone(t *testing.T) {
	read := func(now time.Time) []byte {
		server, _ := serve(t, harbor.Options{Now: func() time.Time { return now }})
		return send(t, to("GET", "/incident/export", "")(t, server.URL)).body
	}
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	if !bytes.Equal(read(noon), read(noon)) {
		t.Error("two servers at the same time differ")
	}
	times := regexp.MustCompile(`"([a-z]+_)?at":"[^"]+"`)
	if a, b := read(noon), read(noon.Add(1000*time.Hour)); !bytes.Equal(times.ReplaceAll(a, nil), times.ReplaceAll(b, nil)) {
		t.Error("another time changes more than times")
	}
}

func TestResetForgets(t *testing.T) {
	server, service := serve(t, harbor.Options{})
	before := send(t, to("GET", "/incident/export", "")(t, server.URL)).body
	send(t, to("DELETE", "/incident/inc_1126", "")(t, server.URL))
	send(t, to("POST", "/incident/inc_1124/note", `{"text":"x"}`)(t, server.URL))
	if err := service.Fault("500", 5); err != nil {
		t.Fatal(err)
	}
	service.Reset()
	if after := send(t, to("GET", "/incident/export", "")(t, server.URL)); !bytes.Equal(before, after.body) {
		t.Error("something stayed")
	}
}

func TestToken(t *testing.T) {
	server, _ := serve(t, harbor.Options{Token: "anchor"})
	for _, try := range []struct {
		name, value string
		status      int
	}{
		{"Authorization", "Bearer anchor", 200}, {"Harbor-Key", "anchor", 200}, {"Authorization", "Bearer sail", 401},
		{"Authorization", "Basic anchor", 401}, {"Harbor-Key", "", 401},
	} {
		if got := send(t, withHeader(to("GET", "/person", ""), try.name, try.value)(t, server.URL)); got.status != try.status {
			t.Errorf("%s: %s → %d", try.name, try.value, got.status)
		}
	}
}

// TestTriage walks from the open incident to the closed one; a step too early is told what to do first.
func TestTriage(t *testing.T) {
	server, _ := serve(t, harbor.Options{})
	for _, step := range []struct {
		method, path, body string
		status             int
		holds              string
	}{
		{"GET", "/incident?status=open&severity=sev1", "", 200, `"total":1`},
		{"POST", "/incident/inc_1126/close", `{"resolution":"x"}`, 409, `"next":{"method":"POST","path":"/incident/inc_1126/ack"}`},
		{"POST", "/incident/inc_1126/ack", "", 200, `"status":"acked","severity":"sev1"`},
		{"GET", "/change?service_ids=svc_checkout&limit=1", "", 200, `Cut the connection pool`},
		{"POST", "/incident/inc_1126/change", `{"change_id":"chg_0240"}`, 201, `"kind":"change_linked"`},
		{"GET", "/oncall/now?service_id=svc_checkout", "", 200, `"schedule_id":"0071"`},
		{"POST", "/incident/inc_1126/escalation", "", 201, `"level":1`},
		{"POST", "/incident/inc_1126/close", `{"resolution":"Rolled back.","cause_change_id":"chg_0240"}`, 200, `"change_ids":["chg_0240"]`},
		{"POST", "/incident/inc_1126/ack", "", 409, `"code":"incident_closed"`},
		{"GET", "/incident/inc_1126/timeline", "", 200, `"kind":"closed"`},
	} {
		got := send(t, to(step.method, step.path, step.body)(t, server.URL))
		if got.status != step.status || !strings.Contains(string(got.body), step.holds) {
			t.Fatalf("%s %s: %d %s", step.method, step.path, got.status, got.body)
		}
	}
}

func TestEscalationClimbsOnceAMinute(t *testing.T) {
	clock := newClock()
	server, _ := serve(t, harbor.Options{Now: clock.Now})
	escalate := to("POST", "/incident/inc_1126/escalation", "")
	for level := 1; level <= 3; level++ {
		if got := send(t, escalate(t, server.URL)); got.status != 201 || !strings.Contains(string(got.body), fmt.Sprintf(`"level":%d`, level)) {
			t.Fatalf("level %d: %d %s", level, got.status, got.body)
		}
		clock.move(45 * time.Second)
		if got := send(t, escalate(t, server.URL)); got.status != 429 || got.header.Get("Retry-After") != "15" {
			t.Errorf("too soon: %d, Retry-After %q", got.status, got.header.Get("Retry-After"))
		}
		clock.move(15 * time.Second)
	}
	if got := send(t, escalate(t, server.URL)); got.status != 409 || !strings.Contains(string(got.body), `"method":"DELETE"`) {
		t.Errorf("above the top: %d %s", got.status, got.body)
	}
}

func TestWorkflowIsEditedWhileStopped(t *testing.T) {
	server, _ := serve(t, harbor.Options{})
	for _, step := range []struct {
		method, path, body string
		status             int
		holds              string
	}{
		{"PATCH", "", `{"description":"y"}`, 409, `"path":"/workflow/wf_nightly_export/stop"`},
		{"POST", "/stop", "", 200, `"status":"stopped"`},
		{"PATCH", "", `{"steps":[{"id":"a","type":"teleport"}]}`, 400, `steps[0].type must be one of approval, branch`},
		{"PATCH", "", `{"steps":[{"id":"a","type":"loop","over":[1],"steps":[{"id":"b","type":"branch","cases":[{"steps":[{"type":"page"}]}]}]}]}`, 400,
			`steps[0].steps[0].cases[0].steps[0].schedule_id`},
		{"PATCH", "", `{"description":"y"}`, 200, `"version":2`},
		{"POST", "/start", "", 200, `"type":"http"`},
	} {
		got := send(t, to(step.method, "/workflow/wf_nightly_export"+step.path, step.body)(t, server.URL))
		if got.status != step.status || !strings.Contains(string(got.body), step.holds) {
			t.Fatalf("%s %s: %d %s", step.method, step.path, got.status, got.body)
		}
	}
}

func TestColdLogIsHydratedFirst(t *testing.T) {
	clock := newClock()
	server, _ := serve(t, harbor.Options{Now: clock.Now})
	state := func() string {
		return get[struct {
			State string `json:"state"`
		}](t, server.URL, "/log/log_search_4").State
	}
	lines := to("GET", "/log/log_search_4/lines", "")
	if got := send(t, lines(t, server.URL)); got.status != 409 || !strings.Contains(string(got.body), `"log_cold"`) || state() != "cold" {
		t.Fatalf("cold: %d %s, %s", got.status, got.body, state())
	}
	if got := send(t, to("POST", "/log/log_search_4/hydrate", "")(t, server.URL)); got.status != 202 || state() != "warming" {
		t.Fatalf("hydrate: %d, then %s", got.status, state())
	}
	clock.move(1400 * time.Millisecond)
	if got := send(t, lines(t, server.URL)); got.status != 409 || !strings.Contains(string(got.body), `"log_warming"`) {
		t.Errorf("warming: %d %s", got.status, got.body)
	}
	clock.move(100 * time.Millisecond)
	if got := send(t, lines(t, server.URL)); got.status != 200 || state() != "ready" {
		t.Errorf("ready: %d, %s", got.status, state())
	}
}

func TestUploadComesBackByteForByte(t *testing.T) {
	server, _ := serve(t, harbor.Options{})
	content := string([]byte{0, 255, '\r', '\n', '-', '-', 'b', 0x80})
	body, contentType := encodeForm(t, object{"file": content, "kind": "log"})
	got := send(t, withHeader(to("POST", "/incident/inc_1126/attachment", string(body)), "Content-Type", contentType)(t, server.URL))
	sum := sha256.Sum256([]byte(content))
	if want := fmt.Sprintf(`"size":8,"sha256":"%s"`, hex.EncodeToString(sum[:])); !strings.Contains(string(got.body), want) {
		t.Fatalf("%d %s", got.status, got.body)
	}
	got = send(t, to("GET", "/incident/inc_1126/attachment/att_2", "")(t, server.URL))
	if string(got.body) != content || got.header.Get("Content-Disposition") != "attachment; filename=pool.txt" {
		t.Errorf("%q %v", got.body, got.header)
	}
}

func TestIdempotencyKeyOpensOnce(t *testing.T) {
	server, _ := serve(t, harbor.Options{})
	open := withHeader(to("POST", "/incident", `{"title":"x","service_id":"svc_web"}`), "Idempotency-Key", "k")
	first, second := send(t, open(t, server.URL)), send(t, open(t, server.URL))
	if string(first.body) != string(second.body) || first.header.Get("Location") != "/incident/inc_1127" {
		t.Errorf("%s\n%s", first.body, second.body)
	}
}

func TestIncidentAsText(t *testing.T) {
	server, _ := serve(t, harbor.Options{})
	got := send(t, withHeader(to("GET", "/incident/inc_1126", ""), "Accept", "text/plain")(t, server.URL))
	want := "inc_1126 (sev1, open): Checkout: latency p99 above 2 s\nService svc_checkout, with nobody since 2026-03-04T10:40:00Z.\n"
	if string(got.body) != want {
		t.Errorf("got %q", got.body)
	}
}

// TestFollowSeesWhatHappens: an event that happens while somebody follows is sent to them, and then the stream ends.
func TestFollowSeesWhatHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := harbor.New(harbor.Options{}).Handler()
		stream, done := httptest.NewRecorder(), make(chan struct{})
		go func() {
			defer close(done)
			handler.ServeHTTP(stream, httptest.NewRequest("GET", "/incident/inc_1126/events?wait_s=30", nil))
		}()
		synctest.Wait() // until it waits for news
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/incident/inc_1126/ack", nil))
		begin := time.Now()
		<-done
		if waited := time.Since(begin); waited != 30*time.Second {
			t.Errorf("ended after %s", waited)
		}
		kinds := regexp.MustCompile(`(?m)^event: (\w+)$`).FindAllStringSubmatch(stream.Body.String(), -1)
		if got := fmt.Sprint(kinds); got != "[[event: created created] [event: acked acked] [event: end end]]" {
			t.Errorf("events %s", got)
		}
		if !strings.HasSuffix(stream.Body.String(), "data: {\"why\":\"wait\",\"last_id\":2}\n\n") {
			t.Errorf("end: %q", stream.Body.String())
		}
	})
}

func TestFollowIsBoundedAndGoesOn(t *testing.T) {
	server, _ := serve(t, harbor.Options{})
	got := send(t, to("GET", "/incident/inc_1123/events?max=1&wait_s=60", "")(t, server.URL))
	if strings.Count(string(got.body), "id: ") != 1 || !strings.Contains(string(got.body), `"why":"max","last_id":1`) {
		t.Errorf("bounded: %q", got.body)
	}
	got = send(t, withHeader(to("GET", "/incident/inc_1123/events", ""), "Last-Event-ID", "2")(t, server.URL))
	if !strings.HasPrefix(string(got.body), "id: 3\nevent: escalated\n") {
		t.Errorf("resumed: %q", got.body)
	}
}

func TestMetricLeapsWithTheChange(t *testing.T) {
	clock := newClock()
	server, _ := serve(t, harbor.Options{Now: clock.Now})
	got := send(t, to("POST", "/metric/query", `{"metric":"latency_p99_ms","service_ids":["svc_checkout"]}`)(t, server.URL))
	var read struct {
		Series []struct {
			Points []struct {
				T int64   `json:"t"`
				V float64 `json:"v"`
			} `json:"points"`
		} `json:"series"`
	}
	if err := json.Unmarshal(got.body, &read); err != nil {
		t.Fatal(err)
	}
	points, broken := read.Series[0].Points, clock.now.Add(-84*time.Minute).Unix()
	if len(points) != 1440 {
		t.Fatalf("%d points", len(points))
	}
	for _, p := range points {
		if (p.T > broken) != (p.V > 1000) {
			t.Fatalf("at %d, %d s from the change: %v", p.T, p.T-broken, p.V)
		}
	}
}

// TestGuides: each guide has its front matter, and names operations by words the document knows.
func TestGuides(t *testing.T) {
	document := string(harbor.DocumentAt("http://x"))
	entries, err := fs.ReadDir(harbor.Guides(), ".")
	if err != nil || len(entries) != 3 {
		t.Fatalf("%v, %v", entries, err)
	}
	for _, entry := range entries {
		raw, err := fs.ReadFile(harbor.Guides(), entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.SplitN(string(raw), "---\n", 3)
		var head struct {
			Name, Title, When   string
			Intents, Operations []string
		}
		if err := yaml.Unmarshal([]byte(parts[1]), &head); err != nil {
			t.Fatal(err)
		}
		if head.Name+".md" != entry.Name() || head.Title == "" || head.When == "" || len(head.Intents) < 4 {
			t.Errorf("%s: %+v", entry.Name(), head)
		}
		if !strings.Contains(document, "guide: "+head.Name) {
			t.Errorf("no operation names the guide %s", head.Name)
		}
		for _, operation := range head.Operations {
			group, _, _ := strings.Cut(operation, ".")
			if !strings.Contains(document, "\n  /"+group+":\n") && !strings.Contains(document, "name: "+operation) {
				t.Errorf("%s: no operation %s", entry.Name(), operation)
			}
			if !strings.Contains(parts[2], "`"+operation+"`") {
				t.Errorf("%s lists %s and says nothing of it", entry.Name(), operation)
			}
		}
	}
}

func TestDocumentNamesTheServerItIsAt(t *testing.T) {
	var read struct{ Servers []struct{ URL string } }
	if err := yaml.Unmarshal(harbor.DocumentAt("http://127.0.0.1:41234"), &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Servers) != 1 || read.Servers[0].URL != "http://127.0.0.1:41234" {
		t.Errorf("%+v", read.Servers)
	}
}

// TestConcurrentCallers is for the race detector.
func TestConcurrentCallers(t *testing.T) {
	handler := harbor.New(harbor.Options{}).Handler()
	done := make(chan int)
	for i := range 8 {
		go func() {
			for range 20 {
				handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/incident/inc_1126/note", strings.NewReader(`{"text":"x"}`)))
				handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/incident/inc_1126/events", nil))
				handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/incident", nil))
			}
			done <- i
		}()
	}
	for range 8 {
		<-done
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest("GET", "/incident/inc_1126/timeline", nil))
	if notes := strings.Count(recorder.Body.String(), `"kind":"note"`); notes != 160 || recorder.Code != http.StatusOK {
		t.Errorf("%d notes", notes)
	}
}
