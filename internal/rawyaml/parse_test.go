package rawyaml

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
)

func TestScalars(t *testing.T) {
	cases := map[string]string{
		"NO": `"NO"`, "on": `"on"`, "y": `"y"`, "yes": `"yes"`, "True": `true`, "FALSE": `false`,
		"~": `null`, "": `null`, "Null": `null`, "nULL": `"nULL"`, `"null"`: `"null"`, "'1'": `"1"`,
		"1": `1`, "+1": `1`, "-0": `-0`, "017": `17`, "0o17": `15`, "0x1F": `31`, "-0x1F": `"-0x1F"`, "0o8": `"0o8"`,
		"1152921504606846976": `1152921504606846976`, "123456789012345678901234567890": `123456789012345678901234567890`,
		"1.0": `1.0`, "1.": `1`, ".5": `0.5`, "-.5e3": `-0.5e3`, "1e5": `1e5`, "1e": `"1e"`, "1E+05": `1E+05`, ".": `"."`, "-a": `"-a"`, "1.2.3": `"1.2.3"`,
		"1_000": `"1_000"`, "12:30": `"12:30"`, "2024-01-02": `"2024-01-02"`, "2024-01-02T03:04:05Z": `"2024-01-02T03:04:05Z"`,
		".inf": `".inf"`, "-.INF": `"-.INF"`, ".nan": `".nan"`, "=": `"="`,
		"!!str 1": `"1"`, "!!int '7'": `7`, "!!float 1.5": `1.5`, "!custom 1": `1`, "!!bool true": `true`,
		"|\n  a\n  1": `"a\n1\n"`, ">-\n  1": `"1"`, `"é <&>"`: `"é <&>"`,
	}
	for text, want := range cases {
		got, err := ToJSON([]byte("v: " + text + "\n"))
		if err != nil || string(got) != `{"v":`+want+`}` {
			t.Errorf("%q = %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestDocuments(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"order", "b: 1\na: [x, {c: 2}]\n", `{"b":1,"a":["x",{"c":2}]}`},
		{"keys are text", "200: a\nNO: b\ntrue: c\n1.0: d\nn: e\n", `{"200":"a","NO":"b","true":"c","1.0":"d","n":"e"}`},
		{"alias", "a: &x {k: 1}\nb: *x\nc: [*x]\n", `{"a":{"k":1},"b":{"k":1},"c":[{"k":1}]}`},
		{"alias as key", "a: &x k\n*x : 1\n", `{"a":"k","k":1}`},
		{"merge", "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\n  m: 4\n", `{"a":{"k":1,"l":2},"b":{"k":1,"l":3,"m":4}}`},
		{"merge list, earlier wins", "b: {<<: [{k: 1}, {k: 2, l: 2}], m: 3}\n", `{"b":{"k":1,"l":2,"m":3}}`},
		{"quoted merge key is a key", "b: {'<<': 1}\n", `{"b":{"<<":1}}`},
		{"marker and comment", "# c\n---\na: 1 # d\n...\n", `{"a":1}`},
		{"scalar", "hello\n", `"hello"`},
		{"empty parts", "a: {}\nb: []\nc:\n", `{"a":{},"b":[],"c":null}`},
		{"mark", "\ufeffa: 1\n", `{"a":1}`},
	}
	for _, c := range cases {
		got, err := ToJSON([]byte(c.text))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	n, err := Parse([]byte("a: 1\nb:\n  - x\n  - c: 2\n"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	b := n.Get("b")
	if got := []int32{n.Line, n.Get("a").Line, b.Line, b.Items[1].Line, b.Items[1].Get("c").Line}; fmt.Sprint(got) != "[1 1 3 4 4]" {
		t.Errorf("lines %v", got)
	}
}

func TestFaultsNameTheLine(t *testing.T) {
	cases := []struct {
		name, text string
		line       int
		says       string
	}{
		{"repeated key", "a: 1\nb:\n  c: 1\n  c: 2\n", 4, `key "c" again; it stands on line 3`},
		{"repeated key of many", "a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\nh: 1\ni: 1\na: 2\n", 10, `key "a" again`},
		{"tab", "a: 1\n\tb: 2\n", 2, "tab"},
		{"second document", "a: 1\n---\nb: 2\n", 2, "second document"},
		{"broken second part", "a: 1\n...\n[", 4, "did not find"},
		{"empty", "", 1, "empty"},
		{"only a comment", "# x\n", 1, "empty"},
		{"unclosed", "a: [1,\n  2\n", 3, "',' or ']'"},
		{"unknown anchor", "a: 1\nb: *x\n", 2, "unknown anchor"},
		{"inside itself", "a: 1\nb: &x [*x]\n", 2, "inside what it names"},
		{"list as key", "a: 1\n? [x]\n: 2\n", 2, "key must be plain text"},
		{"merge of a scalar", "a:\n  <<: 1\n", 2, "takes a mapping"},
		{"false tag", "a: 1\nb: !!int x\n", 2, "tagged !!int"},
		{"control character", "a: 1\nb: \x01\n", 2, "control characters"},
		{"deep", "a: 1\nb: " + strings.Repeat("[", 1001) + strings.Repeat("]", 1001) + "\n", 2, "deeper than 1000"},
	}
	for _, c := range cases {
		_, err := ToJSON([]byte(c.text))
		var fault *rawjson.SyntaxError
		if !errors.As(err, &fault) || fault.Line != c.line || !strings.Contains(fault.Msg, c.says) {
			t.Errorf("%s: %v; want line %d, %q", c.name, err, c.line, c.says)
		}
	}
}

func TestBombs(t *testing.T) {
	var nodes, texts strings.Builder
	nodes.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 12 {
		fmt.Fprintf(&nodes, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	fmt.Fprintf(&texts, "a: &a %s\nb: [%s]\n", strings.Repeat("x", 1<<20), strings.TrimSuffix(strings.Repeat("*a, ", 100), ", "))
	merges := "a: &a {k: 1}\n"
	for i := range 40 {
		merges += fmt.Sprintf("m%d: &m%d {<<: [*%s, *%s]}\n", i, i, name(i), name(i))
	}
	for _, text := range []string{nodes.String(), texts.String(), merges} {
		_, err := ToJSON([]byte(text))
		var fault *rawjson.SyntaxError
		if !errors.As(err, &fault) || !strings.Contains(fault.Msg, "aliases expand to more than") {
			t.Errorf("%.30q: %v", text, err)
		}
	}
}

func name(i int) string {
	if i == 0 {
		return "a"
	}
	return fmt.Sprint("m", i-1)
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1\n", "a: &x [1]\nb: *x\n", "b: {<<: {k: 1}}", "- !!int '7'\n", "a: |\n x\n", "? x\n: y", "{\"a\":1.0}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse(data, Limits{AliasNodes: 1000, AliasBytes: 1 << 16})
		if err != nil {
			return
		}
		out := n.JSON()
		if err := rawjson.Check(out); err != nil {
			t.Fatalf("%q becomes %q: %v", data, out, err)
		}
		again, err := rawjson.Parse(out)
		if err != nil || string(again.JSON()) != string(out) {
			t.Fatalf("%q becomes %s, which reads as %s (%v)", data, out, again.JSON(), err)
		}
	})
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

func TestCorpus(t *testing.T) {
	for _, name := range []string{"openai.yaml", "asana.yaml"} {
		n, err := Parse(corpus(t, name), Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !json.Valid(n.JSON()) || n.Get("paths").Len() < 50 {
			t.Errorf("%s: %d paths", name, n.Get("paths").Len())
		}
	}
}

func BenchmarkParseOpenAI(b *testing.B) {
	data := corpus(b, "openai.yaml")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(data, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
