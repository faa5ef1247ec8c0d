package harbor_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/harbor"
)

// TestEveryDeclaredErrorHappens provokes each error status that an operation declares, and checks that it answers a
// problem that fits. What cannot be provoked the same way everywhere stands in special.
func TestEveryDeclaredErrorHappens(t *testing.T) {
	special := map[string]maker{
		"PATCH /incident/{incident_id} 409":             to("PATCH", "/incident/inc_1001", `{"title":"x"}`),
		"PATCH /incident/{incident_id} 412":             withHeader(to("PATCH", "/incident/inc_1126", `{"title":"x"}`), "If-Match", `"7"`),
		"POST /incident/{incident_id}/ack 409":          to("POST", "/incident/inc_1001/ack", ""),
		"POST /incident/{incident_id}/close 409":        to("POST", "/incident/inc_1126/close", `{"resolution":"x"}`),
		"POST /incident/{incident_id}/change 409":       to("POST", "/incident/inc_1001/change", `{"change_id":"chg_0001"}`),
		"POST /incident/{incident_id}/escalation 409":   to("POST", "/incident/inc_1001/escalation", ""),
		"POST /incident/{incident_id}/escalation 429":   twice(to("POST", "/incident/inc_1126/escalation", "")),
		"DELETE /incident/{incident_id}/escalation 409": to("DELETE", "/incident/inc_1001/escalation", ""),
		"POST /incident/{incident_id}/attachment 413":   tooLarge,
		"POST /workflow 409":                            to("POST", "/workflow", `{"name":"Paging drill","trigger":{"kind":"manual"},"steps":[{"id":"a","type":"wait","seconds":1}]}`),
		"PATCH /workflow/{workflow_id} 409":             to("PATCH", "/workflow/wf_nightly_export", `{"description":"x"}`),
		"GET /log/{log_id}/lines 409":                   to("GET", "/log/log_checkout_5/lines", ""),
		"GET /oncall/now 400":                           withHeader(to("GET", "/oncall/now", ""), "Harbor-UTC-Offset", "noon"),
		"GET /oncall/now 404":                           to("GET", "/oncall/now?service_id=svc_nope", ""),
		"GET /audit 400":                                to("GET", "/audit?before_id=yesterday", ""),
		"PUT /service/{service_id}/runbook 400":         withHeader(to("PUT", "/service/svc_cart/runbook", " "), "Content-Type", "text/plain"),
		"POST /incident/{incident_id}/attachment 400":   withHeader(to("POST", "/incident/inc_1126/attachment", "x"), "Content-Type", "multipart/form-data; boundary=b"),
	}
	doc := read(t)
	for _, op := range doc.operations() {
		for status := range op.spec["responses"].(object) {
			if status == "default" || status < "400" {
				continue
			}
			name := op.String() + " " + status
			t.Run(name, func(t *testing.T) {
				options := harbor.Options{}
				if status == "401" {
					options.Token = "secret"
				}
				server, _ := serve(t, options)
				request := doc.provoke(t, op, status, server.URL)
				if make, has := special[name]; has {
					request = make(t, server.URL)
				}
				got := send(t, request)
				doc.judgeError(t, op, status, got)
			})
		}
	}
}

// judgeError holds an answer against the error that is declared, and against its example where there is one.
func (doc *reading) judgeError(t *testing.T, op operation, status string, got answer) {
	t.Helper()
	const media = "application/problem+json"
	if strconv.Itoa(got.status) != status || got.header.Get("Content-Type") != media {
		t.Fatalf("got %d %s: %s", got.status, got.header.Get("Content-Type"), got.body)
	}
	response := op.spec["responses"].(object)[status]
	for header := range doc.follow(doc.follow(response)["headers"]) {
		if got.header.Get(header) == "" {
			t.Errorf("declared header %s is missing", header)
		}
	}
	if err := doc.check(doc.contents(response, op.pointer+"/responses/"+status)[media], got.body); err != nil {
		t.Errorf("%v\n%s", err, got.body)
	}
	example := doc.follow(response)["content"].(object)[media].(object)["example"]
	var told any
	if err := json.Unmarshal(got.body, &told); err != nil {
		t.Fatal(err)
	}
	if example != nil && !reflect.DeepEqual(toJSON(t, example), toJSON(t, told)) {
		t.Errorf("the example says %v, the server %s", example, got.body)
	}
}

