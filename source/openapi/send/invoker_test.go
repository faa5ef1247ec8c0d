package send

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

// doFunc is a Doer made of a function.
type doFunc func(*http.Request) (*http.Response, error)

func (f doFunc) Do(req *http.Request, _ twodoor.Access) (*http.Response, error) { return f(req) }

// sent is a request as the far side sees it.
type sent struct {
	method, url, body string
	header            http.Header
}

// invocation is a call of an operation with this plan.
func invocation(t testing.TB, p plan.Plan, args string) *twodoor.Invocation {
	t.Helper()
	if p.Method == "" {
		p.Method = http.MethodGet
	}
	if p.Server == "" {
		p.Server = "https://api.example.com/v1"
	}
	if p.Path == "" {
		p.Path = "/things"
	}
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	op := &twodoor.Operation{ID: "harbor.thing.get", Kind: "openapi", Effect: twodoor.Reads, Plan: raw}
	return &twodoor.Invocation{Operation: op, Arguments: json.RawMessage(args)}
}

// send makes the call and gives what was sent.
func send(t testing.TB, p plan.Plan, args string) (sent, error) {
	t.Helper()
	var got sent
	v := &Invoker{Doer: doFunc(func(req *http.Request) (*http.Response, error) {
		got = sent{method: req.Method, url: req.URL.String(), header: req.Header}
		if req.Body != nil {
			body, err := io.ReadAll(req.Body)
			if err != nil {
				return nil, err
			}
			got.body = string(body)
		}
		return respond(req, 204, "", ""), nil
	})}
	_, err := v.Invoke(context.Background(), invocation(t, p, args))
	return got, err
}

func mustSend(t testing.TB, p plan.Plan, args string) sent {
	t.Helper()
	got, err := send(t, p, args)
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return got
}

func respond(req *http.Request, status int, media, body string) *http.Response {
	header := http.Header{}
	if media != "" {
		header.Set("Content-Type", media)
	}
	return &http.Response{
		StatusCode: status, Header: header, Request: req, ContentLength: -1,
		Body: io.NopCloser(strings.NewReader(body)),
	}
}

// answerWith makes a call that is answered like this.
func answerWith(t testing.TB, p plan.Plan, resp func(*http.Request) *http.Response) (*twodoor.Value, error) {
	t.Helper()
	v := &Invoker{Doer: doFunc(func(req *http.Request) (*http.Response, error) { return resp(req), nil })}
	return v.Invoke(context.Background(), invocation(t, p, `{}`))
}

func faultOf(t testing.TB, err error, code twodoor.Code) *twodoor.Error {
	t.Helper()
	if err == nil {
		t.Fatalf("it worked, want %s", code)
	}
	fault := twodoor.AsError(err)
	if fault.Code != code {
		t.Fatalf("the fault is %s: %v, want %s", fault.Code, err, code)
	}
	return fault
}

