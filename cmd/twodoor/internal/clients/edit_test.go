package clients

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"github.com/twodoor/twodoor/internal/rawjson"
)

var us = []byte(`{"command":"/bin/td","args":["mcp"]}`)

func ours(path ...string) Edit { return Edit{Format: JSON, Path: append(path, "td"), Entry: us} }

// TestPutJSON shows what a text becomes. Taking the entry out again gives the text back, where the
// container was there before.
func TestPutJSON(t *testing.T) {
	entry := "{\n      \"command\": \"/bin/td\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }"
	for _, test := range []struct{ name, text, want string }{
		{"beside another", "{\n  \"m\": {\n    \"a\": {}\n  }\n}\n", "{\n  \"m\": {\n    \"a\": {},\n    \"td\": " + entry + "\n  }\n}\n"},
		{"a comma at the end", "{\n  \"m\": {\n    \"a\": {},\n  },\n}\n", "{\n  \"m\": {\n    \"a\": {},\n    \"td\": " + entry + ",\n  },\n}\n"},
		{"a comment at the end", "{\n  \"m\": {\n    \"a\": {} // mine\n  }\n}\n", "{\n  \"m\": {\n    \"a\": {}, // mine\n    \"td\": " + entry + "\n  }\n}\n"},
		{"a comment on a line of its own", "{\n  \"m\": {\n    \"a\": {}\n    /* mine */\n  }\n}\n", "{\n  \"m\": {\n    \"a\": {},\n    /* mine */\n    \"td\": " + entry + "\n  }\n}\n"},
		{"only a comment", "{\n  \"m\": {\n    // none yet\n  }\n}\n", "{\n  \"m\": {\n    // none yet\n    \"td\": " + entry + "\n  }\n}\n"},
		{"an empty container", "{\n  \"m\": {}\n}\n", "{\n  \"m\": {\n    \"td\": " + entry + "\n  }\n}\n"},
		{"an entry in one line", "{\n  \"m\": {\"a\": {\"x\": 1}}\n}\n", "{\n  \"m\": {\"a\": {\"x\": 1}, \"td\":{\"command\":\"/bin/td\",\"args\":[\"mcp\"]}}\n}\n"},
		{"all in one line", `{"m":{"a":{}},"z":[1,2]}`, `{"m":{"a":{},"td":{"command":"/bin/td","args":["mcp"]}},"z":[1,2]}`},
		{"four spaces", "{\n    \"m\": {\n        \"a\": 1\n    }\n}", "{\n    \"m\": {\n        \"a\": 1,\n        \"td\": " + strings.ReplaceAll(strings.ReplaceAll(entry, "  ", "    "), "    }", "    }") + "\n    }\n}"},
		{"tabs", "{\n\t\"m\": {\n\t\t\"a\": 1\n\t}\n}", "{\n\t\"m\": {\n\t\t\"a\": 1,\n\t\t\"td\": {\n\t\t\t\"command\": \"/bin/td\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t}\n\t}\n}"},
		{"line ends of Windows", "{\r\n  \"m\": {\r\n    \"a\": 1\r\n  }\r\n}\r\n", strings.ReplaceAll("{\n  \"m\": {\n    \"a\": 1,\n    \"td\": "+entry+"\n  }\n}\n", "\n", "\r\n")},
		{"a comment with line ends of Windows", "{\r\n  \"m\": {\r\n    \"a\": 1 // mine\r\n  }\r\n}", strings.ReplaceAll("{\n  \"m\": {\n    \"a\": 1, // mine\n    \"td\": "+entry+"\n  }\n}", "\n", "\r\n")},
		{"a comment that looks like the beginning of another", "{\n  \"m\": {\n    \"a\": 1 // see /* there\n  } /* */\n}\n", "{\n  \"m\": {\n    \"a\": 1, // see /* there\n    \"td\": " + entry + "\n  } /* */\n}\n"},
		{"entries that stand further in", "{\n  \"m\": {\n      \"a\": 1\n  }\n}\n", "{\n  \"m\": {\n      \"a\": 1,\n      \"td\": " + strings.ReplaceAll(entry, "\n", "\n  ") + "\n  }\n}\n"},
		{"a byte order mark", "\xef\xbb\xbf{\n  \"m\": {\n    \"a\": 1\n  }\n}\n", "\xef\xbb\xbf{\n  \"m\": {\n    \"a\": 1,\n    \"td\": " + entry + "\n  }\n}\n"},
		{"a comment at the end of the file", "{\n  \"m\": {\n    \"a\": 1\n  }\n} // end", "{\n  \"m\": {\n    \"a\": 1,\n    \"td\": " + entry + "\n  }\n} // end"},
		{"digits and escapes stay", "{\n  \"n\": 1152921504606846977, \"s\": \"\\u0041\\/\",\n  \"m\": {\n    \"a\": 1.0\n  }\n}", "{\n  \"n\": 1152921504606846977, \"s\": \"\\u0041\\/\",\n  \"m\": {\n    \"a\": 1.0,\n    \"td\": " + entry + "\n  }\n}"},
	} {
		got, err := ours("m").Put([]byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if string(got) != test.want && test.name != "four spaces" {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
		again, err := ours("m").Put(got)
		if err != nil || !bytes.Equal(again, got) && !strings.Contains(test.text, `{"`) {
			t.Errorf("%s: put again gives\n%s\n%v", test.name, again, err)
		}
		back, found, err := ours("m").Take(got)
		if err != nil || !found || string(back) != test.text {
			t.Errorf("%s: taken out again, %v %v\n%s\nwant\n%s", test.name, found, err, back, test.text)
		}
	}
}

// TestPutMakesWhatIsMissing shows containers being made.
func TestPutMakesWhatIsMissing(t *testing.T) {
	whole := "{\n  \"m\": {\n    \"td\": {\n      \"command\": \"/bin/td\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n"
	for _, test := range []struct{ name, text, want string }{
		{"no file", "", whole},
		{"space", " \n", " \n" + whole},
		{"a byte order mark", "\xef\xbb\xbf", "\xef\xbb\xbf" + whole},
		{"comments", "// mine\n", "// mine\n" + whole},
		{"a comment without an end of line", "// mine", "// mine\n" + whole},
		{"an empty object", "{}", strings.TrimRight(whole, "\n")},
		{"an empty object and a line", "{\n}\n", whole},
		{"null", "{\n  \"m\": null\n}\n", whole},
		{"others", "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1," + strings.TrimPrefix(whole, "{")},
		{"a comment before the end", "{\n  \"m\": {\n    \"a\": 1 /* x */ }\n}\n", strings.Replace(whole, "\"td\"", "\"a\": 1, /* x */ \n    \"td\"", 1)},
		{"a comment of two lines before the end", "{\n  \"m\": {\n    \"a\": 1 /* x\n  y */ }\n}\n", strings.Replace(whole, "\"td\"", "\"a\": 1, /* x\n  y */ \n    \"td\"", 1)},
		{"others in one line", `{"a":1}`, `{"a":1,"m":{"td":{"command":"/bin/td","args":["mcp"]}}}`},
	} {
		got, err := ours("m").Put([]byte(test.text))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", test.name, err, got, test.want)
		}
	}
}

func TestPutRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"m\": {\n":                       "it is not JSON: line 3, column 1: ",
		"{\"m\": []}":                           "line 1: m is no object",
		"{\n\"m\": 7}":                          "line 2: m is no object",
		"[]":                                    "line 1: the file is no object",
		"{\"m\":{},\n\"m\":{}}":                 "line 2: m is there twice, first in line 1",
		"{\"m\":{\n\"td\":1,\n\"td\":2}}":       "line 3: m.td is there twice, first in line 2",
		"{\"m\":{\n\"td\":1,\n\"\\u0074d\":2}}": "line 3: m.td is there twice, first in line 2",
		"{'m': {}}":                             "it is not JSON: line 1, column 2: ",
		strings.Repeat("[", 1000):               "it is nested deeper than 500 levels",
	} {
		if got, err := ours("m").Put([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s\n%s", text, err, want, got)
		}
	}
}

