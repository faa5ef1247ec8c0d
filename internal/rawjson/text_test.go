package rawjson

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestString(t *testing.T) {
	cases := []struct {
		raw, want string
		ok        bool
	}{
		{`"plain"`, "plain", true},
		{` "spaced" `, "spaced", true},
		{`"\u00e9\n\/\"\\"`, "é\n/\"\\", true},
		{`"\ud83d\ude00"`, "😀", true},
		{`"\ud83dx"`, "\ufffdx", true},
		{`"\ud83d\u0041"`, "\ufffdA", true},
		{`"\ude00"`, "\ufffd", true},
		{"\"a\xffb\"", "a\ufffdb", true},
		{`"a"b"`, "", false},
		{`"\x"`, "", false},
		{`"\u12"`, "", false},
		{"\"a\nb\"", "", false},
		{`"\"`, "", false},
		{`"`, "", false},
		{`12`, "", false},
	}
	for _, c := range cases {
		got, ok := String([]byte(c.raw))
		if got != c.want || ok != c.ok {
			t.Errorf("String(%s) = %q, %v; want %q, %v", c.raw, got, ok, c.want, c.ok)
		}
	}
}

func FuzzString(f *testing.F) {
	for _, s := range []string{`"a"`, `"\ud83d\ude00"`, `"\ud83d"`, "\"\xff\"", `"\u0000"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want string
		if json.Unmarshal(raw, &want) != nil || KindOf(raw) != KindString {
			if got, ok := String(raw); ok && json.Valid(raw) {
				t.Fatalf("String(%q) = %q, but it is no string", raw, got)
			}
			return
		}
		if got, ok := String(raw); !ok || got != want {
			t.Fatalf("String(%q) = %q, %v; want %q", raw, got, ok, want)
		}
	})
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"a", "<&>", "\x00\x1f\"\\", "\xff\xed\xa0\x80", "\u2028😀", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := AppendString(nil, s)
		if !json.Valid(raw) || !utf8.Valid(raw) {
			t.Fatalf("AppendString(%q) = %q is not JSON", s, raw)
		}
		var want string
		quoted, _ := json.Marshal(s)
		_ = json.Unmarshal(quoted, &want)
		if got, ok := String(raw); !ok || got != want {
			t.Fatalf("AppendString(%q) = %s reads back as %q", s, raw, got)
		}
	})
}
