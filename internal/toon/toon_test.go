package toon

import (
	"fmt"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// The examples are those of the specification of TOON.
func TestTOON(t *testing.T) {
	cases := []struct{ value, want string }{
		{`{"id":123,"name":"Ada","active":true}`, "id: 123\nname: Ada\nactive: true\n"},
		{`{"user":{"id":123,"name":"Ada"}}`, "user:\n  id: 123\n  name: Ada\n"},
		{`{"tags":["admin","ops","dev"]}`, "tags[3]: admin,ops,dev\n"},
		{`{"pairs":[[1,2],[3,4]]}`, "pairs[2]:\n  - [2]: 1,2\n  - [2]: 3,4\n"},
		{`{"items":[{"sku":"A1","qty":2,"price":9.99},{"sku":"B2","qty":1,"price":14.5}]}`, "items[2]{sku,qty,price}:\n  A1,2,9.99\n  B2,1,14.5\n"},
		{`{"items":[{"id":1,"name":"First"},{"id":2,"name":"Second","extra":true}]}`, "items[2]:\n  - id: 1\n    name: First\n  - id: 2\n    name: Second\n    extra: true\n"},
		{`{"items":[1,{"a":1},"text"]}`, "items[3]:\n  - 1\n  - a: 1\n  - text\n"},
		{`{"items":[{"users":[{"id":1,"name":"Ada"},{"id":2,"name":"Bob"}],"status":"active"}]}`, "items[1]:\n  - users[2]{id,name}:\n      1,Ada\n      2,Bob\n    status: active\n"},
		{`["x","y"]`, "[2]: x,y\n"},
		{`[{"id":1},{"id":2}]`, "[2]{id}:\n  1\n  2\n"},
		{`{"items":[]}`, "items[0]:\n"},
		{`{"version":"123","flag":"true","url":"http://a:b","s":"- item","e":"","pad":" x ","zip":"05"}`, "version: \"123\"\nflag: \"true\"\nurl: \"http://a:b\"\ns: \"- item\"\ne: \"\"\npad: \" x \"\nzip: \"05\"\n"},
		{`{"order:id":7,"full name":"Ada","a.b":1}`, "\"order:id\": 7\n\"full name\": Ada\na.b: 1\n"},
		{`{}`, ""},
		{`"hello"`, "hello\n"},
	}
	for _, c := range cases {
		if got := string(Append(nil, []byte(c.value))); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.value, got, c.want)
		}
	}
}

// TestNothingIsLost decodes what was encoded: the same value, digit for digit.
func TestNothingIsLost(t *testing.T) {
	for _, value := range values {
		if out := string(Append(nil, []byte(value))); !same(t, out, value) {
			t.Errorf("%s\nis written as\n%s", value, out)
		}
	}
}

// TestSmallerIsSmaller holds that TOON is taken for lists of like records and never costs more.
func TestSmallerIsSmaller(t *testing.T) {
	var list rawjson.Array
	for i := range 20 {
		list.Add(fmt.Appendf(nil, `{"id":%d,"status":"open","severity":"high","team":"core","note":null}`, uint64(1)<<60+uint64(i)))
	}
	records := string(list.Bytes())
	for value, pays := range map[string]bool{
		records: true, `{"items":` + records + `,"total":20}`: true,
		`{"a":{"b":{"c":{"d":{"e":[[],[[]]]}}}}}`: false, `"text"`: false, `7`: false, `null`: false, `{}`: false, `[]`: false,
	} {
		out := Smaller([]byte(value))
		if (out != nil) != pays {
			t.Errorf("%s: %q", value, out)
		}
		if out != nil && (len(out) > len(value) || 5*rawjson.Weigh(out) > 4*rawjson.Weigh([]byte(value)) || !same(t, string(out)+"\n", value)) {
			t.Errorf("%d bytes become %d:\n%s", len(value), len(out), out)
		}
	}
}

func FuzzNothingIsLost(f *testing.F) {
	for _, value := range values {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if rawjson.Check([]byte(value)) != nil {
			return
		}
		if out := string(Append(nil, []byte(value))); !same(t, out, value) {
			t.Errorf("%s\nis written as\n%s", value, out)
		}
		if out := Smaller([]byte(value)); len(out) > len(value) {
			t.Errorf("%s grows to %s", value, out)
		}
	})
}

var values = []string{
	`{"id":1152921504606846977,"f":1.10,"e":1e400,"z":-0.0,"n":null,"t":true,"s":"x","":"","a b":"c"}`,
	`[{"id":1,"v":"a,b"},{"v":"x","id":2}]`, `[{"a":1,"a":2},{"a":1,"b":2}]`, `{"a":1,"a":2}`,
	`[[],[[]],{},{"a":{}},{"a":[]},[{"b":1}],"x",-1,null]`, `[{"a":[1,2],"b":{"c":[{"d":1}]}},{"a":[]}]`,
	`{"rows":[{"a":"- x","b":"05"},{"a":" y ","b":"1e5"}],"text":"line\nbreak \"quoted\" \\ back","tab":"\t\u0001"}`,
	`{"half":"\ud800","halves":["\udc00x",1],"smile":"\ud83d\ude00","line":"\u2028","bad":"\ufffd"}`,
	`"00e5"`, `["05","5.","1.5e","-","true","null","[x","{y","a:b"," "]`, `{"key:colon":{"in[1]":[1]},"a.b":[{"c d":1}]}`, `[]`, `{}`, `""`, `0`,
}
