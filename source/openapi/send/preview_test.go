package send

import (
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

func TestPreview(t *testing.T) {
	jsonBodyOf := &plan.Body{Media: []string{"application/json"}, Rest: true}
	for _, test := range []struct {
		name       string
		p          plan.Plan
		args       string
		curl, body string
	}{
		{"reading", plan.Plan{Accept: []string{"application/json"}, Params: []plan.Param{{Arg: "q", In: "query"}}}, `{"q":"it's"}`,
			`curl 'https://api.example.com/v1/things?q=it%27s' \
  -H 'Accept: application/json' \
  -H 'Authorization: Bearer ***' \
  -H 'User-Agent: twodoor'`, ""},
		{"JSON", plan.Plan{Method: "POST", Accept: []string{"application/json"}, Body: jsonBodyOf}, `{"a":"it's"}`,
			`curl -X POST 'https://api.example.com/v1/things' \
  -H 'Accept: application/json' \
  -H 'Authorization: Bearer ***' \
  -H 'Content-Type: application/json' \
  -H 'User-Agent: twodoor' \
  --data-raw '{"a":"it'\''s"}'`, `{"a":"it's"}`},
		{"form", plan.Plan{Method: "POST", Accept: []string{"application/json"}, Body: &plan.Body{Media: []string{"application/x-www-form-urlencoded"}, Rest: true}}, `{"a":"b c"}`,
			`curl -X POST 'https://api.example.com/v1/things' \
  -H 'Accept: application/json' \
  -H 'Authorization: Bearer ***' \
  -H 'Content-Type: application/x-www-form-urlencoded' \
  -H 'User-Agent: twodoor' \
  --data-raw 'a=b%20c'`, `"a=b%20c"`},
		{"multipart", plan.Plan{Method: "POST", Accept: []string{"application/json"}, Body: &plan.Body{Media: []string{"multipart/form-data"}, Fields: []plan.Field{{Arg: "t"}, {Arg: "f", Binary: true}}}},
			`{"t":"x","f":"data:image/png;name=a.png;base64,aGk="}`,
			`curl -X POST 'https://api.example.com/v1/things' \
  -H 'Accept: application/json' \
  -H 'Authorization: Bearer ***' \
  -H 'User-Agent: twodoor' \
  --form-string 't=x' \
  -F 'f=@a.png;type=image/png'`, `[{"name":"t","value":"x"},{"name":"f","file":"a.png","type":"image/png","bytes":2}]`},
		{"bytes", plan.Plan{Method: "PUT", Accept: []string{"application/json"}, Body: &plan.Body{Media: []string{"application/octet-stream"}, Arg: "b"}}, `{"b":"aGk="}`,
			`curl -X PUT 'https://api.example.com/v1/things' \
  -H 'Accept: application/json' \
  -H 'Authorization: Bearer ***' \
  -H 'Content-Type: application/octet-stream' \
  -H 'User-Agent: twodoor' \
  --data-binary @- # 2 bytes of application/octet-stream`, `"2 bytes of application/octet-stream"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := &Invoker{Doer: maskDoer{}}
			got, err := v.Preview(t.Context(), invocation(t, test.p, test.args))
			if err != nil {
				t.Fatal(err)
			}
			if got.Text != test.curl {
				t.Errorf("shown as\n%s\nwant\n%s", got.Text, test.curl)
			}
			if body, _ := rawjson.Get(got.Detail, "body"); string(body) != test.body {
				t.Errorf("the body is shown as %s, want %s", body, test.body)
			}
			method, _ := rawjson.Get(got.Detail, "method")
			auth, _ := rawjson.GetPath(got.Detail, "headers", "Authorization")
			if !strings.Contains(test.curl, "Bearer") || string(auth) != `"Bearer ***"` || len(method) < 3 || rawjson.Check(got.Detail) != nil {
				t.Errorf("shown as %s", got.Detail)
			}
		})
	}
}

func TestPreviewRefusesWhatInvokeRefuses(t *testing.T) {
	p := plan.Plan{Path: "/a/{id}", Params: []plan.Param{{Arg: "id", In: "path"}}}
	_, err := (&Invoker{Doer: maskDoer{}}).Preview(t.Context(), invocation(t, p, `{"id":".."}`))
	faultOf(t, err, twodoor.CodeInvalid)
}

func TestPreviewWithoutAMasker(t *testing.T) {
	got, err := (&Invoker{}).Preview(t.Context(), invocation(t, plan.Plan{}, `{}`))
	if err != nil || !strings.HasPrefix(got.Text, "curl 'https://api.example.com/v1/things'") || strings.Contains(got.Text, "***") {
		t.Errorf("shown as %+v, %v", got, err)
	}
}
