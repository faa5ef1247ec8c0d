package schema

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
)

func checkJSON(raw []byte) error { return rawjson.Check(raw) }

func TestClose(t *testing.T) {
	defs := map[string]string{
		"A":   `{"properties":{"b":{"$ref":"#/$defs/B"},"self":{"$ref":"#/$defs/A"}}}`,
		"B":   `{"items":{"$ref" : "#/$defs/C~1d"}}`,
		"C/d": `{"type":"string"}`,
		"Z":   `{"type":"never reached"}`,
	}
	asked := 0
	def := func(name string) []byte { asked++; return []byte(defs[name]) }
	cases := []struct{ root, want string }{
		{`{"type":"string"}`, `{"type":"string"}`},
		{`{"$ref":"#/$defs/A"}`, `{"$ref":"#/$defs/A","$defs":{"A":` + defs["A"] + `,"B":` + defs["B"] + `,"C/d":` + defs["C/d"] + `}}`},
		{`{"$ref":"#/$defs/gone"}`, `{"$ref":"#/$defs/gone","$defs":{"gone":{}}}`},
		{`{"$ref":"#/$defs/C~1d","$defs":{"C/d":{"own":1}}}`, `{"$ref":"#/$defs/C~1d","$defs":{"C/d":{"own":1}}}`},
		{`{"a":{"$ref":"#/$defs/own"},"b":{"$ref":"#/$defs/B"},"$defs":{"own":{}}}`, `{"a":{"$ref":"#/$defs/own"},"b":{"$ref":"#/$defs/B"},"$defs":{"own":{},"B":` + defs["B"] + `,"C/d":` + defs["C/d"] + `}}`},
		{`{"properties":{"$ref":{"type":"string"}},"x":"\"$ref\""}`, `{"properties":{"$ref":{"type":"string"}},"x":"\"$ref\""}`},
	}
	for _, c := range cases {
		if got := string(Close([]byte(c.root), def)); got != c.want {
			t.Errorf("Close(%s) = %s, want %s", c.root, got, c.want)
		}
	}
	asked = 0
	Close([]byte(`{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A"}}`), def)
	if asked != 3 {
		t.Errorf("asked %d times for 3 definitions", asked)
	}
}

func TestCloseIsBounded(t *testing.T) {
	big := []byte(`{"description":"` + strings.Repeat("x", 1<<20) + `"}`)
	var root rawjson.Object
	for i := range 100 {
		root.Put(strings.Repeat("k", i+1), []byte(`{"$ref":"#/$defs/d`+strings.Repeat("y", i)+`"}`))
	}
	if got := len(Close(root.Bytes(), func(string) []byte { return big })); got > maxClosed+1<<20 {
		t.Errorf("%d bytes", got)
	}
}

func FuzzClose(f *testing.F) {
	f.Add([]byte(`{"$ref":"#/$defs/A","x":"\"$ref\":"}`), []byte(`{"$ref":"#/$defs/B"}`))
	f.Add([]byte(`{"$ref" : `), []byte(`"$ref":"`))
	f.Fuzz(func(t *testing.T, root, def []byte) {
		out := Close(root, func(string) []byte { return def })
		if checkJSON(root) == nil && checkJSON(def) == nil && checkJSON(out) != nil {
			t.Fatalf("Close(%s) = %s", root, out)
		}
	})
}

type sample struct {
	Zeta  string     `json:"zeta" jsonschema:"the last letter but first"`
	Alpha *int64     `json:"alpha,omitempty"`
	When  time.Time  `json:"when"`
	List  []innerish `json:"list,omitempty"`
	skip  int
}

type innerish struct {
	B bool `json:"b"`
	A bool `json:"a"`
}

func TestFor(t *testing.T) {
	raw, err := For(reflect.TypeFor[sample]())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	properties, _ := rawjson.Get(raw, "properties")
	for name := range rawjson.Members(properties) {
		names = append(names, name)
	}
	if got := strings.Join(names, " "); got != "zeta alpha when list" {
		t.Errorf("properties %s in %s", got, raw)
	}
	s := compile(t, string(raw))
	if problems := s.Check([]byte(`{"zeta":"z","when":"2026-01-01T00:00:00Z","list":[{"b":true,"a":false}]}`)); problems != nil {
		t.Errorf("%v", problems)
	}
	if problems := s.Check([]byte(`{"alpha":"x"}`)); len(problems) != 3 {
		t.Errorf("%v", problems)
	}
	if _, err := For(reflect.TypeFor[func()]()); err == nil {
		t.Error("a function has a schema")
	}
	_ = sample{}.skip
}
