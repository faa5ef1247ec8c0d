package send

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

func quoted(text string) string { return string(rawjson.Quote(text)) }

// The tests TestCaseNN are the edge cases of other generators that concern requests, by the numbers
// under which the project lists them. Not here: 36 and 40 (which parameters are shown, and how the
// CLI reads lists: the reader's and the CLI's), 46 to 53 (documents and doors).

func TestCase30ExplodeIsObeyedAndNamesAreLeftAlone(t *testing.T) {
	ids := func(explode bool) plan.Plan {
		return plan.Plan{Params: []plan.Param{{Arg: "id", In: "query", Explode: explode}}}
	}
	if got := mustSend(t, ids(false), `{"id":[1,2]}`).url; !strings.HasSuffix(got, "?id=1,2") {
		t.Errorf("sent to %s", got)
	}
	if got := mustSend(t, ids(true), `{"id":[1,2]}`).url; !strings.HasSuffix(got, "?id=1&id=2") {
		t.Errorf("sent to %s", got)
	}
}

func TestCase31DeepObjectKeepsItsName(t *testing.T) {
	p := plan.Plan{Params: []plan.Param{{Arg: "filter", In: "query", Style: "deepObject", Explode: true}}}
	if got := mustSend(t, p, `{"filter":{"state":"open"}}`).url; !strings.HasSuffix(got, "?filter%5Bstate%5D=open") {
		t.Errorf("sent to %s", got)
	}
}

func TestCase32PathAndBodyMayShareAName(t *testing.T) {
	p := plan.Plan{Method: "PUT", Path: "/a/{id}", Params: []plan.Param{{Arg: "id", In: "path"}},
		Body: &plan.Body{Media: []string{"application/json"}, Fields: []plan.Field{{Arg: "body_id", Name: "id"}, {Arg: "name"}}}}
	got := mustSend(t, p, `{"id":"1","name":"n","body_id":"2"}`)
	if !strings.HasSuffix(got.url, "/a/1") || got.body != `{"name":"n","id":"2"}` {
		t.Errorf("sent %+v", got)
	}
	whole := plan.Plan{Method: "POST", Params: []plan.Param{{Arg: "body", In: "query"}}, Body: &plan.Body{Media: []string{"application/json"}, Arg: "body_2"}}
	got = mustSend(t, whole, `{"body":"q","body_2":[{"a":1}]}`)
	if !strings.HasSuffix(got.url, "?body=q") || got.body != `[{"a":1}]` {
		t.Errorf("sent %+v", got)
	}
}

func TestCase33BodiesHaveTheirOwnType(t *testing.T) {
	for media, want := range map[string]string{
		"application/json": `{"a":"x y"}`, "application/x-www-form-urlencoded": "a=x%20y", "application/vnd.api+json": `{"a":"x y"}`,
	} {
		got := mustSend(t, plan.Plan{Method: "POST", Body: &plan.Body{Media: []string{media}, Fields: []plan.Field{{Arg: "a"}}}}, `{"a":"x y"}`)
		if got.body != want || got.header.Get("Content-Type") != media {
			t.Errorf("%s is sent as %q, %q", media, got.header.Get("Content-Type"), got.body)
		}
	}
}

func TestCase34BinaryAnswersKeepTheirBytes(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\xff\xfe"
	value, err := answerWith(t, plan.Plan{}, func(req *http.Request) *http.Response {
		resp := respond(req, 200, "image/png", png)
		resp.Header.Set("Content-Disposition", `attachment; filename="../../etc/a.png"`)
		return resp
	})
	if err != nil || value.JSON != nil || len(value.Blobs) != 1 {
		t.Fatalf("answered %+v, %v", value, err)
	}
	if b := value.Blobs[0]; string(b.Data) != png || b.MediaType != "image/png" || b.Name != "a.png" {
		t.Errorf("the blob is %+v", b)
	}
}

func TestCase35PathValuesStayInTheirSegment(t *testing.T) {
	p := plan.Plan{Path: "/a/{id}/b", Params: []plan.Param{{Arg: "id", In: "path"}}}
	for _, bad := range []string{"", ".", "..", "../x", "x/../y", `..\x`, `x\..`, "x/..", "./x"} {
		_, err := send(t, p, `{"id":`+quoted(bad)+`}`)
		fault := faultOf(t, err, twodoor.CodeInvalid)
		if len(fault.Fields) != 1 || fault.Fields[0].Path != "id" || !strings.Contains(fault.Message, "id ") {
			t.Errorf("%q is refused as %+v", bad, fault)
		}
	}
	for _, args := range []string{`{}`, `{"id":null}`, `{"id":[]}`, `{"id":{}}`} {
		_, err := send(t, p, args)
		faultOf(t, err, twodoor.CodeInvalid)
	}
	twins := plan.Plan{Path: "/a/{x}{y}", Params: []plan.Param{{Arg: "x", In: "path"}, {Arg: "y", In: "path"}}}
	_, err := send(t, twins, `{"x":".","y":"."}`)
	faultOf(t, err, twodoor.CodeInvalid)
	label := plan.Plan{Path: "/a/{id}", Params: []plan.Param{{Arg: "id", In: "path", Style: "label", Explode: true}}}
	_, err = send(t, label, `{"id":["",""]}`)
	faultOf(t, err, twodoor.CodeInvalid)
	_, err = send(t, label, `{"id":""}`)
	faultOf(t, err, twodoor.CodeInvalid)
}

