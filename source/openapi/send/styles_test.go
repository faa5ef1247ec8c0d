package send

import (
	"net/url"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

// TestStyleTable is the table "Style Examples" of OpenAPI 3.1.1 §4.8.12.6, every cell of it, with
// the values of its text: empty is "", and the columns are in its order.
func TestStyleTable(t *testing.T) {
	const (
		empty  = `""`
		text   = `"blue"`
		array  = `["blue","black","brown"]`
		object = `{"R":100,"G":200,"B":150}`
	)
	tests := []struct {
		in, style string
		explode   bool
		value     string
		want      string
	}{
		{"path", "matrix", false, empty, ";color"},
		{"path", "matrix", false, text, ";color=blue"},
		{"path", "matrix", false, array, ";color=blue,black,brown"},
		{"path", "matrix", false, object, ";color=R,100,G,200,B,150"},
		{"path", "matrix", true, empty, ";color"},
		{"path", "matrix", true, text, ";color=blue"},
		{"path", "matrix", true, array, ";color=blue;color=black;color=brown"},
		{"path", "matrix", true, object, ";R=100;G=200;B=150"},
		{"path", "label", false, empty, "."},
		{"path", "label", false, text, ".blue"},
		{"path", "label", false, array, ".blue,black,brown"},
		{"path", "label", false, object, ".R,100,G,200,B,150"},
		{"path", "label", true, empty, "."},
		{"path", "label", true, text, ".blue"},
		{"path", "label", true, array, ".blue.black.brown"},
		{"path", "label", true, object, ".R=100.G=200.B=150"},
		{"path", "simple", false, empty, ""},
		{"path", "simple", false, text, "blue"},
		{"path", "simple", false, array, "blue,black,brown"},
		{"path", "simple", false, object, "R,100,G,200,B,150"},
		{"path", "simple", true, empty, ""},
		{"path", "simple", true, text, "blue"},
		{"path", "simple", true, array, "blue,black,brown"},
		{"path", "simple", true, object, "R=100,G=200,B=150"},
		{"header", "simple", false, text, "blue"},
		{"header", "simple", false, array, "blue,black,brown"},
		{"header", "simple", true, array, "blue,black,brown"},
		{"header", "simple", false, object, "R,100,G,200,B,150"},
		{"header", "simple", true, object, "R=100,G=200,B=150"},
		{"query", "form", false, empty, "color="},
		{"query", "form", false, text, "color=blue"},
		{"query", "form", false, array, "color=blue,black,brown"},
		{"query", "form", false, object, "color=R,100,G,200,B,150"},
		{"query", "form", true, empty, "color="},
		{"query", "form", true, text, "color=blue"},
		{"query", "form", true, array, "color=blue&color=black&color=brown"},
		{"query", "form", true, object, "R=100&G=200&B=150"},
		{"query", "", true, array, "color=blue&color=black&color=brown"},
		{"cookie", "form", false, text, "color=blue"},
		{"cookie", "form", false, array, "color=blue,black,brown"},
		{"cookie", "form", false, object, "color=R,100,G,200,B,150"},
		{"cookie", "form", true, array, "color=blue; color=black; color=brown"},
		{"cookie", "form", true, object, "R=100; G=200; B=150"},
		{"query", "spaceDelimited", false, array, "color=blue%20black%20brown"},
		{"query", "spaceDelimited", false, object, "color=R%20100%20G%20200%20B%20150"},
		{"query", "spaceDelimited", true, array, "color=blue&color=black&color=brown"},
		{"query", "pipeDelimited", false, array, "color=blue%7Cblack%7Cbrown"},
		{"query", "pipeDelimited", false, object, "color=R%7C100%7CG%7C200%7CB%7C150"},
		{"query", "pipeDelimited", true, array, "color=blue&color=black&color=brown"},
	}
	for _, test := range tests {
		p := &plan.Param{Arg: "color", In: test.in, Style: test.style, Explode: test.explode}
		if got := string(appendParam(nil, p, []byte(test.value))); got != test.want {
			t.Errorf("%s %s explode=%v of %s is %q, want %q", test.in, test.style, test.explode, test.value, got, test.want)
		}
	}
}

func TestDeepObject(t *testing.T) {
	p := plan.Plan{Params: []plan.Param{{Arg: "color", In: "query", Style: "deepObject", Explode: true}, {Arg: "after", In: "query"}}}
	for args, want := range map[string]string{
		`{"color":{"R":100,"G":200,"B":150}}`:                          "color[R]=100&color[G]=200&color[B]=150",
		`{"color":{"created":{"gte":1,"lt":2}},"after":"x"}`:           "color[created][gte]=1&color[created][lt]=2&after=x",
		`{"color":{"ids":["a","b"],"items":[{"price":"p","n":null}]}}`: "color[ids][0]=a&color[ids][1]=b&color[items][0][price]=p",
		`{"color":["a","b"]}`:                                          "color[0]=a&color[1]=b",
		`{"color":5}`:                                                  "color=5",
		`{"color":{"a b":"c&d=e"}}`:                                    "color[a b]=c&d=e",
		`{"color":{}}`:                                                 "",
		`{"color":null,"after":"x"}`:                                   "after=x",
	} {
		_, query, _ := strings.Cut(mustSend(t, p, args).url, "?")
		got, err := url.QueryUnescape(query)
		if err != nil || got != want {
			t.Errorf("%s is sent as %q, %v; want %q", args, got, err, want)
		}
		if strings.ContainsAny(query, "[]+ ") {
			t.Errorf("%s is sent as %q: brackets belong encoded", args, query)
		}
	}
}

func TestQueryValues(t *testing.T) {
	for _, test := range []struct {
		name string
		p    plan.Param
		args string
		want string
	}{
		{"what is not given is not sent", plan.Param{Arg: "a", In: "query"}, `{}`, ""},
		{"null is not sent", plan.Param{Arg: "a", In: "query"}, `{"a":null}`, ""},
		{"null in a list is not sent", plan.Param{Arg: "a", In: "query", Explode: true}, `{"a":[null,1,null]}`, "a=1"},
		{"an empty list is not sent", plan.Param{Arg: "a", In: "query"}, `{"a":[]}`, ""},
		{"an empty list where empty is allowed", plan.Param{Arg: "a", In: "query", Empty: true}, `{"a":[]}`, "a="},
		{"the empty text is sent", plan.Param{Arg: "a", In: "query"}, `{"a":""}`, "a="},
		{"digits stay", plan.Param{Arg: "a", In: "query"}, `{"a":1152921504606846977}`, "a=1152921504606846977"},
		{"a fraction stays", plan.Param{Arg: "a", In: "query"}, `{"a":1.50}`, "a=1.50"},
		{"a text of digits stays one", plan.Param{Arg: "a", In: "query"}, `{"a":"007"}`, "a=007"},
		{"booleans", plan.Param{Arg: "a", In: "query"}, `{"a":false}`, "a=false"},
		{"a space is %20", plan.Param{Arg: "a", In: "query"}, `{"a":"x y+z"}`, "a=x%20y%2Bz"},
		{"delimiters in values are encoded", plan.Param{Arg: "a", In: "query"}, `{"a":["x,y","z"]}`, "a=x%2Cy,z"},
		{"pipes in values are encoded twice over", plan.Param{Arg: "a", In: "query", Style: "pipeDelimited"}, `{"a":["x|y","z"]}`, "a=x%7Cy%7Cz"},
		{"other scripts", plan.Param{Arg: "a", In: "query"}, `{"a":"é漢"}`, "a=%C3%A9%E6%BC%A2"},
		{"names are encoded", plan.Param{Arg: "StartTime", Name: "StartTime<", In: "query"}, `{"StartTime":1}`, "StartTime%3C=1"},
		{"brackets in a name", plan.Param{Arg: "include", Name: "include[]", In: "query", Explode: true}, `{"include":["a","b"]}`, "include%5B%5D=a&include%5B%5D=b"},
		{"reserved", plan.Param{Arg: "a", In: "query", Reserved: true}, `{"a":"a/b?c:d=e&f#g%20h+i%"}`, "a=a/b?c:d=e%26f%23g%20h%2Bi%25"},
		{"content JSON", plan.Param{Arg: "a", In: "query", Media: "application/json"}, `{"a":{ "b" : [1, "x y"] }}`, "a=%7B%22b%22%3A%5B1%2C%22x%20y%22%5D%7D"},
		{"content text", plan.Param{Arg: "a", In: "query", Media: "text/plain"}, `{"a":"x y"}`, "a=x%20y"},
		{"a list of lists is sent as JSON", plan.Param{Arg: "a", In: "query", Explode: true}, `{"a":[[1,2],{"b":3}]}`, "a=%5B1%2C2%5D&a=%7B%22b%22%3A3%7D"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, query, _ := strings.Cut(mustSend(t, plan.Plan{Params: []plan.Param{test.p}}, test.args).url, "?")
			if query != test.want {
				t.Errorf("sent %q, want %q", query, test.want)
			}
		})
	}
}

