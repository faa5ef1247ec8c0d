package rawjson

import (
	"slices"
	"strings"
	"testing"
)

// dropSlowly is DropEmpty level by level.
func dropSlowly(raw []byte, keep func(path []string) bool, at ...string) []byte {
	if kind := KindOf(raw); kind != KindObject && kind != KindArray {
		return raw
	}
	return Rewrite(raw, func(key []byte, _ int, v []byte) []byte {
		if key == nil {
			return dropSlowly(v, keep, at...)
		}
		name, _ := String(key)
		path := append(slices.Clone(at), name)
		if (string(v) == "null" || string(v) == `""`) && (keep == nil || !keep(path)) {
			return nil
		}
		return dropSlowly(v, keep, path...)
	})
}

var dropped = []string{
	`{"a":null,"b":"","c":1}`, `{"a":null}`, `{"a":1,"b":null}`, `{"a":null,"b":1,"c":"","d":null,"e":{"f":null,"g":[null,"",{"h":""}]},"i":null}`,
	`[{"a":null},{"a":1,"b":""}]`, ` { "a" : null , "b" : [ ] , "c" : { "d" : "" } } `, `null`, `""`, `[]`, `{}`, `{"a":"\"\"","b":"null","null":null,"":""}`,
	`{"keep":null,"x":{"keep":"","y":null}}`, `{"a":nul`, `{"a":null`, `{"a":null,}`, `[{"a":null]`, `{"a":null}}`, `{"a" null}`, `{"a":{"b":null`, strings.Repeat(`[{"a":null,"b":`, 800) + `1` + strings.Repeat(`}]`, 800),
}

func FuzzDropEmpty(f *testing.F) {
	for _, text := range dropped {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw := []byte(text)
		valid := Check(raw) == nil
		for _, keep := range []func([]string) bool{nil, func(path []string) bool { return path[len(path)-1] == "keep" }, func(path []string) bool { return len(path)%2 == 0 }} {
			out := DropEmpty(raw, keep, "at")
			if !valid {
				continue // it has not panicked
			}
			if len(out) > len(raw) || Check(out) != nil || string(raw) != text {
				t.Fatalf("%s becomes %s", text, out)
			}
			if want := Compact(nil, dropSlowly(raw, keep, "at")); string(Compact(nil, out)) != string(want) {
				t.Fatalf("%s becomes %s, want %s", text, out, want)
			}
		}
	})
}

func FuzzOutline(f *testing.F) {
	for _, text := range dropped {
		f.Add(text, 2)
	}
	f.Fuzz(func(t *testing.T, text string, levels int) {
		raw := []byte(text)
		part := Outline(raw, 0, levels%5)
		if Check(raw) != nil {
			return
		}
		var see func(p Part, value []byte)
		see = func(p Part, value []byte) {
			if string(raw[p.From:p.To]) != string(Trim(value)) || p.Kind != KindOf(value) || p.Kind == KindArray && p.Len != Len(value) {
				t.Fatalf("%+v is not %s", p, value)
			}
			for first := range Elements(value) {
				if p.First != KindOf(first) {
					t.Fatalf("%+v begins with %s", p, first)
				}
				break
			}
			if !p.Opened {
				return
			}
			at := 0
			for key, member := range RawMembers(value) {
				if string(p.Members[at].Key) != string(key) {
					t.Fatalf("member %d is %s, not %s", at, p.Members[at].Key, key)
				}
				see(p.Members[at], member)
				at++
			}
			if at != len(p.Members) {
				t.Fatalf("%d members, not %d", len(p.Members), at)
			}
		}
		see(part, raw)
	})
}