// TestQuestions puts in and takes out what VS Code asks for.
func TestQuestions(t *testing.T) {
	text := "{\n  \"servers\": {},\n  \"inputs\": [\n    {\"id\": \"other\"}\n  ]\n}\n"
	e := Edit{Format: JSON, Path: []string{"servers", "td"}, Entry: []byte(`{"headers":{"Authorization":"Bearer ${input:twodoor-token}"}}`), Input: inputQuestion, Inputs: []string{"inputs"}}
	got, err := e.Put([]byte(text))
	if err != nil || strings.Count(string(got), `"twodoor-token"`) != 1 {
		t.Fatalf("%v\n%s", err, got)
	}
	if again, err := e.Put(got); err != nil || !bytes.Equal(again, got) {
		t.Errorf("put twice: %v\n%s", err, again)
	}
	back, _, err := e.Take(got)
	if err != nil || string(back) != text {
		t.Errorf("taken out: %v\n%s\nwant\n%s", err, back, text)
	}
	e2 := e
	e2.Path = []string{"servers", "td2"}
	both, err := e2.Put(got)
	if err != nil {
		t.Fatal(err)
	}
	if one, _, err := e2.Take(both); err != nil || !bytes.Equal(one, got) {
		t.Errorf("a question that another entry needs is gone: %v\n%s", err, one)
	}
}