func TestCase37OnlyWhatIsGivenIsSent(t *testing.T) {
	p := plan.Plan{Method: "POST",
		Params: []plan.Param{{Arg: "q", In: "query"}, {Arg: "h", Name: "X-H", In: "header"}, {Arg: "c", In: "cookie"}},
		Body:   &plan.Body{Media: []string{"application/json"}, Fields: []plan.Field{{Arg: "f"}, {Arg: "g"}}}}
	got := mustSend(t, p, `{}`)
	if strings.Contains(got.url, "?") || got.body != "" || got.header.Get("Cookie") != "" || got.header["X-H"] != nil || got.header.Get("Content-Type") != "" {
		t.Errorf("sent %+v", got)
	}
	if got = mustSend(t, p, `{"g":null}`); got.body != `{"g":null}` {
		t.Errorf("a null that the caller wrote is sent as %s", got.body)
	}
	p.Body.Required = true
	if got = mustSend(t, p, `{}`); got.body != `{}` || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("a required body is sent as %+v", got)
	}
}

func TestCase38NoContentIsSuccess(t *testing.T) {
	for _, status := range []int{200, 201, 202, 204, 205} {
		value, err := answerWith(t, plan.Plan{Method: "DELETE"}, func(req *http.Request) *http.Response {
			return respond(req, status, "application/json", "")
		})
		if err != nil || value == nil || value.JSON != nil || value.Blobs != nil {
			t.Errorf("%d without a body answers %+v, %v", status, value, err)
		}
	}
}

// TestCase39AnEndlessStreamEnds reads a stream that never ends: the time of the Invoker ends it, and
// what was read is the answer.
func TestCase39AnEndlessStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &Invoker{MaxStream: 10 * time.Second, Doer: doFunc(endless)}
		begun := time.Now()
		value, err := v.Invoke(t.Context(), invocation(t, plan.Plan{}, `{}`))
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took != 10*time.Second {
			t.Errorf("it took %s", took)
		}
		if value.Cut == nil || value.Cut.Shown != 10 || rawjson.Len(value.JSON) != 10 || !strings.Contains(value.Cut.How, "10s") {
			t.Errorf("answered %s, %+v", value.JSON, value.Cut)
		}
	})
}

// endless answers with an event each second, the first after half of one.
func endless(req *http.Request) (*http.Response, error) {
	r, w := io.Pipe()
	resp := respond(req, 200, mediatype.EventStream, "")
	resp.Body = r
	go func() {
		time.Sleep(500 * time.Millisecond)
		for req.Context().Err() == nil {
			if _, err := io.WriteString(w, "data: {\"n\":1}\n\n"); err != nil {
				return
			}
			select {
			case <-time.After(time.Second):
			case <-req.Context().Done():
			}
		}
		w.CloseWithError(req.Context().Err())
	}()
	return resp, nil
}

func TestTheDeadlineLeavesTimeForTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		value, err := (&Invoker{Doer: doFunc(endless)}).Invoke(ctx, invocation(t, plan.Plan{}, `{}`))
		if err != nil || value.Cut == nil || value.Cut.Shown != 4 {
			t.Errorf("answered %+v, %v", value, err)
		}
	})
}

func TestTheCallerEndsAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, cancel)
		_, err := (&Invoker{Doer: doFunc(endless)}).Invoke(ctx, invocation(t, plan.Plan{}, `{}`))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the call ends with %v", err)
		}
		synctest.Wait()
	})
}

func TestCase41TextsOfDigitsStayTexts(t *testing.T) {
	p := plan.Plan{Method: "POST", Body: &plan.Body{Media: []string{"application/json"}, Fields: []plan.Field{{Arg: "pin"}, {Arg: "n"}}}}
	const args = `{"pin":"0042","n":9007199254740993}`
	if got := mustSend(t, p, args).body; got != args {
		t.Errorf("sent %s", got)
	}
}

