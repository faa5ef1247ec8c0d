package send

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

func TestAnswers(t *testing.T) {
	jsonOnly := []string{"application/json"}
	for _, test := range []struct {
		name, media, body string
		accept            []string
		json, mediaType   string
		blob              string
	}{
		{name: "JSON as it came", media: "application/json", body: "\n {\"b\":1152921504606846977,\"a\": [1.0]} ", json: `{"b":1152921504606846977,"a": [1.0]}`},
		{name: "JSON with a mark", media: "application/json; charset=utf-8", body: "\ufeff[]", json: `[]`},
		{name: "problem JSON", media: "application/vnd.x+json", body: `"x"`, json: `"x"`},
		{name: "blank JSON", media: "application/json", body: " \n"},
		{name: "JSON under a wrong type", media: "text/html", body: `{"a":1}`, accept: jsonOnly, json: `{"a":1}`},
		{name: "JSON under no type", body: `[1]`, json: `[1]`},
		{name: "JSON as bytes", media: "application/octet-stream", body: `{"a":1}`, accept: jsonOnly, json: `{"a":1}`},
		{name: "a text that the description promises", media: "text/plain", body: `[1]`, accept: []string{"application/json", "text/plain"}, json: `"[1]"`, mediaType: "text/plain"},
		{name: "a text that is no JSON", media: "text/plain", body: "[info] started", accept: jsonOnly, json: `"[info] started"`, mediaType: "text/plain"},
		{name: "a number is a text", media: "text/plain", body: "42", json: `"42"`, mediaType: "text/plain"},
		{name: "CSV", media: "text/csv; charset=UTF-8", body: "a,b\n", json: `"a,b\n"`, mediaType: "text/csv"},
		{name: "XML", media: "application/atom+xml", body: "<a/>", json: `"<a/>"`, mediaType: "application/atom+xml"},
		{name: "latin1", media: "text/plain; charset=ISO-8859-1", body: "\xe9", json: `"é"`, mediaType: "text/plain"},
		{name: "a text that is none", media: "text/plain", body: "\xff\xfe", blob: "text/plain"},
		{name: "no type, text", body: "hello", json: `"hello"`, mediaType: "text/plain"},
		{name: "no type, bytes", body: "\x89PNG\r\n\x1a\n\x00", blob: "image/png"},
		{name: "PDF", media: "application/pdf", body: "%PDF", blob: "application/pdf"},
		{name: "an empty file", media: "application/pdf", body: ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			value, err := answerWith(t, plan.Plan{Accept: test.accept}, func(req *http.Request) *http.Response {
				return respond(req, 200, test.media, test.body)
			})
			if err != nil {
				t.Fatal(err)
			}
			if string(value.JSON) != test.json || value.MediaType != test.mediaType || (test.blob != "") != (len(value.Blobs) == 1) {
				t.Fatalf("answered %s %q, %d blobs", value.JSON, value.MediaType, len(value.Blobs))
			}
			if test.blob != "" && (value.Blobs[0].MediaType != test.blob || string(value.Blobs[0].Data) != test.body) {
				t.Errorf("the blob is %+v", value.Blobs[0])
			}
		})
	}
}

// TestAWebPageIsNoAnswer holds that a page where data is promised is a fault, with its beginning kept;
// and that it is none where the description promises pages.
func TestAWebPageIsNoAnswer(t *testing.T) {
	page := func(req *http.Request) *http.Response {
		return respond(req, 200, "text/html; charset=utf-8", "<html>Sign in</html>")
	}
	_, err := answerWith(t, plan.Plan{Accept: []string{"application/json"}}, page)
	fault := faultOf(t, err, twodoor.CodeUpstream)
	if !strings.Contains(fault.Message, "target") || !strings.Contains(string(fault.Upstream.Body), "Sign in") {
		t.Errorf("told as %+v", fault)
	}
	value, err := answerWith(t, plan.Plan{Accept: []string{"application/json", "text/html"}}, page)
	if err != nil || value.MediaType != "text/html" {
		t.Errorf("a promised page came as %+v, %v", value, err)
	}
}

