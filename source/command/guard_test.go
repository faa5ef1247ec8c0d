package command_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// injections are the values by which callers reach what they must not (the table of argument safety
// for programs as tools), beside those of single tests below.
var injections = map[string]string{
	"help":        "--help",
	"short":       "-x",
	"output":      "--output=x",
	"file":        "@/etc/passwd",
	"line break":  "a\nb",
	"NUL":         "a\x00b",
	"a megabyte":  strings.Repeat("a", 1<<20),
	"dash":        "-",
	"end":         "--",
	"escape":      "\x1b[2J",
	"minus first": "-1",
}

func TestInjectionsAreRefused(t *testing.T) {
	h := serve(t, `
program: PROGRAM
verbs:
  word.alone:   {argv: [play-args, "{v}"], params: {v: string}, output: json}
  word.group:   {argv: [play-args, [--name, "{v}"]], params: {v: string}, output: json}
  word.list:    {argv: [play-args, "{v...}"], params: {v: array}, output: json}
  word.front:   {argv: [play-args, "{w}{v}"], params: {v: string, w: {type: string, default: ""}}, output: json}
  word.option:  {argv: [play-args, "{v...}"], params: {v: {type: options, allow: [--stat, "--since="]}}, output: json}
`)
	for name, value := range injections {
		for _, verb := range []string{"alone", "group", "list", "front", "option"} {
			raw := rawjson.Quote(value)
			if verb == "list" || verb == "option" {
				raw = []byte("[" + string(raw) + "]")
			}
			fault := h.refusal(t, "tool.word."+verb, `{"v":`+string(raw)+`}`, twodoor.CodeInvalid)
			if len(fault.Fields) == 0 || !strings.HasPrefix(fault.Fields[0].Path, "v") {
				t.Errorf("%s in %s: told %s", name, verb, told(fault))
			}
		}
	}
}

// TestGluedValuesAreOnlyValues has what may stand after an option's "=" and after "--", and what may not.
func TestGluedValuesAreOnlyValues(t *testing.T) {
	h := serve(t, `
program: PROGRAM
verbs:
  a.glued: {argv: [play-args, "--name={v}"], params: {v: string}, output: json}
  a.ended: {argv: [play-args, --, "{v}"], params: {v: string}, output: json}
  a.text:  {argv: [play-args, "--message={v}"], params: {v: text}, output: json}
  a.enum:  {argv: [play-args, "{v}"], params: {v: {type: string, enum: [--hard, --soft]}}, output: json}
  a.joined: {argv: [play-args, "--of={v,}"], params: {v: array}, output: json}
  a.local: {argv: [play-args, "--file={v}"], params: {v: {type: string, local: true}}, output: json}
`)
	for _, c := range []struct{ verb, value, want string }{
		{"glued", `"--help"`, `["--name=--help"]`},
		{"glued", `"a'b $(id) ; &&"`, `["--name=a'b $(id) ; &&"]`},
		{"ended", `"--output=x"`, `["--","--output=x"]`},
		{"text", `"@all: -one\ntwo"`, `["--message=@all: -one\ntwo"]`},
		{"enum", `"--hard"`, `["--hard"]`},
		{"joined", `["a","b"]`, `["--of=a,b"]`},
		{"local", `"a/b"`, `["--file=a/b"]`},
	} {
		if got := h.answer(t, "tool.a."+c.verb, `{"v":`+c.value+`}`); got != c.want {
			t.Errorf("%s %s ran with %s", c.verb, c.value, got)
		}
	}
	for _, c := range []struct{ verb, value string }{
		{"glued", `"@/etc/passwd"`}, {"glued", `"-"`}, {"glued", `"a\nb"`}, {"glued", `"a\u0000b"`},
		{"ended", `"-"`}, {"ended", `"@x"`}, {"text", `"a\u0000b"`}, {"enum", `"--other"`},
		{"joined", `["a,b"]`}, {"local", `"../b"`}, {"local", `"/etc/passwd"`}, {"local", `"a/../../b"`},
		{"text", string(rawjson.Quote(strings.Repeat("a", 1<<20)))},
	} {
		h.refusal(t, "tool.a."+c.verb, `{"v":`+c.value+`}`, twodoor.CodeInvalid)
	}
}

func TestRefusedOptions(t *testing.T) {
	h := serve(t, `
program: PROGRAM
verbs:
  a.free:
    argv: [play-args, "{v...}"]
    params: {v: options}
    refuse: [--danger, -D]
    output: json
`)
	for _, good := range []string{"--stat", "--format=x", "-n", "-n5", "--dangerous"} {
		if got := h.answer(t, "tool.a.free", `{"v":["`+good+`"]}`); got != `["`+good+`"]` {
			t.Errorf("%s ran with %s", good, got)
		}
	}
	for _, bad := range []string{
		"--danger", "--danger=1", "--dang", "-D", "-xD", "-Dx", "-danger", "--output", "--output=x", "--out", "-o", "-ox", "--upload-pack=sh",
		"--upl=sh", "--exec=sh", "-c", "--config=x", "--pre=sh", "--template=x", "--", "-", "word", "--a\nb",
	} {
		h.refusal(t, "tool.a.free", string(must(json.Marshal(map[string][]string{"v": {bad}}))), twodoor.CodeInvalid)
	}
}

// must is for values that can always be encoded.
func must(raw []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return raw
}

func TestAllRefusalsAreToldAtOnce(t *testing.T) {
	h := serve(t, `
program: PROGRAM
verbs: {a.b: {argv: [play-args, "{v}", "--x={w}"], params: {v: string, w: string}}}
`)
	fault := h.refusal(t, "tool.a.b", `{"v":"-x","w":"@x"}`, twodoor.CodeInvalid)
	if len(fault.Fields) != 2 || !strings.Contains(fault.Message, "nothing was run") {
		t.Errorf("told %s", told(fault))
	}
}

func TestFoldersAreConfined(t *testing.T) {
	h := serve(t, `
program: PROGRAM
dir: "{in}"
params: {in: {type: string, default: .}}
verbs:
  a.inside: {argv: [play-print, ok], output: text}
  a.anywhere: {argv: [play-print, ok], params: {in: {type: string, local: false}}}
`)
	outside := t.TempDir()
	for name, target := range map[string]string{"in": h.dir, "out": outside} {
		if err := os.Mkdir(filepath.Join(h.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(h.dir, name+"-link")); err != nil {
			t.Skip("links cannot be made here: ", err)
		}
	}
	for _, dir := range []string{".", "in"} {
		h.answer(t, "tool.a.inside", `{"in":"`+dir+`"}`)
	}
	for _, dir := range []string{"..", "/", "in/../..", "out-link", outside} {
		h.refusal(t, "tool.a.inside", `{"in":"`+dir+`"}`, twodoor.CodeInvalid)
	}
	h.refusal(t, "tool.a.inside", `{"in":"nowhere"}`, twodoor.CodeNotFound)
	h.answer(t, "tool.a.anywhere", `{"in":"`+outside+`"}`)
}
