package send

import (
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

func post(b plan.Body) plan.Plan { return plan.Plan{Method: "POST", Body: &b} }

func TestForms(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	deep := func(arg string) plan.Field { return plan.Field{Arg: arg, Style: "deepObject", Explode: true} }
	for _, test := range []struct {
		name   string
		fields []plan.Field
		rest   bool
		args   string
		want   string
	}{
		{"plain", []plan.Field{{Arg: "a"}, {Arg: "b", Name: "B"}}, false, `{"a":"x y&z","b":12345678901234567890}`, "a=x y&z|B=12345678901234567890"},
		{"a list repeats", []plan.Field{{Arg: "a", Explode: true}}, false, `{"a":["x","y"]}`, "a=x|a=y"},
		{"a list with commas", []plan.Field{{Arg: "a"}}, false, `{"a":["x","y"]}`, "a=x,y"},
		{"an object is JSON", []plan.Field{{Arg: "a", Explode: true}}, false, `{"a":{"b": 1}}`, `a={"b":1}`},
		{"stripe", []plan.Field{deep("expand"), deep("items"), deep("metadata")}, false,
			`{"expand":["a","b"],"items":[{"price":"p","quantity":2}],"metadata":{"k":{"l":"m"}}}`,
			"expand[0]=a|expand[1]=b|items[0][price]=p|items[0][quantity]=2|metadata[k][l]=m"},
		{"described as JSON", []plan.Field{{Arg: "a", Media: "application/json"}}, false, `{"a":["x", 1]}`, `a=["x",1]`},
		{"null is left out", []plan.Field{{Arg: "a"}, {Arg: "b"}}, false, `{"a":null,"b":""}`, "b="},
		{"rest", nil, true, `{"a":["x","y"],"b":true}`, "a=x|a=y|b=true"},
		{"nothing known is left out", []plan.Field{{Arg: "a"}}, false, `{"a":1,"zzz":2}`, "a=1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := mustSend(t, post(plan.Body{Media: []string{form}, Fields: test.fields, Rest: test.rest}), test.args)
			var pairs []string
			for pair := range strings.SplitSeq(got.body, "&") {
				plain, err := url.PathUnescape(pair)
				if err != nil {
					t.Fatal(err)
				}
				pairs = append(pairs, plain)
			}
			if strings.Join(pairs, "|") != test.want || got.header.Get("Content-Type") != form || strings.Contains(got.body, "+") {
				t.Errorf("sent %q", got.body)
			}
		})
	}
}

func TestFormOnAnyMethod(t *testing.T) {
	for _, method := range []string{"GET", "DELETE"} {
		p := post(plan.Body{Media: []string{"application/x-www-form-urlencoded"}, Fields: []plan.Field{{Arg: "a"}}})
		p.Method = method
		if got := mustSend(t, p, `{"a":1}`); got.body != "a=1" || got.method != method {
			t.Errorf("%s sends %+v", method, got)
		}
		if got := mustSend(t, p, `{}`); got.body != "" || got.header.Get("Content-Type") != "" {
			t.Errorf("%s without fields sends %+v", method, got)
		}
	}
}

// A far side that takes forms refuses a POST without a content type (stripe-mock does).
func TestFormWithoutFields(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	for _, test := range []struct{ method, media, want string }{
		{"POST", form, form}, {"PUT", form, form}, {"PATCH", form, form}, {"GET", form, ""}, {"DELETE", form, ""},
		{"POST", "application/json", ""}, {"POST", "multipart/form-data", ""},
	} {
		p := plan.Plan{Method: test.method, Body: &plan.Body{Media: []string{test.media}, Fields: []plan.Field{{Arg: "a"}}}}
		if got := mustSend(t, p, `{}`); got.body != "" || got.header.Get("Content-Type") != test.want {
			t.Errorf("%s of %s without fields sends %q as %q", test.method, test.media, got.body, got.header.Get("Content-Type"))
		}
	}
}