func TestConstantQueryComesFirst(t *testing.T) {
	p := plan.Plan{Path: "/responses", Query: "beta=true", Params: []plan.Param{{Arg: "n", In: "query"}}}
	for args, want := range map[string]string{`{}`: "?beta=true", `{"n":1}`: "?beta=true&n=1", `{"n":[]}`: "?beta=true"} {
		if got := mustSend(t, p, args).url; got != "https://api.example.com/v1/responses"+want {
			t.Errorf("%s is sent to %s", args, got)
		}
	}
}

func TestPathValues(t *testing.T) {
	for _, test := range []struct{ path, args, want string }{
		{"/a/{id}", `{"id":"x y"}`, "/a/x%20y"},
		{"/a/{id}", `{"id":"a/b?c#d%2e"}`, "/a/a%2Fb%3Fc%23d%252e"},
		{"/a/{id}", `{"id":1152921504606846977}`, "/a/1152921504606846977"},
		{"/a/{id}", `{"id":"..."}`, "/a/..."},
		{"/a/{id}", `{"id":"v1..v2"}`, "/a/v1..v2"},
		{"/a/{id}.json", `{"id":"."}`, "/a/..json"},
		{"/a/{id}...{head}", `{"id":"main","head":"f/x"}`, "/a/main...f%2Fx"},
		{"/a/{id}/b/{head}/", `{"id":"1","head":"2"}`, "/a/1/b/2/"},
		{"/a b/ü/{id}", `{"id":"1"}`, "/a%20b/%C3%BC/1"},
	} {
		p := plan.Plan{Path: test.path, Params: []plan.Param{{Arg: "id", In: "path"}, {Arg: "head", In: "path"}}}
		if got := mustSend(t, p, test.args).url; got != "https://api.example.com/v1"+test.want {
			t.Errorf("%s of %s is %s, want %s", test.path, test.args, got, test.want)
		}
	}
}

