package schema

import (
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
)

func TestFit(t *testing.T) {
	const s = `{"properties":{"o":{"type":"object","properties":{"n":{"type":"integer"}}},"l":{"type":"array","items":{"type":"number"}},"s":{"type":"string"},"sn":{"type":["string","integer"]},"n":{"$ref":"#/$defs/n"},"b":{"type":["boolean","null"]},"any":{},"u":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]},"all":{"allOf":[{"type":"object"},{"properties":{"x":{"type":"integer"}}}]}},"additionalProperties":{"type":"integer"},"$defs":{"n":{"type":"integer"}}}`
	cases := []struct{ value, want string }{
		{`{"o":"{\"n\":\"5\"}"}`, `{"o":{"n":5}}`},
		{`{"o": {"n": 5}}`, `{"o": {"n": 5}}`},
		{`{"l":"[1, \"2.50\"]"}`, `{"l":[1,2.50]}`},
		{`{"l":["1152921504606846976",2]}`, `{"l":[1152921504606846976,2]}`},
		{`{"s":"{\"a\":1}"}`, `{"s":"{\"a\":1}"}`},
		{`{"s":"5"}`, `{"s":"5"}`},
		{`{"sn":"5"}`, `{"sn":"5"}`},
		{`{"n":"5"}`, `{"n":5}`},
		{`{"n":" 5 "}`, `{"n":5}`},
		{`{"n":"5.5"}`, `{"n":"5.5"}`},
		{`{"n":"0x5"}`, `{"n":"0x5"}`},
		{`{"n":"05"}`, `{"n":"05"}`},
		{`{"n":""}`, `{"n":""}`},
		{`{"b":"true","n":"true"}`, `{"b":true,"n":"true"}`},
		{`{"any":"[1]"}`, `{"any":"[1]"}`},
		{`{"u":"5"}`, `{"u":5}`},
		{`{"u":["5"]}`, `{"u":[5]}`},
		{`{"all":"{\"x\":\"1\"}"}`, `{"all":{"x":1}}`},
		{`{"other":"7"}`, `{"other":7}`},
		{`"{\"n\":1}"`, `"{\"n\":1}"`},
		{`[1]`, `[1]`},
	}
	c := compile(t, s)
	for _, test := range cases {
		if got := string(c.Fit([]byte(test.value))); got != test.want {
			t.Errorf("Fit(%s) = %s, want %s", test.value, got, test.want)
		}
	}
	object := compile(t, `{"type":"object","properties":{"n":{"type":"integer"}}}`)
	if got := string(object.Fit([]byte(`"{\"n\":\"1\"}"`))); got != `{"n":1}` {
		t.Errorf("a whole object in a string: %s", got)
	}
}

func TestDefault(t *testing.T) {
	c := compile(t, `{"properties":{"a":{"default":1,"x-fill":true},"b":{"default":2},"c":{"properties":{"d":{"default":"x","x-fill":true}}},"e":{"$ref":"#/$defs/e"}},"$defs":{"e":{"properties":{"f":{"default":[],"x-fill":true}}}}}`)
	cases := []struct{ value, want string }{
		{`{}`, `{"a":1}`},
		{`{"a":null}`, `{"a":null}`},
		{`{"a":0,"c":{},"e":{"g":1}}`, `{"a":0,"c":{"d":"x"},"e":{"g":1,"f":[]}}`},
		{`7`, `7`},
	}
	for _, test := range cases {
		if got := string(c.Default([]byte(test.value))); got != test.want {
			t.Errorf("Default(%s) = %s, want %s", test.value, got, test.want)
		}
	}
}

func FuzzFit(f *testing.F) {
	for _, raw := range agreeSchemas {
		f.Add([]byte(raw), []byte(`{"a":"5","x":["true"],"b":"{}"}`))
	}
	f.Fuzz(func(t *testing.T, raw, value []byte) {
		s, err := Compile(raw)
		if err != nil || rawjson.Check(value) != nil {
			return
		}
		fits := s.Accepts(value)
		mended := s.Fit(value)
		if rawjson.Check(mended) != nil || fits && !s.Accepts(mended) {
			t.Fatalf("%s: %s becomes %s", raw, value, mended)
		}
		if err := rawjson.Check(s.Default(value)); err != nil {
			t.Fatalf("%s: %s filled: %v", raw, value, err)
		}
	})
}
