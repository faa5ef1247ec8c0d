package mcpclient_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient"
)

func TestOpen(t *testing.T) {
	for name, c := range map[string]struct{ result, json, media string }{
		"structured":        {`{"content":[{"type":"text","text":"{}"}],"structuredContent":{"n":1152921504606846977,"a":1.0}}`, `{"n":1152921504606846977,"a":1.0}`, ""},
		"structured scalar": {`{"structuredContent":7}`, `7`, ""},
		"structured null":   {`{"content":[{"type":"text","text":"x"}],"structuredContent":null}`, `"x"`, "text/plain"},
		"text":              {`{"content":[{"type":"text","text":"two\nlines"}]}`, `"two\nlines"`, "text/plain"},
		"texts":             {`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, `"a\nb"`, "text/plain"},
		"text that is JSON": {`{"content":[{"type":"text","text":" {\"n\":1152921504606846977} "}]}`, `{"n":1152921504606846977}`, ""},
		"texts that are":    {`{"content":[{"type":"text","text":"[1]"},{"type":"text","text":"{}"}]}`, `[[1],{}]`, ""},
		"text and JSON":     {`{"content":[{"type":"text","text":"see:"},{"type":"text","text":"{}"}]}`, `"see:\n{}"`, "text/plain"},
		"number stays text": {`{"content":[{"type":"text","text":"007"}]}`, `"007"`, "text/plain"},
		"broken JSON":       {`{"content":[{"type":"text","text":"{oops"}]}`, `"{oops"`, "text/plain"},
		"nothing":           {`{"content":[]}`, ``, ""},
		"link":              {`{"content":[{"type":"text","text":"a"},{"type":"resource_link","uri":"x://y"}]}`, `["a",{"type":"resource_link","uri":"x://y"}]`, ""},
		"broken base64":     {`{"content":[{"type":"image","data":"*"}]}`, `[{"type":"image","data":"*"}]`, ""},
		"of the 2024 kind":  {`{"toolResult":5}`, ``, ""},
	} {
		value, err := mcpclient.Open([]byte(c.result))
		if err != nil || string(value.JSON) != c.json || value.MediaType != c.media {
			t.Errorf("%s: got %s (%s), %v; want %s (%s)", name, value.JSON, value.MediaType, err, c.json, c.media)
		}
	}
	value, err := mcpclient.Open([]byte(`{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"resource","resource":{"uri":"a://b","text":"words","mimeType":"text/x"}},{"type":"resource","resource":{"uri":"a://c","blob":"aGk="}}]}`))
	if err != nil || len(value.Blobs) != 3 || string(value.Blobs[0].Data) != "hi" || value.Blobs[0].MediaType != "image/png" ||
		value.Blobs[1].URI != "a://b" || string(value.Blobs[1].Data) != "words" || string(value.Blobs[2].Data) != "hi" || value.JSON != nil {
		t.Errorf("blobs %+v, %v", value, err)
	}
}

func TestFaultsOfTools(t *testing.T) {
	pool := serve(t, local("modern"))
	invoker := &mcpclient.Invoker{Pool: pool}
	if raw := mustInvoke(t, pool, "fails", `{}`); raw != `{"content":[{"type":"text","text":"the note is locked"}],"isError":true,"extra":7}` {
		t.Errorf("the result of a failed tool changed: %s", raw)
	}
	_, err := invoker.Invoke(t.Context(), of("fails", `{}`))
	fault := wantCode(t, err, twodoor.CodeUpstream, "the note is locked")
	if string(fault.Upstream.Body) != `"the note is locked"` {
		t.Errorf("body %s", fault.Upstream.Body)
	}
	_, err = invoker.Invoke(t.Context(), of("refuses", `{}`))
	fault = wantCode(t, err, twodoor.CodeInvalid, "bad note")
	if !strings.Contains(string(fault.Upstream.Body), `1152921504606846977`) {
		t.Errorf("body %s", fault.Upstream.Body)
	}
	for _, raw := range []string{`{"isError":true}`, `{"isError":true,"structuredContent":{"why":1}}`} {
		if _, err := mcpclient.Open([]byte(raw)); twodoor.AsError(err).Message == "" {
			t.Errorf("%s says nothing", raw)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(result)
	f.Add(`{"content":[{"type":"text","text":"[1]"},{"type":"resource","resource":{}}],"isError":true}`)
	f.Fuzz(func(t *testing.T, raw string) {
		if rawjson.Check([]byte(raw)) != nil {
			return
		}
		value, err := mcpclient.Open(json.RawMessage(raw))
		if err == nil && value.JSON != nil && rawjson.Check(value.JSON) != nil {
			t.Errorf("%s opens to %s, which is no JSON", raw, value.JSON)
		}
	})
}