func TestJSONThatIsNone(t *testing.T) {
	_, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response {
		return respond(req, 200, "application/json", `{"a":1,}`+strings.Repeat(" tail", 2000))
	})
	fault := faultOf(t, err, twodoor.CodeUpstream)
	if !strings.Contains(fault.Message, "line 1, column 8") || !strings.HasPrefix(string(fault.Upstream.Body), `"{\"a\":1,}`) || len(fault.Upstream.Body) > maxFaultBody+100 {
		t.Errorf("the fault is %v, %.80s, %d bytes", fault, fault.Upstream.Body, len(fault.Upstream.Body))
	}
}

func TestNamesOfFiles(t *testing.T) {
	for header, want := range map[string]string{
		"":                                       "",
		`attachment; filename="a b.png"`:         "a b.png",
		`inline; filename*=UTF-8''%e6%bc%a2.png`: "漢.png",
		`attachment; filename="/etc/passwd"`:     "passwd",
		`attachment; filename="C:\\x\\y.txt"`:    "y.txt",
		`attachment; filename=".."`:              "",
		`attachment; filename=`:                  "",
		`attachment; filename*=UTF-8''a%0Ab`:     "",
	} {
		value, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response {
			resp := respond(req, 200, "application/zip", "PK")
			resp.Header.Set("Content-Disposition", header)
			return resp
		})
		if err != nil || len(value.Blobs) != 1 || value.Blobs[0].Name != want {
			t.Errorf("%s names %+v, %v; want %q", header, value, err, want)
		}
	}
}

func TestPackedAnswers(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	answer := func(encoding, body string) (*twodoor.Value, error) {
		return answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response {
			resp := respond(req, 200, "application/json", body)
			resp.Header.Set("Content-Encoding", encoding)
			return resp
		})
	}
	if value, err := answer("gzip", packed.String()); err != nil || string(value.JSON) != `{"a":1}` {
		t.Errorf("answered %+v, %v", value, err)
	}
	if value, err := answer("gzip", ""); err != nil || value.JSON != nil {
		t.Errorf("an empty body answers %+v, %v", value, err)
	}
	for encoding, body := range map[string]string{"br": "x", "gzip": "not gzip"} {
		_, err := answer(encoding, body)
		faultOf(t, err, twodoor.CodeUpstream)
	}
	_, err := answer("gzip", packed.String()[:20])
	faultOf(t, err, twodoor.CodeUpstream)
}

func TestNotModified(t *testing.T) {
	value, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response { return respond(req, 304, "", "") })
	if err != nil || value.JSON != nil || len(value.Notes) != 1 {
		t.Errorf("answered %+v, %v", value, err)
	}
}

func TestLinks(t *testing.T) {
	need := [][]twodoor.Scheme{{{Name: "k", Type: "apiKey", In: "query", Param: "app_key"}}}
	for _, test := range []struct {
		links []string
		next  string
		notes int
	}{
		{nil, "", 0},
		{[]string{`<https://api.example.com/v1/things?page=2>; rel="next"`}, "https://api.example.com/v1/things?page=2", 0},
		{[]string{`<https://api.example.com/v1/things?page=1>; rel="prev", </v1/things?page=3>; rel=next; title="a, b"`}, "https://api.example.com/v1/things?page=3", 0},
		{[]string{`<?page=9>; rel="last"`, `<?page=3>; REL="Next last"`}, "https://api.example.com/v1/things?page=3", 0},
		{[]string{`<?app_key=canary&page=2>; rel="next"`}, "https://api.example.com/v1/things?page=2", 0},
		{[]string{`<https://evil.example/?page=2>; rel="next"`}, "", 1},
		{[]string{`<http://api.example.com/?page=2>; rel="next"`}, "", 1},
		{[]string{`<?page=2>; rel="nextish"`, `broken`, `<unclosed`, `<:%zz>; rel=next`}, "", 0},
	} {
		value, err := answerWith(t, plan.Plan{Need: need}, func(req *http.Request) *http.Response {
			resp := respond(req, 200, "application/json", `[]`)
			resp.Header["Link"] = test.links
			return resp
		})
		if err != nil || value.Continue != test.next || len(value.Notes) != test.notes {
			t.Errorf("%q leads to %q, %q, %v; want %q", test.links, value.Continue, value.Notes, err, test.next)
		}
	}
}