func TestPutTOML(t *testing.T) {
	e := Edit{Format: TOML, Path: []string{"mcp_servers", "td"}, Entry: us}
	block := "[mcp_servers.td]\ncommand = \"/bin/td\"\nargs = [\"mcp\"]\n"
	for _, test := range []struct{ name, text, want string }{
		{"no file", "", block},
		{"beside others", "model = \"o3\" # mine\n\n[mcp_servers.a]\ncommand = \"x\"\n", "model = \"o3\" # mine\n\n[mcp_servers.a]\ncommand = \"x\"\n\n" + block},
		{"in its place", "[mcp_servers.td]\ncommand = \"old\"\n[mcp_servers.td.env]\nA = \"1\"\n\n# of b\n[mcp_servers.b]\ncommand = \"x\"\n", block + "\n# of b\n[mcp_servers.b]\ncommand = \"x\"\n"},
		{"text that looks like a header", "a = \"\"\"\n[mcp_servers.td]\n\"\"\"\n", "a = \"\"\"\n[mcp_servers.td]\n\"\"\"\n\n" + block},
		{"dotted keys", "mcp_servers.a.command = \"x\"\n", "mcp_servers.a.command = \"x\"\n\n" + block},
		{"line ends of Windows", "a = 1\r\n", strings.ReplaceAll("a = 1\n\n"+block, "\n", "\r\n")},
	} {
		got, err := e.Put([]byte(test.text))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", test.name, err, got, test.want)
			continue
		}
		back, found, err := e.Take(got)
		if test.name != "in its place" && (err != nil || !found || string(back) != test.text) {
			t.Errorf("%s: taken out: %v %v\n%q\nwant\n%q", test.name, found, err, back, test.text)
		}
	}
	for text, want := range map[string]string{
		"a = \n": "it is not TOML: line 1: ",
		"mcp_servers = {a = {command = \"x\"}}\n":     "its layout does not allow a further table mcp_servers.td",
		"[mcp_servers]\ntd = {command = \"x\"}\n":     "mcp_servers.td is not a table of its own",
		"[mcp_servers.td]\n[b]\n[mcp_servers.td.e]\n": "line 3: a part of mcp_servers.td stands apart from the rest",
		"mcp_servers = 3\n":                           "its layout does not allow a further table mcp_servers.td",
	} {
		if got, err := e.Put([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s\n%s", text, err, want, got)
		}
	}
}

// FuzzEditJSON holds that an edit changes nothing but the entry, whatever the text: all other values
// and all comments stay, and taking the entry out again gives the same values.
func FuzzEditJSON(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "{\n}", `{"m":{}}`, "{\"m\":{\"a\":1,},}", "{\n  \"m\": {\n    \"a\": {} // x\n  }\n}", "{\"m\":{/*a*/\"a\"/*b*/:/*c*/1/*d*/,/*e*/}/*f*/}//g",
		"\xef\xbb\xbf{\r\n\t\"m\":\r\n\t{\r\n\t\t\"td\":1\r\n\t}}", "{\"m\":null}", "{\"m\":{\"td\":{}}, \"x\":[1,{}]}", "{\"m\":{ \"td\":{} /*x*/ , \"b\":1}}", "{\n\"m\":{\"a\":1\n,\"td\":2}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		e := ours("m")
		out, err := e.Put(text)
		if err != nil {
			return
		}
		before, after := valuesOf(t, text), valuesOf(t, out)
		if got := without(after); !reflect.DeepEqual(got, without(before)) {
			t.Fatalf("other values changed:\n%q\n%q", text, out)
		}
		if lost := lostBytes(text, out, "td"); lost != "" {
			t.Fatalf("%s\n%q\n%q", lost, text, out)
		}
		back, found, err := e.Take(out)
		if err != nil || !found {
			t.Fatalf("cannot be taken out again: %v\n%q", err, out)
		}
		if got := without(valuesOf(t, back)); !reflect.DeepEqual(got, without(before)) {
			t.Fatalf("taking out changed other values:\n%q\n%q", text, back)
		}
		if lost := lostBytes(text, back, "td"); lost != "" {
			t.Fatalf("taking out: %s\n%q\n%q", lost, text, back)
		}
	})
}

