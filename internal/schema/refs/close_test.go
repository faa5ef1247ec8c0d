package refs

import (
	"strings"
	"testing"

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
