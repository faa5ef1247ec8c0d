package command_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// TestOutputs has a case for each format that a verb may print.
func TestOutputs(t *testing.T) {
	for _, c := range []struct{ output, printed, want string }{
		{"text", "one\ntwo\n\n", `"one\ntwo"`},
		{"text", "\x1b[1mbold\x1b[0m", `"bold"`},
		{"json", ` {"z":1152921504606846977,"a":1.10} `, `{"z":1152921504606846977,"a":1.10}`},
		{"json", "", ``},
		{"jsonl", "{\"a\":1}\n\n{\"a\":2}\n", `[{"a":1},{"a":2}]`},
		{"jsonl", "", `[]`},
		{"csv", "name,size\n\"a,b\",1\nc,\n", `[{"name":"a,b","size":"1"},{"name":"c"}]`},
		{`{format: csv, columns: [n, m], delimiter: "\t", types: {m: integer}}`, "a\t9007199254740993\nb\t\nc\tx", `[{"n":"a","m":9007199254740993},{"n":"b"},{"n":"c","m":"x"}]`},
		{`{pattern: '^(?P<k>\w+)=(?P<v>.*)$', types: {v: boolean}}`, "a=true\n# note\nb=no\n", `[{"k":"a","v":true},{"k":"b","v":"no"}]`},
		{`{pattern: '(?s)^(?P<k>.+)$', separator: ';'}`, "a\nb;c", `[{"k":"a\nb"},{"k":"c"}]`},
		{"none", "words", ``},
	} {
		t.Run(c.output, func(t *testing.T) {
			h := serve(t, "program: PROGRAM\nverbs: {a.b: {argv: [play-cat], stdin: '{v}', params: {v: text}, output: "+c.output+"}}")
			result, err := h.do(t.Context(), "tool.a.b", `{"v":`+string(rawjson.Quote(c.printed))+`}`)
			if err != nil {
				t.Fatal(told(err))
			}
			if string(result.Value) != c.want {
				t.Errorf("%q became %s, want %s", c.printed, result.Value, c.want)
			}
		})
	}
}

func TestOutputThatIsNotWhatTheFileSays(t *testing.T) {
	for output, printed := range map[string]string{
		"json": "warning: old\n{}", "jsonl": "{}\nnope", "csv": "a,b\n1,2,3",
	} {
		h := serve(t, "program: PROGRAM\nverbs: {a.b: {argv: [play-cat], stdin: '{v}', params: {v: text}, output: "+output+"}}")
		fault := h.refusal(t, "tool.a.b", `{"v":`+string(rawjson.Quote(printed))+`}`, twodoor.CodeUpstream)
		if !strings.Contains(fault.Message, "it begins: "+strings.Fields(printed)[0]) {
			t.Errorf("%s: told %q", output, fault.Message)
		}
	}
}

func TestBytesAndStderrAsAnswers(t *testing.T) {
	h := serve(t, `
program: PROGRAM
verbs:
  a.blob: {argv: [play-cat], stdin: "\0\x01", output: {format: bytes, media_type: image/png}}
  a.said: {argv: [play-fail], success: 3, output: {stderr: true}}
`)
	result, err := h.do(t.Context(), "tool.a.blob", `{}`)
	if err != nil || len(result.Blobs) != 1 || string(result.Blobs[0].Data) != "\x00\x01" || result.Blobs[0].MediaType != "image/png" {
		t.Errorf("answered %+v, %v", result, err)
	}
	if got := h.answer(t, "tool.a.said", `{}`); got != `"first words\nlast words"` {
		t.Errorf("answered %s", got)
	}
}

func TestAStreamTellsProgress(t *testing.T) {
	for output, want := range map[string]string{
		"{format: jsonl, progress: {done: at.now, total: at.of, message: say}}": "1/3 step 1; 2/3 step 2; 3/3 step 3; ",
		"jsonl": "1/0 ; 2/0 ; 3/0 ; 4/0 ; ",
	} {
		h := serve(t, "program: PROGRAM\nverbs: {a.b: {argv: [play-steps], output: "+output+"}}")
		var told strings.Builder
		result, err := h.Do(t.Context(), twodoor.Call{
			Operation: "tool.a.b", Arguments: json.RawMessage(`{}`), Principal: twodoor.Operator,
			Progress: func(p twodoor.Progress) { fmt.Fprintf(&told, "%v/%v %s; ", p.Done, p.Total, p.Message) },
		})
		if err != nil || told.String() != want || !strings.HasSuffix(string(result.Value), `{"id":1152921504606846977}]`) {
			t.Errorf("told %q, answered %v, %v", told.String(), result, err)
		}
	}
}