// readParts takes a multipart body apart with the standard library.
func readParts(t *testing.T, got sent) map[string][]string {
	t.Helper()
	media, params, err := mime.ParseMediaType(got.header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		t.Fatalf("the type is %q, %v", got.header.Get("Content-Type"), err)
	}
	found := map[string][]string{}
	for r := multipart.NewReader(strings.NewReader(got.body), params["boundary"]); ; {
		p, err := r.NextRawPart()
		if err == io.EOF {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		found[p.FormName()] = append(found[p.FormName()], tellPart(p.Header, p.FileName(), string(data)))
	}
}

func tellPart(header textproto.MIMEHeader, file, data string) string {
	text := data
	if media := header.Get("Content-Type"); media != "" {
		text = media + ":" + text
	}
	if file != "" {
		text = file + "=" + text
	}
	return text
}

func TestMultipart(t *testing.T) {
	b := plan.Body{Media: []string{"multipart/form-data"}, Fields: []plan.Field{
		{Arg: "title"}, {Arg: "count"}, {Arg: "tags"}, {Arg: "owner"}, {Arg: "meta", Media: "application/json"}, {Arg: "deep", Style: "deepObject", Explode: true},
		{Arg: "expand", Style: "deepObject", Explode: true}, {Arg: "file", Name: "File", Binary: true}, {Arg: "photos", Binary: true, Media: "image/*"}, {Arg: "doc", Binary: true, Media: "application/pdf, image/png"}, {Arg: "none"},
	}}
	got := readParts(t, mustSend(t, post(b), `{
		"title":"x y","count":12345678901234567890,"tags":["a","b"],"owner":{"id": 1},"meta":["a", 1],"deep":{"a":{"b":"c d"}},"expand":["x","y"],"none":null,
		"file":"aGVsbG8=","photos":["data:image/png;name=my%20cat.png;base64,aGk=","aGk"],"doc":"data:;name=a.pdf,plain%20text"}`))
	for name, want := range map[string]string{
		"title": "x y", "count": "12345678901234567890", "tags": "a|b", "owner": `application/json:{"id":1}`, "meta": `application/json:["a",1]`,
		"deep[a][b]": "c d", "expand": "", "expand[0]": "x", "expand[1]": "y", "File": "File=application/octet-stream:hello", "photos": "my cat.png=image/png:hi|photos=application/octet-stream:hi",
		"doc": "a.pdf=application/pdf:plain text", "none": "",
	} {
		if strings.Join(got[name], "|") != want {
			t.Errorf("%s is sent as %q, want %q", name, got[name], want)
		}
	}
}

func TestMultipartCannotBeBrokenOut(t *testing.T) {
	b := plan.Body{Media: []string{"multipart/form-data"}, Fields: []plan.Field{{Arg: "file", Binary: true}}, Rest: true}
	got := readParts(t, mustSend(t, post(b), `{"file":"data:text/x\r\nX-Evil: 1;name=a%22%0D%0AX-Evil:1.txt;base64,aGk=","a\"\r\nX-Evil: 2":"v"}`))
	if len(got) != 2 || len(got["file"]) != 1 || strings.Contains(got["file"][0], "\n") || !strings.Contains(got["file"][0], "application/octet-stream:hi") {
		t.Errorf("sent %q", got)
	}
}

func TestWholeBodies(t *testing.T) {
	for _, test := range []struct{ media, args, body, sentAs string }{
		{"application/json", `{"body":[1, "a"]}`, `[1, "a"]`, ""},
		{"application/json", `{"body":"text"}`, `"text"`, ""},
		{"application/json", `{"body":"data:,x"}`, `"data:,x"`, ""},
		{"*/*", `{"body":{"a":1}}`, `{"a":1}`, "application/json"},
		{"*/*", `{"body":"data:image/png;base64,aGk="}`, "hi", "image/png"},
		{"text/plain", `{"body":"a\nb"}`, "a\nb", ""},
		{"text/plain; charset=utf-8", `{"body":12}`, "12", ""},
		{"application/xml", `{"body":"<a/>"}`, "<a/>", ""},
		{"application/x-ndjson", `{"body":[{"a": 1},2]}`, "{\"a\":1}\n2\n", ""},
		{"application/octet-stream", `{"body":"aGk="}`, "hi", ""},
		{"application/octet-stream", `{"body":"aG\nk"}`, "hi", ""},
		{"application/octet-stream", `{"body":"-_8"}`, "\xfb\xff", ""},
		{"application/octet-stream", `{"body":""}`, "", ""},
		{"image/*", `{"body":"data:image/jpeg;base64,aGk="}`, "hi", "image/jpeg"},
		{"image/*", `{"body":"aGk="}`, "hi", "application/octet-stream"},
		{"application/x-www-form-urlencoded", `{"body":{"a":[1,2],"b":"c d"}}`, "a=1&a=2&b=c%20d", ""},
		{"application/json", `{"body":null}`, "", "-"},
		{"application/json", `{}`, "", "-"},
	} {
		got := mustSend(t, post(plan.Body{Media: []string{test.media}, Arg: "body"}), test.args)
		want := test.sentAs
		switch want {
		case "":
			want = test.media
		case "-":
			want = ""
		}
		if got.body != test.body || got.header.Get("Content-Type") != want {
			t.Errorf("%s as %s is sent as %q, %q", test.args, test.media, got.header.Get("Content-Type"), got.body)
		}
	}
}

func TestBodiesThatDoNotFit(t *testing.T) {
	for _, test := range []struct {
		b    plan.Body
		args string
	}{
		{plan.Body{Media: []string{"application/octet-stream"}, Arg: "file"}, `{"file":"not base64!"}`},
		{plan.Body{Media: []string{"application/octet-stream"}, Arg: "file"}, `{"file":"/etc/passwd"}`},
		{plan.Body{Media: []string{"application/octet-stream"}, Arg: "file"}, `{"file":"../secret"}`},
		{plan.Body{Media: []string{"application/octet-stream"}, Arg: "file"}, `{"file":{"a":1}}`},
		{plan.Body{Media: []string{"application/octet-stream"}, Arg: "file"}, `{"file":"data:image/png;base64"}`},
		{plan.Body{Media: []string{"application/octet-stream"}, Arg: "file"}, `{"file":"data:,%zz"}`},
		{plan.Body{Media: []string{"application/xml"}, Arg: "file"}, `{"file":{"a":1}}`},
		{plan.Body{Media: []string{"multipart/form-data"}, Fields: []plan.Field{{Arg: "file", Binary: true}}}, `{"file":"not base64!"}`},
		{plan.Body{Media: []string{"multipart/form-data"}, Fields: []plan.Field{{Arg: "file", Binary: true}}}, `{"file":[5]}`},
		{plan.Body{Media: []string{"application/json", "text/csv"}, Choice: "file", Rest: true}, `{"file":"text/html"}`},
	} {
		_, err := send(t, post(test.b), test.args)
		fault := faultOf(t, err, twodoor.CodeInvalid)
		if len(fault.Fields) != 1 || fault.Fields[0].Path != "file" {
			t.Errorf("%s as %v is refused as %+v", test.args, test.b.Media, fault)
		}
	}
}

// TestTypeOfFields lets the fields given decide on the media type.
func TestTypeOfFields(t *testing.T) {
	const asJSON, asForm = "application/json", "multipart/form-data"
	b := plan.Body{Media: []string{asJSON, asForm}, Choice: "content_type", Fields: []plan.Field{
		{Arg: "prompt"}, {Arg: "images", Only: []string{asJSON}, Need: []string{asJSON}},
		{Arg: "image", Binary: true, Only: []string{asForm}, Need: []string{asForm}}, {Arg: "size", Need: []string{asJSON}},
	}}
	for args, want := range map[string]string{
		`{"prompt":"p"}`:                                              asJSON,
		`{"prompt":"p","images":["a"]}`:                               asJSON,
		`{"prompt":"p","image":"aGk="}`:                               asForm,
		`{"image":"aGk=","images":null}`:                              asForm,
		`{"prompt":"p","content_type":"multipart/form-data"}`:         asForm,
		`{"prompt":"p","images":["a"],"size":"1"}`:                    asJSON,
		`{"image":"aGk=","size":"1","content_type":"` + asForm + `"}`: asForm,
	} {
		if media, _, _ := strings.Cut(mustSend(t, post(b), args).header.Get("Content-Type"), ";"); media != want {
			t.Errorf("%s is sent as %s", args, media)
		}
	}
	for args, want := range map[string]string{
		`{"images":["a"],"image":"aGk="}`:                    "image is taken only as multipart/form-data, and images only as application/json: leave one of the two out",
		`{"image":"aGk=","content_type":"application/json"}`: "image is taken only as multipart/form-data, and content_type is application/json: leave one of the two out",
	} {
		_, err := send(t, post(b), args)
		if fault := faultOf(t, err, twodoor.CodeInvalid); fault.Message != want {
			t.Errorf("%s is answered with %s", args, fault.Message)
		}
	}
	lacking := plan.Body{Media: []string{asJSON, asForm}, Fields: []plan.Field{{Arg: "a"}, {Arg: "b", Need: []string{asJSON}}}}
	if got := mustSend(t, post(lacking), `{"a":"x"}`); !strings.HasPrefix(got.header.Get("Content-Type"), asForm) {
		t.Errorf("without what JSON requires it is sent as %s", got.header.Get("Content-Type"))
	}
}

func TestChoiceOfType(t *testing.T) {
	b := plan.Body{Media: []string{"application/json-patch+json", "application/merge-patch+json", "text/plain"}, Choice: "content_type", Arg: "body"}
	for args, want := range map[string]string{
		`{"body":[{"op":"remove"}]}`:                                        `application/json-patch+json [{"op":"remove"}]`,
		`{"body":{"a":null},"content_type":"application/merge-patch+json"}`: `application/merge-patch+json {"a":null}`,
		`{"content_type":"text/plain","body":"x"}`:                          "text/plain x",
	} {
		got := mustSend(t, post(b), args)
		if got.header.Get("Content-Type")+" "+got.body != want {
			t.Errorf("%s is sent as %s %s", args, got.header.Get("Content-Type"), got.body)
		}
	}
}
