package rawjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCheckNamesThePlace(t *testing.T) {
	cases := []struct {
		raw          string
		line, column int
		says         string
	}{
		{"", 1, 1, "the text ends where a value"},
		{"{\n  \"a\": 01\n}", 2, 8, "leading zero"},
		{"{\"é\": x}", 1, 7, `'x' where a value`},
		{"[1,]", 1, 4, "where a value"},
		{"{\"a\":1,}", 1, 8, "a key in double quotes"},
		{"{\"a\" 1}", 1, 6, "a colon"},
		{"[1 2]", 1, 4, "a comma or ]"},
		{"{} {}", 1, 4, "the end of the text"},
		{"\"a\tb\"", 1, 3, "inside a string"},
		{`"a\x"`, 1, 3, "a bad escape"},
		{`["abc]`, 1, 2, "closing quote"},
		{"1.", 1, 3, "a digit"},
		{"-", 1, 2, "a digit"},
		{"nul", 1, 1, "a value"},
		{"\"a\xff\"", 1, 3, "0xff is not UTF-8"},
		{"{\x00\"\x00a\x00", 1, 1, "UTF-16"},
		{"\xff\xfe{\x00", 1, 1, "UTF-16"},
		{strings.Repeat("[", 1001) + strings.Repeat("]", 1001), 1, 1001, "deeper than 1000"},
	}
	for _, c := range cases {
		var fault *SyntaxError
		if err := Check([]byte(c.raw)); !errors.As(err, &fault) {
			t.Errorf("Check(%.20q) = %v, want a fault", c.raw, err)
			continue
		}
		if fault.Line != c.line || fault.Column != c.column || !strings.Contains(fault.Msg, c.says) {
			t.Errorf("Check(%.20q) = %v, want line %d, column %d, %q", c.raw, fault, c.line, c.column, c.says)
		}
	}
	if err := Check([]byte(strings.Repeat("[", 1000) + strings.Repeat("]", 1000))); err != nil {
		t.Errorf("depth 1000: %v", err)
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e-3,true,null,"\ud800"]}`, `01`, `-0`, `1e5`, "\"\x7f\"", ` [] `, `{"a":1 "b"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		err := Check(raw)
		if err != nil && strings.Contains(err.Error(), "deeper than") {
			return
		}
		if want := json.Valid(raw) && utf8.Valid(raw); want != (err == nil) {
			t.Fatalf("Check(%q) = %v, encoding/json says %v", raw, err, want)
		}
		for range Members(raw) {
		}
		for range Elements(raw) {
		}
		tree, parseErr := Parse(raw)
		if err == nil && parseErr != nil {
			t.Fatalf("Parse(%q) = %v, but Check found no fault", raw, parseErr)
		}
		if parseErr != nil {
			return
		}
		out := tree.JSON()
		again, err := Parse(out)
		if err != nil || string(again.JSON()) != string(out) {
			t.Fatalf("Parse(%q) writes %q, which reads as %q (%v)", raw, out, again.JSON(), err)
		}
	})
}
