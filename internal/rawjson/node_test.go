package rawjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func parse(t testing.TB, text string) *Node {
	t.Helper()
	n, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestParseKeepsTextAndLines(t *testing.T) {
	n := parse(t, "\ufeff{\n \"n\": 1152921504606846976,\n \"f\": 1.0,\n \"l\": [\n  true, \"\\u00e9\"]}")
	if got := string(n.JSON()); got != `{"n":1152921504606846976,"f":1.0,"l":[true,"\u00e9"]}` {
		t.Errorf("JSON: %s", got)
	}
	if n.Line != 1 || n.Get("f").Line != 3 || n.Get("l").Items[1].Line != 5 {
		t.Errorf("lines: %d, %d, %d", n.Line, n.Get("f").Line, n.Get("l").Items[1].Line)
	}
	if v, ok := n.Get("n").Int(); v != 1<<60 || !ok {
		t.Errorf("Int: %d, %v", v, ok)
	}
	if got := n.Get("l").Items[1].Str(); got != "é" {
		t.Errorf("Str: %q", got)
	}
}

func TestAbsentNodes(t *testing.T) {
	var n *Node
	n = n.Get("a").Path("b", "c")
	if n != nil || n.Str() != "" || n.Bool() || n.Len() != 0 || n.Is(KindNull) || n.Strings() != nil {
		t.Error("an absent node has something")
	}
	for range n.Members() {
		t.Error("a member")
	}
	for range n.Elements() {
		t.Error("an element")
	}
	if got := string(n.JSON()); got != "null" {
		t.Errorf("JSON: %s", got)
	}
	if n.Clone() != nil {
		t.Error("a clone of nothing")
	}
}

func TestBigObjectEdits(t *testing.T) {
	var o Object
	for i := range 100 {
		o.PutInt(fmt.Sprint("k", i), int64(i))
	}
	n := parse(t, string(o.Bytes()))
	c := n.Clone()
	if got, _ := n.Get("k77").Int(); got != 77 {
		t.Errorf("k77 = %d", got)
	}
	n.Put("k100", StringNode("new"))
	n.Put("k5", StringNode("changed"))
	n.Remove("k0")
	if n.Get("k100").Str() != "new" || n.Get("k5").Str() != "changed" || n.Get("k0") != nil || n.Get("nope") != nil {
		t.Errorf("after edits: %s", n.JSON())
	}
	if got, _ := n.Get("k99").Int(); got != 99 || n.Len() != 100 {
		t.Errorf("k99 = %d of %d", got, n.Len())
	}
	if !bytes.Equal(c.JSON(), o.Bytes()) {
		t.Errorf("the clone changed: %s", c.JSON())
	}
}

func TestRepeatedKeys(t *testing.T) {
	n := parse(t, `{"a":1,"a":2}`)
	if got, _ := n.Get("a").Int(); got != 2 {
		t.Errorf("a = %d, want the last", got)
	}
	if n.Remove("a"); n.Len() != 0 {
		t.Errorf("left: %s", n.JSON())
	}
}

func TestAt(t *testing.T) {
	n := parse(t, `{"paths":{"/a/{b}":{"x":[10,20]},"m~n":1,"50%":2,"a b":3,"%41":4},"":5}`)
	cases := map[string]string{
		"":                       "object",
		"#":                      "object",
		"#/paths/~1a~1{b}/x/1":   "20",
		"/paths/~1a~1%7Bb%7D/x":  "array",
		"#/paths/m~0n":           "1",
		"#/paths/50%":            "2",
		"#/paths/50%25":          "2",
		"#/paths/a%20b":          "3",
		"#/paths/%41":            "4",
		"#/":                     "5",
		"#/paths/%2Fa%2F%7Bb%7D": "object",
	}
	for pointer, want := range cases {
		got, err := n.At(pointer)
		if err != nil {
			t.Errorf("At(%q): %v", pointer, err)
			continue
		}
		if text := string(got.JSON()); text != want && got.Kind.String() != want {
			t.Errorf("At(%q) = %s, want %s", pointer, text, want)
		}
	}
	for _, pointer := range []string{"paths", "#/nope", "#/paths/m~0n/x", "#/paths/~1a~1{b}/x/2", "#/paths/~1a~1{b}/x/-1"} {
		if got, err := n.At(pointer); err == nil {
			t.Errorf("At(%q) = %s, want an error", pointer, got.JSON())
		}
	}
}

func corpus(t testing.TB, name string) []byte {
	t.Helper()
	folder := os.Getenv("TWODOOR_CORPUS")
	if folder == "" {
		t.Skip("TWODOOR_CORPUS is unset: the folder of real descriptions")
	}
	data, err := os.ReadFile(filepath.Join(folder, "openapi", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCorpusRoundTrip(t *testing.T) {
	for _, name := range []string{"github.json", "stripe.json", "kubernetes-swagger2.json", "flashduty.zh.json", "twilio-api-v2010.json"} {
		data := corpus(t, name)
		var want bytes.Buffer
		if err := json.Compact(&want, data); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(Compact(nil, data), want.Bytes()) {
			t.Errorf("%s: Compact differs", name)
		}
		if got := parse(t, string(data)).JSON(); len(data) < 6<<20 && !sameValue(t, got, data) {
			t.Errorf("%s: the tree writes another value", name)
		}
	}
}

func sameValue(t *testing.T, a, b []byte) bool {
	t.Helper()
	var texts [2]string
	for i, raw := range [][]byte{a, b} {
		var v any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out, _ := json.Marshal(v)
		texts[i] = string(out)
	}
	return texts[0] == texts[1]
}

func BenchmarkParseGitHub(b *testing.B) {
	data := corpus(b, "github.json")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var tree *Node
	for b.Loop() {
		tree, _ = Parse(data)
	}
	b.StopTimer()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	runtime.KeepAlive(tree)
	tree = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(before.HeapAlloc-after.HeapAlloc)/1e6, "tree-MB")
}

func BenchmarkCheck(b *testing.B) {
	data := corpus(b, "github.json")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Check(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	raw := []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello, world"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, found := GetPath(raw, "params", "arguments", "text"); !found {
			b.Fatal("nothing found")
		}
	}
}