func TestCase42BodiesAreEncodedOnce(t *testing.T) {
	p := plan.Plan{Method: "POST", Body: &plan.Body{Media: []string{"application/json"}, Rest: true}}
	const args = `{ "z":1, "a":{"b":[true,null,"é"]}, "z2":1.0 }`
	got := mustSend(t, p, args).body
	if got != args {
		t.Errorf("sent %q, want the bytes of the caller", got)
	}
	p.Fix = map[string]json.RawMessage{"k": json.RawMessage(`"v"`), "a": json.RawMessage(`1`)}
	if got = mustSend(t, p, args).body; got != `{"z":1,"a":1,"z2":1.0,"k":"v"}` {
		t.Errorf("sent %q", got)
	}
}

func TestCase43AServerKeepsItsPath(t *testing.T) {
	for server, want := range map[string]string{"https://eu.example.com/api/v2": "https://eu.example.com/api/v2/a", "http://localhost:1": "http://localhost:1/a"} {
		if got := mustSend(t, plan.Plan{Server: server, Path: "/a"}, `{}`).url; got != want {
			t.Errorf("sent to %s, want %s", got, want)
		}
	}
	in := invocation(t, plan.Plan{}, `{}`)
	in.Operation.Plan = json.RawMessage(`{"m":"GET","p":"/a"}`)
	_, err := (&Invoker{}).Invoke(t.Context(), in)
	if fault := faultOf(t, err, twodoor.CodeInvalid); !strings.Contains(fault.Hint, "sources.harbor.target") {
		t.Errorf("the hint is %q", fault.Hint)
	}
}

// TestCase44 and 45: an operation's own server is in its plan, and its alternatives of schemes reach
// the Doer as they are: see TestAccessIsWhatThePlanNeeds.
func TestCase44OperationsHaveTheirOwnServer(t *testing.T) {
	if got := mustSend(t, plan.Plan{Server: "https://upload.example.com/2.0", Path: "/files"}, `{}`).url; got != "https://upload.example.com/2.0/files" {
		t.Errorf("sent to %s", got)
	}
}

func TestFixedInputsWin(t *testing.T) {
	p := plan.Plan{Params: []plan.Param{{Arg: "mode", In: "query"}}, Fix: map[string]json.RawMessage{"mode": json.RawMessage(`"safe"`)}}
	for _, args := range []string{`{}`, `{"mode":"wild"}`} {
		if got := mustSend(t, p, args).url; !strings.HasSuffix(got, "?mode=safe") {
			t.Errorf("%s is sent to %s", args, got)
		}
	}
}

func TestHeadersAndCookies(t *testing.T) {
	p := plan.Plan{Params: []plan.Param{
		{Arg: "h", Name: "X-H", In: "header"}, {Arg: "j", Name: "X-J", In: "header", Media: "application/json"},
		{Arg: "c", In: "cookie", Explode: true}, {Arg: "d", In: "cookie", Explode: true},
	}}
	got := mustSend(t, p, `{"h":["a b","c,d"],"j":{ "k" : 1 },"c":"x; y","d":[1,2]}`)
	if got.header.Get("X-H") != "a b,c,d" || got.header.Get("X-J") != `{"k":1}` || got.header.Get("Cookie") != "c=x%3B%20y; d=1; d=2" {
		t.Errorf("sent %v", got.header)
	}
	for _, bad := range []string{"a\r\nX-Evil: 1", "a\nb", "a\x00b", "\x7f"} {
		_, err := send(t, p, `{"h":`+quoted(bad)+`}`)
		if fault := faultOf(t, err, twodoor.CodeInvalid); fault.Fields[0].Path != "h" {
			t.Errorf("%q is refused as %+v", bad, fault)
		}
		if got, err := send(t, p, `{"c":`+quoted(bad)+`}`); err != nil || strings.ContainsAny(got.header.Get("Cookie"), "\r\n\x00") {
			t.Errorf("%q in a cookie is sent as %q, %v", bad, got.header.Get("Cookie"), err)
		}
	}
}

func TestContinueStaysAtItsOrigin(t *testing.T) {
	in := invocation(t, plan.Plan{}, `{}`)
	var at string
	v := &Invoker{Doer: doFunc(func(req *http.Request) (*http.Response, error) {
		at = req.URL.String()
		return respond(req, 204, "", ""), nil
	})}
	in.Continue = "https://API.example.com:443/v1/things?cursor=a%2Fb"
	if _, err := v.Invoke(t.Context(), in); err != nil || at != in.Continue {
		t.Errorf("sent to %s, %v", at, err)
	}
	for _, bad := range []string{"https://evil.example/v1/things", "http://api.example.com/v1/things", "https://api.example.com:8443/", "//evil.example/", ":"} {
		at, in.Continue = "", bad
		_, err := v.Invoke(t.Context(), in)
		if faultOf(t, err, twodoor.CodeInvalid); at != "" {
			t.Errorf("%s was followed", bad)
		}
	}
}
