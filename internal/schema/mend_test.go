package schema

import (
	"slices"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
)

const ticket = `{"type":"object","additionalProperties":false,"required":["title","severity","owner"],"properties":{
	"title":{"type":"string","maxLength":8},"severity":{"enum":["critical","warning","info"]},
	"owner":{"type":"object","required":["userId"],"properties":{"userId":{"type":"integer","minimum":1}}},
	"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true,"maxItems":2},
	"notify":{"type":"boolean"},"parent":{"oneOf":[
		{"type":"object","additionalProperties":false,"required":["kind","id"],"properties":{"kind":{"const":"ticket"},"id":{"type":"integer"}}},
		{"type":"object","additionalProperties":false,"required":["kind","url"],"properties":{"kind":{"const":"link"},"url":{"type":"string"}}}]}}}`

func TestMend(t *testing.T) {
	example := []byte(`{"title":"Disk","severity":"info","owner":{"userId":7}}`)
	cases := []struct {
		value, want     string
		filled, dropped []string
	}{
		{`{"title":"Disk","severity":"info","owner":{"userId":1}}`, `{"title":"Disk","severity":"info","owner":{"userId":1}}`, nil, nil},
		{`{}`, `{"title":"Disk","severity":"info","owner":{"userId":7}}`, []string{"title", "severity", "owner"}, nil},
		{`{"tilte":"a","Severity":"warn","owner":{"user_id":"12"}}`, `{"title":"a","severity":"warning","owner":{"userId":12}}`, nil, nil},
		{`{"title":"far too long","severity":"CRITICAL","owner":{"userId":0},"colour":"red"}`, `{"title":"far too ","severity":"critical","owner":{"userId":1}}`, nil, []string{"colour"}},
		{`{"title":5,"severity":["info"],"owner":{"userId":2},"tags":"a","notify":"yes"}`, `{"title":"5","severity":"info","owner":{"userId":2},"tags":["a"],"notify":true}`, nil, nil},
		{`{"title":"a","severity":"info","owner":{"userId":2},"tags":["a",1,"a","b"]}`, `{"title":"a","severity":"info","owner":{"userId":2},"tags":["a","1"]}`, nil, []string{"tags[2]", "tags[2]"}},
		{`{"title":"a","severity":"info","owner":{"userId":2},"parent":{"kind":"link","urll":"x"}}`, `{"title":"a","severity":"info","owner":{"userId":2},"parent":{"kind":"link","url":"x"}}`, nil, nil},
		{`{"title":"a","severity":"info","owner":{"userId":1152921504606846976},"notify":null}`, `{"title":"a","severity":"info","owner":{"userId":1152921504606846976}}`, nil, []string{"notify"}},
	}
	s, err := Compile([]byte(ticket))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		got := s.Mend([]byte(c.value), example)
		if !s.Accepts(got.Value) || !rawjson.Equal(got.Value, []byte(c.want)) || !slices.Equal(got.Filled, c.filled) || !slices.Equal(got.Dropped, c.dropped) {
			t.Errorf("%s\nbecomes %s, filled %q, dropped %q\nwant    %s, filled %q, dropped %q", c.value, got.Value, got.Filled, got.Dropped, c.want, c.filled, c.dropped)
		}
	}
}

func TestEssence(t *testing.T) {
	define := func(name string) []byte {
		return []byte(`{"type":"object","description":"An owner.","required":["id"],"properties":{"id":{"type":"integer","title":"Id"},"note":{"type":"string","maxLength":100}}}`)
	}
	part := []byte(`{"type":"object","description":"words","required":["owner"],"properties":{"owner":{"$ref":"#/$defs/O"},"also":{"type":"string","description":"more words"}}}`)
	cases := []struct {
		most int
		want string
	}{
		{1000, `{"type":"object","required":["owner"],"properties":{"owner":{"$ref":"#/$defs/O"},"also":{"type":"string"}},"$defs":{"O":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"},"note":{"type":"string","maxLength":100}}}}}`},
		{50, `{"type":"object","required":["owner"],"properties":{"owner":{"$ref":"#/$defs/O"}},"$defs":{"O":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}}}`},
		{20, `{"type":"object","required":["owner"]}`},
	}
	for _, c := range cases {
		if got := Essence(part, c.most, define); !rawjson.Equal(got, []byte(c.want)) {
			t.Errorf("in %d tokens (%d, want %d): %s", c.most, Weigh(got), Weigh([]byte(c.want)), got)
		}
	}
}

func FuzzMend(f *testing.F) {
	f.Add([]byte(ticket), []byte(`{"tilte":1}`))
	f.Add([]byte(`{"$ref":"#"}`), []byte(`1`))
	f.Add([]byte(`{"anyOf":[{"$ref":"#"},{"type":"array","items":{"$ref":"#"},"minItems":2}]}`), []byte(`{"a":[1]}`))
	f.Fuzz(func(t *testing.T, raw, value []byte) {
		s, err := Compile(raw)
		if err != nil || rawjson.Check(value) != nil {
			return
		}
		got := s.Mend(value, nil)
		if err := rawjson.Check(got.Value); err != nil {
			t.Fatalf("%s by %s becomes %q: %v", value, raw, got.Value, err)
		}
		if s.Accepts(value) && string(got.Value) != string(value) {
			t.Fatalf("%s fits %s, and becomes %s", value, raw, got.Value)
		}
		if light := Essence(raw, 50, func(string) []byte { return nil }); rawjson.Check(light) != nil {
			t.Fatalf("%s becomes %q", raw, light)
		}
	})
}