func TestStreams(t *testing.T) {
	for _, test := range []struct{ name, media, body, json string }{
		{"events", "text/event-stream; charset=utf-8",
			"\ufeff: hello\n\nevent: log\nid: 7\ndata: {\"n\": 1}\n\ndata: a\r\ndata: b\r\n\r\nevent: empty\n\ndata:12\n\ndata: last",
			`[{"event":"log","id":"7","data":{"n": 1}},{"data":"a\nb"},{"data":"12"},{"data":"last"}]`},
		{"the sentinel", "text/event-stream", "data: {}\n\ndata: [DONE]\n\ndata: {\"after\":1}\n\n", `[{"data":{}}]`},
		{"no events", "text/event-stream", "", `[]`},
		{"carriage returns", "text/event-stream", "event: a\rdata: 1\r\n\n", `[{"event":"a","data":"1"}]`},
		{"lines", "application/x-ndjson", "{\"a\":1152921504606846977}\n\n 2 \r\n\"x\"", `[{"a":1152921504606846977},2,"x"]`},
		{"a watch", "application/json;stream=watch", "{\"type\":\"ADDED\"}\n", `[{"type":"ADDED"}]`},
		{"json-seq", "application/json-seq", "\x1e{\"a\":1}\n\x1e{\"a\":2}\n", `[{"a":1},{"a":2}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			value, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response { return respond(req, 200, test.media, test.body) })
			if err != nil || string(value.JSON) != test.json || value.MediaType != mediatype.Base(test.media) || value.Cut != nil {
				t.Errorf("answered %s %q %+v, %v; want %s", value.JSON, value.MediaType, value.Cut, err, test.json)
			}
		})
	}
}

func TestStreamsAreBounded(t *testing.T) {
	var done []float64
	in := invocation(t, plan.Plan{}, `{}`)
	in.Progress = func(p twodoor.Progress) { done = append(done, p.Done) }
	run := func(v *Invoker, media, body string) (*twodoor.Value, error) {
		v.Doer = doFunc(func(req *http.Request) (*http.Response, error) { return respond(req, 200, media, body), nil })
		return v.Invoke(t.Context(), in)
	}
	value, err := run(&Invoker{MaxEvents: 2}, mediatype.EventStream, strings.Repeat("data: x\n\n", 5))
	if err != nil || value.Cut == nil || value.Cut.Shown != 2 || !strings.Contains(value.Cut.How, "2 events") || len(done) != 2 {
		t.Errorf("answered %s %+v, %v, progress %v", value.JSON, value.Cut, err, done)
	}
	value, err = run(&Invoker{MaxAnswer: 21}, mediatype.EventStream, strings.Repeat("data: 123\n\n", 5))
	if err != nil || string(value.JSON) != `[{"data":"123"}]` || value.Cut == nil || !strings.Contains(value.Cut.How, "21 bytes") {
		t.Errorf("answered %s %+v, %v", value.JSON, value.Cut, err)
	}
	value, err = run(&Invoker{MaxAnswer: 10}, "application/x-ndjson", "12345\n12345\n")
	if err != nil || string(value.JSON) != `[12345]` || value.Cut == nil {
		t.Errorf("half a line became a record: %s %+v, %v", value.JSON, value.Cut, err)
	}
}

func TestStreamsThatBreak(t *testing.T) {
	_, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response { return respond(req, 200, "application/x-ndjson", "nonsense\n") })
	faultOf(t, err, twodoor.CodeUpstream)
	value, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response {
		return respond(req, 200, "application/x-ndjson", "{\"a\":1}\nnonsense\n{}\n")
	})
	if err != nil || string(value.JSON) != `[{"a":1}]` || value.Cut == nil || !strings.Contains(value.Cut.How, "no JSON") {
		t.Errorf("answered %s %+v, %v", value.JSON, value.Cut, err)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add("text/event-stream", "data: {}\n\n", "")
	f.Add("application/json", "{\"a\":1}", "<x>; rel=next")
	f.Add("application/x-ndjson", "1\n2\n", "<")
	f.Add("text/plain; charset=latin1", "\xe9", "")
	f.Fuzz(func(t *testing.T, media, body, link string) {
		for _, status := range []int{200, 409} {
			value, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response {
				resp := respond(req, status, media, body)
				resp.Header.Set("Link", link)
				return resp
			})
			checkAnswer(t, value, err)
		}
	})
}