func TestAccessIsWhatThePlanNeeds(t *testing.T) {
	need := [][]twodoor.Scheme{{{Name: "a", Type: "apiKey"}, {Name: "b", Type: "http"}}, {}}
	var got twodoor.Access
	v := &Invoker{Doer: accessDoer{&got}}
	in := invocation(t, plan.Plan{Need: need}, `{}`)
	in.Account, in.Principal = "second", twodoor.Operator
	if _, err := v.Invoke(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if got.Source != "harbor" || got.Account != "second" || got.Principal.Subject != "operator" || len(got.Need) != 2 || len(got.Need[0]) != 2 || len(got.Need[1]) != 0 {
		t.Errorf("asked for %+v", got)
	}
}

type accessDoer struct{ got *twodoor.Access }

func (d accessDoer) Do(req *http.Request, access twodoor.Access) (*http.Response, error) {
	*d.got = access
	return respond(req, 204, "", ""), nil
}

func TestHeadersOfARequest(t *testing.T) {
	got := mustSend(t, plan.Plan{Accept: []string{"application/json", "text/csv"}}, `{}`)
	if got.header.Get("Accept") != "application/json, text/csv;q=0.5" || got.header.Get("User-Agent") != "twodoor" || got.header.Get("Content-Type") != "" {
		t.Errorf("sent %v", got.header)
	}
	v := &Invoker{UserAgent: "twodoor/1.2", Doer: doFunc(func(req *http.Request) (*http.Response, error) {
		if req.UserAgent() != "twodoor/1.2" || req.Header.Get("Accept") != "application/json, */*;q=0.5" {
			t.Errorf("sent %v", req.Header)
		}
		return respond(req, 204, "", ""), nil
	})}
	if _, err := v.Invoke(t.Context(), invocation(t, plan.Plan{}, `{}`)); err != nil {
		t.Fatal(err)
	}
}

func TestPlansAreReadOnce(t *testing.T) {
	v := &Invoker{Doer: doFunc(func(req *http.Request) (*http.Response, error) { return respond(req, 204, "", ""), nil })}
	first, err := v.ready(invocation(t, plan.Plan{}, `{}`).Operation)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := v.ready(invocation(t, plan.Plan{}, `{}`).Operation); again != first {
		t.Error("the same plan is read twice")
	}
	if other, _ := v.ready(invocation(t, plan.Plan{Path: "/other"}, `{}`).Operation); other == first {
		t.Error("another plan is taken for this one")
	}
	for _, bad := range []plan.Plan{{Path: "/a/{id}"}, {Path: "/a/{id", Params: []plan.Param{{Arg: "id", In: "path"}}}} {
		if _, err := v.Invoke(t.Context(), invocation(t, bad, `{}`)); err == nil || !strings.Contains(err.Error(), "harbor.thing.get") {
			t.Errorf("the path %s answers %v", bad.Path, err)
		}
	}
}

// benchPlan has a parameter of each place and a body.
var benchPlan = plan.Plan{
	Method: "POST", Path: "/services/{service}/incidents",
	Params: []plan.Param{
		{Arg: "service", In: "path"}, {Arg: "expand", In: "query", Explode: true}, {Arg: "limit", In: "query", Explode: true},
		{Arg: "trace", Name: "X-Trace", In: "header"},
	},
	Body: &plan.Body{Media: []string{"application/json"}, Fields: []plan.Field{{Arg: "title"}, {Arg: "severity"}, {Arg: "tags"}}},
}

const benchArgs = `{"service":"pay ments","expand":["owner","log"],"limit":50,"trace":"t-1","title":"Down","severity":"high","tags":{"a":[1,2]}}`

func BenchmarkRequest(b *testing.B) {
	v, in := &Invoker{}, invocation(b, benchPlan, benchArgs)
	b.ReportAllocs()
	for b.Loop() {
		if err := buildOnce(v, in); err != nil {
			b.Fatal(err)
		}
	}
}

// answered is a Doer that has one answer ready, and costs nothing itself.
type answered struct {
	resp http.Response
	body bytes.Reader
	text []byte
}

func (d *answered) Do(req *http.Request, _ twodoor.Access) (*http.Response, error) {
	d.body.Reset(d.text)
	d.resp.Request = req
	return &d.resp, nil
}

func smallCall(t testing.TB) (*Invoker, *twodoor.Invocation) {
	d := &answered{text: []byte(`{"id":7,"title":"Down"}`)}
	d.resp = http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(d.text)), Body: io.NopCloser(&d.body)}
	p := plan.Plan{Method: "GET", Path: "/incidents/{id}", Params: []plan.Param{{Arg: "id", In: "path"}, {Arg: "expand", In: "query"}}, Accept: []string{"application/json"}}
	return &Invoker{Doer: d}, invocation(t, p, `{"id":7,"expand":"owner"}`)
}

// BenchmarkInvoke is a whole call of a small operation, without the network.
func BenchmarkInvoke(b *testing.B) {
	v, in := smallCall(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Invoke(context.Background(), in); err != nil {
			b.Fatal(err)
		}
	}
}

func TestInvokeAllocations(t *testing.T) {
	const bound = 26
	v, in := smallCall(t)
	allocs := testing.AllocsPerRun(200, func() {
		if _, err := v.Invoke(context.Background(), in); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > bound {
		t.Errorf("a call takes %.0f allocations, at most %d are allowed", allocs, bound)
	}
}

func buildOnce(v *Invoker, in *twodoor.Invocation) error {
	p, err := v.ready(in.Operation)
	if err != nil {
		return err
	}
	_, err = v.request(context.Background(), p, in)
	return err
}

func TestRequestAllocations(t *testing.T) {
	const bound = 46
	v, in := &Invoker{}, invocation(t, benchPlan, benchArgs)
	allocs := testing.AllocsPerRun(200, func() {
		if err := buildOnce(v, in); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > bound {
		t.Errorf("building a request takes %.0f allocations, at most %d are allowed", allocs, bound)
	}
}

func TestRequestOfTheBenchmark(t *testing.T) {
	got := mustSend(t, benchPlan, benchArgs)
	if got.url != "https://api.example.com/v1/services/pay%20ments/incidents?expand=owner&expand=log&limit=50" ||
		got.body != `{"title":"Down","severity":"high","tags":{"a":[1,2]}}` || got.header.Get("X-Trace") != "t-1" {
		t.Errorf("sent %+v", got)
	}
}