// provoke makes a request that should end with the status, where that is done the same way for every operation.
func (doc *reading) provoke(t *testing.T, op operation, status, base string) *http.Request {
	t.Helper()
	var media string
	var body any
	for media, body = range doc.bodies(t, op) {
		if media == "application/json" {
			break
		}
	}
	switch status {
	case "400":
		if media == "application/json" {
			body = object{"no_such_field": 1}
		} else {
			op.parameters = append([]object{badQuery(op)}, op.parameters...)
		}
	case "404":
		op.path = regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(op.path, "nope")
	}
	request := op.build(t, base, media, body)
	if status == "415" {
		request.Header.Set("Content-Type", "application/vnd.unheard")
	}
	return request
}

// badQuery gives a wrong value to the first query parameter that is not free text.
func badQuery(op operation) object {
	for _, parameter := range op.parameters {
		schema, _ := parameter["schema"].(object)
		if items, isList := schema["items"].(object); isList {
			schema = items
		}
		if parameter["in"] == "query" && (schema["type"] == "integer" || schema["enum"] != nil || schema["$ref"] != nil) {
			return object{"in": "query", "name": parameter["name"], "example": "zzz"}
		}
	}
	return object{"in": "query", "name": "none", "example": "zzz"}
}

type maker func(t *testing.T, base string) *http.Request

func to(method, path, body string) maker {
	return func(t *testing.T, base string) *http.Request {
		t.Helper()
		r, err := http.NewRequest(method, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		return r
	}
}

func withHeader(make maker, name, value string) maker {
	return func(t *testing.T, base string) *http.Request {
		t.Helper()
		r := make(t, base)
		r.Header.Set(name, value)
		return r
	}
}

// twice sends the request once before it is sent for good.
func twice(make maker) maker {
	return func(t *testing.T, base string) *http.Request {
		t.Helper()
		send(t, make(t, base))
		return make(t, base)
	}
}

func tooLarge(t *testing.T, base string) *http.Request {
	t.Helper()
	content, contentType := encodeForm(t, object{"file": strings.Repeat("x", 5<<20+1)})
	r, err := http.NewRequest("POST", base+"/incident/inc_1126/attachment", strings.NewReader(string(content)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	return r
}

// TestAllMisfitsAtOnce: whoever sends three wrong fields hears of three.
func TestAllMisfitsAtOnce(t *testing.T) {
	server, _ := serve(t, harbor.Options{})
	got := send(t, to("POST", "/incident", `{"title":"","severity":"sev9","service_id":"svc_nope"}`)(t, server.URL))
	for _, field := range []string{`"title"`, `"severity"`, `"service_id"`} {
		if !strings.Contains(string(got.body), field) {
			t.Errorf("no word of %s in %s", field, got.body)
		}
	}
	got = send(t, to("GET", "/incident?"+url.Values{"status": {"ajar"}, "limit": {"0"}, "cursor": {"zzz"}}.Encode(), "")(t, server.URL))
	for _, field := range []string{`"status"`, `"limit"`, `"cursor"`} {
		if !strings.Contains(string(got.body), field) {
			t.Errorf("no word of %s in %s", field, got.body)
		}
	}
}

// TestNoRoute: an unknown path and an unknown method are told apart.
func TestNoRoute(t *testing.T) {
	server, _ := serve(t, harbor.Options{})
	if got := send(t, to("GET", "/boat", "")(t, server.URL)); got.status != http.StatusNotFound {
		t.Errorf("unknown path: %d", got.status)
	}
	got := send(t, to("PUT", "/incident/inc_1126", "{}")(t, server.URL))
	if allow := got.header.Get("Allow"); got.status != http.StatusMethodNotAllowed || allow != "GET, PATCH, DELETE" {
		t.Errorf("unknown method: %d, Allow %q", got.status, allow)
	}
}
