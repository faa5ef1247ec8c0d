package render

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/rawyaml"
)

func text(t testing.TB, mode, value string, v View) string {
	t.Helper()
	out, err := Append(nil, mode, []byte(value), v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestValues(t *testing.T) {
	cases := []struct{ mode, value, want string }{
		{"json", ` { "b" : 1.50, "a": [ ] } `, "{\"b\":1.50,\"a\":[]}\n"},
		{"jsonl", `[1,{"a":2}]`, "1\n{\"a\":2}\n"},
		{"jsonl", `{"a":2}`, "{\"a\":2}\n"},
		{"raw", `"line\n"`, "line\n"},
		{"raw", `{"a": 1}`, "{\"a\": 1}\n"},
		{"csv", `[]`, ""},
		{"csv", `[{"a":"x,y","b":"q\"z"},{"a":null,"c":[1]}]`, "a,b,c\n\"x,y\",\"q\"\"z\",\n,,[1]\n"},
		{"csv", `["x",2]`, "value\nx\n2\n"},
		{"csv", `{"a":1}`, "a\n1\n"},
		{"tsv", `[{"a":"x\ty\nz"}]`, "a\nx\\ty\\nz\n"},
		{"md", `[{"a":"x|y\nz"}]`, "| a |\n| --- |\n| x\\|y<br>z |\n"},
		{"md", `{"a":1,"b":"x"}`, "| field | value |\n| --- | --- |\n| a | 1 |\n| b | x |\n"},
		{"md", `"# Head\n"`, "# Head\n"},
		{"md", `[]`, "none\n"},
		{"table", `[]`, "none\n"},
		{"table", `"plain\ntext"`, "plain\ntext\n"},
		{"table", `true`, "true\n"},
		{"table", `[{"id":1,"owner":{"name":"Ada"},"tags":["a","b"],"none":null}]`, "id  owner  tags\n1   Ada    a, b\n"},
		{"table", `{"id":1,"owner":{"name":"Ada"}}`, "id     1\nowner  Ada\n"},
		{"table", `[{"id":"\u001b[31mred\u0007"}]`, "id\n[31mred\n"},
		{"table", `[{"名":"日本"},{"名":"x"}]`, "名\n日本\nx\n"},
		{"yaml", `{}`, "{}\n"},
		{"yaml", `{"a":[],"b":{},"c":[[1,2],{"x":"y","z":[]}],"no":"no","d":"2024-01-02","e":"a: b","f":""}`, "a: []\nb: {}\nc:\n  - - 1\n    - 2\n  - x: \"y\"\n    z: []\n\"no\": \"no\"\nd: \"2024-01-02\"\ne: \"a: b\"\nf: \"\"\n"},
		{"yaml", `"x"`, "x\n"},
	}
	for _, c := range cases {
		if got := text(t, c.mode, c.value, View{}); got != c.want {
			t.Errorf("%s of %s:\n%q\nwant\n%q", c.mode, c.value, got, c.want)
		}
	}
	if _, err := Append(nil, "xml", []byte(`1`), View{}); err == nil {
		t.Error("an unknown mode is no error")
	}
}

func TestTableKeepsItsWidth(t *testing.T) {
	var list rawjson.Array
	for i := range 20 {
		var record rawjson.Object
		for c := range 14 {
			record.PutString(fmt.Sprintf("column_%d", c), strings.Repeat("日本 text ", 1+(i+c)%7))
		}
		list.Add(record.Bytes())
	}
	for _, width := range []int{20, 40, 80, 200} {
		out := text(t, "table", string(list.Bytes()), View{Width: width, Terminal: true})
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if len(lines) != 21 {
			t.Errorf("width %d: %d lines", width, len(lines))
		}
		for _, line := range lines {
			if textWidth(line) > width {
				t.Errorf("width %d: a line of %d: %s", width, textWidth(line), line)
			}
		}
	}
}

func TestChosenColumns(t *testing.T) {
	const list = `[{"id":1,"owner":{"name":"Ada"},"note":"n"}]`
	if got := text(t, "table", list, View{Columns: []string{"note", "owner.name"}}); got != "note  owner.name\nn     Ada\n" {
		t.Errorf("got %q", got)
	}
	got := Columns([]byte(`[{"html_url":"u","body":"` + strings.Repeat("x", 200) + `","labels":[1],"state":"s","title":"t","other":"o","id":1,"empty":null}]`))
	want := []string{"id", "title", "state", "other", "html_url", "body", "labels"}
	if !slices.Equal(got, want) {
		t.Errorf("columns are %q, want %q", got, want)
	}
}

func TestColor(t *testing.T) {
	if got := text(t, "table", `[{"id":1}]`, View{Color: true}); got != "\x1b[1mid\x1b[0m\n1\n" {
		t.Errorf("got %q", got)
	}
}

// FuzzWriters: YAML is read back as the same value, CSV has as many fields in each line, nothing panics.
func FuzzWriters(f *testing.F) {
	for _, seed := range []string{`{}`, `[{}]`, `[1,{}]`, `{"a":[1,{"b":"x: y"},[]],"c":"- no"}`, `[{"a":"\u2028 x","b":null},{"c":"\u0085"}]`, `"1e3"`, `{"":"# x"," ":"0x1F","~":"~"}`, `[[[{}]],"<<","=","!!x","*a","&b","%c","@d","a\rb"]`, `{"a":"\ud800\u007f\ufeff"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if rawjson.Check([]byte(value)) != nil {
			return
		}
		for _, mode := range []string{"table", "toon", "md", "tsv", "jsonl"} {
			text(t, mode, value, View{Width: 40})
		}
		rows, err := csv.NewReader(strings.NewReader(text(t, "csv", value, View{}))).ReadAll()
		if err != nil {
			t.Errorf("CSV of %s: %v %q", value, err, rows)
		}
		if repeats(value) {
			return
		}
		out := text(t, "yaml", value, View{})
		back, err := rawyaml.ToJSON([]byte(out))
		if err != nil || !rawjson.Equal(back, []byte(value)) {
			t.Errorf("YAML of %s is\n%s\nread as %s (%v)", value, out, back, err)
		}
	})
}

// repeats reports whether an object has a key twice, which YAML does not allow.
func repeats(value string) bool {
	var see func(raw []byte) bool
	see = func(raw []byte) bool {
		seen := map[string]bool{}
		for key, member := range rawjson.Members(raw) {
			if seen[key] || see(member) {
				return true
			}
			seen[key] = true
		}
		for element := range rawjson.Elements(raw) {
			if see(element) {
				return true
			}
		}
		return false
	}
	return see([]byte(value))
}

// On a terminal nothing in an answer steers it, in any mode; into a file everything goes as it came.
func TestAnswersDoNotSteerTheTerminal(t *testing.T) {
	value := `[{"title":"a\u001b[31mb\u009b2Jc\u0007","n":"\u202edrawkcab"}]`
	for _, mode := range []string{"table", "json", "jsonl", "yaml", "csv", "tsv", "toon", "md", "raw"} {
		for name, value := range map[string]string{"list": value, "text": `"x\u001b]0;own\u0007 \u009b2J"`} {
			out := text(t, mode, value, View{Terminal: true, Width: 80})
			if strings.ContainsAny(out, "\x1b\x07\u009b\u202e") {
				t.Errorf("%s of a %s: %q", mode, name, out)
			}
		}
	}
	if out := text(t, "raw", `"x\u001b[31m"`, View{}); out != "x\x1b[31m" {
		t.Errorf("into a file: %q", out)
	}
}

// What one calls a record by stays whole while other columns can give.
func TestFirstColumnIsCutLast(t *testing.T) {
	list := `[{"id":"inc_1126","title":"Checkout: latency p99 above 2 s","status":"open","severity":"sev1","service_id":"svc_checkout","assignee_id":"p_ada"}]`
	for _, width := range []int{45, 60, 80} {
		if out := text(t, "table", list, View{Width: width}); !strings.Contains(out, "inc_1126  ") {
			t.Errorf("width %d:\n%s", width, out)
		}
	}
}
