package rawjson

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestSet(t *testing.T) {
	cases := []struct{ raw, key, value, want string }{
		{`{"a": 1, "b": 2}`, "a", `"x"`, `{"a": "x", "b": 2}`},
		{`{"a":1}`, "b", `2`, `{"a":1,"b":2}`},
		{` { } `, "b", `2`, `{"b":2}`},
		{`null`, "b", `2`, `{"b":2}`},
		{``, `q"`, `2`, `{"q\"":2}`},
		{`{"a":1,"a":2}`, "a", `3`, `{"a":1,"a":3}`},
	}
	for _, c := range cases {
		before := []byte(c.raw)
		if got := Set(before, c.key, []byte(c.value)); string(got) != c.want {
			t.Errorf("Set(%s, %q, %s) = %s, want %s", c.raw, c.key, c.value, got, c.want)
		}
		if string(before) != c.raw {
			t.Errorf("Set changed its input to %s", before)
		}
	}
}

func TestDelete(t *testing.T) {
	cases := []struct{ raw, key, want string }{
		{`{"a": 1, "b": 2}`, "a", `{"b":2}`},
		{`{"a":1,"b":2,"a":3}`, "a", `{"b":2}`},
		{`{"a": 1}`, "b", `{"a": 1}`},
		{`{"a":1}`, "a", `{}`},
		{`[1]`, "a", `[1]`},
	}
	for _, c := range cases {
		if got := Delete([]byte(c.raw), c.key); string(got) != c.want {
			t.Errorf("Delete(%s, %q) = %s, want %s", c.raw, c.key, got, c.want)
		}
	}
}

func TestBuilders(t *testing.T) {
	var o Object
	if got := string(o.Bytes()); got != "{}" || !o.Empty() {
		t.Fatalf("an empty object is %s", got)
	}
	o.PutString("a", "<é>")
	first := o.Bytes()
	o.Put("none", nil)
	o.Put("b", []byte(`[1]`))
	o.PutInt("c", 1<<60)
	o.PutBool("d", true)
	o.PutStrings("e", []string{"x", "y"})
	if got := string(first); got != `{"a":"<é>"}` {
		t.Errorf("the object handed out before became %s", got)
	}
	want := `{"a":"<é>","b":[1],"c":1152921504606846976,"d":true,"e":["x","y"]}`
	if got := string(o.Bytes()); got != want || string(o.Bytes()) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var a Array
	if got := string(a.Bytes()); got != "[]" {
		t.Errorf("an empty array is %s", got)
	}
	a.Add([]byte("1"))
	a.Add(nil)
	a.AddString("x")
	a.AddInt(-2)
	if got := string(a.Bytes()); got != `[1,"x",-2]` {
		t.Errorf("got %s", got)
	}
}

func FuzzSetGet(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":{"c":2}}`), "b", []byte(`3`))
	f.Add([]byte(`{"a":1,"\u0061":2}`), "a", []byte(`{}`))
	f.Add([]byte(`nope`), "", []byte(`"x"`))
	f.Fuzz(func(t *testing.T, raw []byte, key string, value []byte) {
		if Check(raw) != nil {
			raw = []byte("{}")
		}
		value = Trim(value)
		if Check(value) != nil {
			value = []byte("null")
		}
		key, _ = String(Quote(key))
		out := Set(raw, key, value)
		if !json.Valid(out) {
			t.Fatalf("Set(%s, %q, %s) = %s is not JSON", raw, key, value, out)
		}
		if got, _ := Get(out, key); !bytes.Equal(got, value) {
			t.Fatalf("Set(%s, %q, %s) reads back as %s", raw, key, value, got)
		}
		out = Delete(out, key)
		if _, found := Get(out, key); found || !json.Valid(out) {
			t.Fatalf("Delete(%q) left %s", key, out)
		}
	})
}

func FuzzCompactIndent(f *testing.F) {
	f.Add([]byte(` { "a b" : [ ] , "c" : [ 1 , { } ] } `))
	f.Add([]byte("\"open"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		compact, indented := Compact(nil, raw), Indent(nil, raw, "  ")
		if !json.Valid(raw) {
			return
		}
		var want bytes.Buffer
		_ = json.Compact(&want, raw)
		if !bytes.Equal(compact, want.Bytes()) {
			t.Fatalf("Compact(%q) = %s, want %s", raw, compact, want.Bytes())
		}
		want.Reset()
		_ = json.Indent(&want, bytes.TrimSpace(raw), "", "  ")
		if !bytes.Equal(indented, want.Bytes()) {
			t.Fatalf("Indent(%q) = %s, want %s", raw, indented, want.Bytes())
		}
	})
}
