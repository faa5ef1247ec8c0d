package rawjson

import (
	"slices"
	"testing"
)

func TestMembersKeepOrderAndText(t *testing.T) {
	raw := []byte(` { "b" : 1152921504606846976, "a\u0062": [1, {"x":"}"}] ,"b":1.0 } `)
	var got []string
	for key, value := range Members(raw) {
		got = append(got, key+"="+string(value))
	}
	want := []string{"b=1152921504606846976", `ab=[1, {"x":"}"}]`, "b=1.0"}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestGet(t *testing.T) {
	cases := []struct{ raw, key, want string }{
		{`{"a":1,"a":2}`, "a", "2"},
		{`{"a\"b":1}`, `a"b`, "1"},
		{`{"a\\":1}`, `a\\`, ""},
		{`{"a\\":1}`, `a\`, "1"},
		{`{"a":{"b":1}}`, "b", ""},
		{`["a",1]`, "a", ""},
		{`{"a":`, "a", ""},
		{``, "a", ""},
		{`{"":null}`, "", "null"},
	}
	for _, c := range cases {
		got, found := Get([]byte(c.raw), c.key)
		if string(got) != c.want || found != (c.want != "") {
			t.Errorf("Get(%s, %q) = %q, %v; want %q", c.raw, c.key, got, found, c.want)
		}
	}
}

func TestGetPath(t *testing.T) {
	raw := []byte(`{"a":[{"b":"x"},{"b":"y"}],"0":true}`)
	cases := []struct {
		path []string
		want string
	}{
		{nil, string(raw)},
		{[]string{"a", "1", "b"}, `"y"`},
		{[]string{"0"}, "true"},
		{[]string{"a", "2"}, ""},
		{[]string{"a", "-1"}, ""},
		{[]string{"a", "b"}, ""},
	}
	for _, c := range cases {
		if got, _ := GetPath(raw, c.path...); string(got) != c.want {
			t.Errorf("GetPath(%q) = %q, want %q", c.path, got, c.want)
		}
	}
}

func TestKindOf(t *testing.T) {
	cases := map[string]Kind{
		"": KindInvalid, " ": KindInvalid, "x": KindInvalid, " null": KindNull, "true": KindBool,
		"-1": KindNumber, `"a"`: KindString, "\n[]": KindArray, "{}": KindObject,
	}
	for raw, want := range cases {
		if got := KindOf([]byte(raw)); got != want {
			t.Errorf("KindOf(%q) = %v, want %v", raw, got, want)
		}
	}
}

func TestWalkingAllocatesNothing(t *testing.T) {
	raw := []byte(`{"jsonrpc":"2.0","id":7,"params":{"name":"x","list":[1,2,3]}}`)
	sum := 0
	got := testing.AllocsPerRun(100, func() {
		value, _ := GetPath(raw, "params", "list")
		for e := range Elements(value) {
			sum += len(e)
		}
		for k, v := range RawMembers(raw) {
			sum += len(k) + len(v)
		}
		sum += int(KindOf(raw))
	})
	if got > 0 {
		t.Errorf("%v allocations, want none", got)
	}
}