func TestReservedPathValues(t *testing.T) {
	p := plan.Plan{Path: "/files/{path}", Params: []plan.Param{{Arg: "path", In: "path", Reserved: true}}}
	if got := mustSend(t, p, `{"path":"a/b c?d#e"}`).url; got != "https://api.example.com/v1/files/a/b%20c%3Fd%23e" {
		t.Errorf("sent to %s", got)
	}
	for _, bad := range []string{"a/../b", "/a", "a//b", "a/", "../../etc"} {
		_, err := send(t, p, `{"path":"`+bad+`"}`)
		faultOf(t, err, twodoor.CodeInvalid)
	}
}

// FuzzPath: whatever a value holds, the request goes to the path of the template.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"x", "..", "../..", "a/b", "?q", "#f", "%2e%2e", `..\..`, "\r\n", "\x00", "é", ";a=b", "//host", "."} {
		f.Add(seed)
	}
	p := plan.Plan{Path: "/a/{id}/b", Params: []plan.Param{{Arg: "id", In: "path"}}}
	f.Fuzz(func(t *testing.T, value string) {
		got, err := send(t, p, `{"id":`+quoted(value)+`}`)
		if err != nil {
			faultOf(t, err, twodoor.CodeInvalid)
			return
		}
		inner := strings.TrimSuffix(strings.TrimPrefix(got.url, "https://api.example.com/v1/a/"), "/b")
		if strings.ContainsAny(inner, "/?#\\ \r\n\x00") || inner == "" || inner == "." || inner == ".." || len(inner)+len("https://api.example.com/v1/a//b") != len(got.url) {
			t.Fatalf("%q leads to %s", value, got.url)
		}
		back, err := url.PathUnescape(inner)
		if err != nil || back != strings.ToValidUTF8(value, "\ufffd") && !strings.Contains(back, "\ufffd") {
			t.Fatalf("%q arrives as %q, %v", value, back, err)
		}
	})
}