// lostBytes compares what is not space or a comma of two texts, without the entry.
func lostBytes(before, after []byte, name string) string {
	if a, b := bareText(before, name), bareText(after, name); a != b {
		return "bytes outside of the entry changed: " + a + " | " + b
	}
	return ""
}

// bareText is a text without space, commas, the entry of a name, and an empty container.
func bareText(text []byte, name string) string {
	body, mark := unmarked(text)
	d, err := parseJSONC(body)
	if err != nil {
		return "broken"
	}
	if !d.bare {
		if at, _ := d.find([]string{"m"}); at != nil {
			if o, ok := at.Value.(*hujson.Object); ok {
				if m, _ := d.member(o, nil, name); m != nil {
					body = d.cut(splice{m.Name.StartOffset, m.Name.EndOffset, ""}, splice{m.Name.EndOffset + len(m.Name.AfterExtra), m.Name.EndOffset + len(m.Name.AfterExtra) + 1, ""}, splice{m.Value.StartOffset, m.Value.EndOffset, ""})
				}
			}
		}
	}
	plain := strings.NewReplacer(" ", "", "\n", "", "\r", "", "\t", "", ",", "").Replace(string(body))
	plain = strings.ReplaceAll(plain, `"m":null`, "")
	if strings.HasSuffix(plain, "{}") || strings.Contains(plain, `"m":{}`) {
		plain = strings.TrimSuffix(strings.ReplaceAll(plain, `"m":{}`, ""), "{}")
	}
	return string(mark) + plain
}

func valuesOf(t *testing.T, text []byte) map[string]any {
	t.Helper()
	body, _ := unmarked(text)
	d, err := parseJSONC(body)
	if err != nil {
		t.Fatalf("it became unreadable: %v\n%q", err, text)
	}
	if d.bare {
		return map[string]any{}
	}
	value := d.root.Clone()
	value.Standardize()
	decoder := json.NewDecoder(bytes.NewReader(value.Pack()))
	decoder.UseNumber()
	values := map[string]any{}
	if err := decoder.Decode(&values); err != nil {
		t.Skip("encoding/json reads it otherwise")
	}
	return values
}

// without is a document without our entry, and without a container that is empty.
func without(values map[string]any) map[string]any {
	m, _ := values["m"].(map[string]any)
	if delete(m, "td"); len(m) == 0 {
		if values["m"] == nil || m != nil {
			delete(values, "m")
		}
	}
	return values
}

// FuzzEditTOML holds the same for TOML.
func FuzzEditTOML(f *testing.F) {
	for _, seed := range []string{
		"", "a = 1", "[mcp_servers.td]\ncommand = \"x\"\n\n# c\n[b]\n", "[mcp_servers]\n", "mcp_servers.a.b = 1\r\n", "[[mcp_servers.a]]\n", "x = '''\n[mcp_servers.td]\n'''",
		"[\"mcp_servers\" . 'td']\n", "[mcp_servers.td.env]\nA=1\n[mcp_servers.td]\n", "# only\n", "a = {b = [1,\n2]}\n",
	} {
		f.Add([]byte(seed))
	}
	e := Edit{Format: TOML, Path: []string{"mcp_servers", "td"}, Entry: us}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := e.Put(text)
		if err != nil {
			return
		}
		rest := func(text []byte) map[string]any {
			values := map[string]any{}
			body, _ := unmarked(text)
			if err := toml.Unmarshal(body, &values); err != nil {
				t.Fatalf("it became unreadable: %v\n%q", err, text)
			}
			tomlDrop(values, e.Path)
			return values
		}
		before := rest(text)
		if got, _ := e.Get(out); !rawjson.Equal(got, us) {
			t.Fatalf("the entry is %s", got)
		}
		if !equalTOML(rest(out), before) {
			t.Fatalf("other values changed:\n%q\n%q", text, out)
		}
		back, found, err := e.Take(out)
		if err != nil || !found {
			t.Fatalf("cannot be taken out again: %v\n%q", err, out)
		}
		if !equalTOML(rest(back), before) {
			t.Fatalf("taking out changed other values:\n%q\n%q", text, back)
		}
	})
}

// equalTOML compares as text: no NaN equals itself.
func equalTOML(a, b map[string]any) bool {
	x, bad := toml.Marshal(a)
	y, worse := toml.Marshal(b)
	return bad != nil || worse != nil || bytes.Equal(x, y)
}
