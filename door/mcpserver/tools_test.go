package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// list reads the pages of tools/list up to the last one.
func list(t *testing.T, d *Door, c caller) (tools []map[string]any, pages int) {
	t.Helper()
	cursor := ""
	for {
		pages++
		m, _ := readMessage([]byte(modern("1", "tools/list", cursor)))
		raw, f := d.answer(t.Context(), &request{message: m, caller: c})
		if f != nil {
			t.Fatal(f.message)
		}
		var reply struct {
			Result struct {
				Tools      []map[string]any
				NextCursor string
			}
		}
		if err := json.Unmarshal(raw, &reply); err != nil {
			t.Fatal(err)
		}
		tools = append(tools, reply.Result.Tools...)
		if reply.Result.NextCursor == "" {
			return tools, pages
		}
		cursor = fmt.Sprintf(`"cursor":%q`, reply.Result.NextCursor)
	}
}

func anyone() caller { return caller{principal: twodoor.Operator, shared: true} }

// serveOps makes the door serve operations that are never called.
func serveOps(t *testing.T, ops ...twodoor.Operation) *Door {
	t.Helper()
	source := &twodoor.FuncSource{Name: "lab"}
	for _, op := range ops {
		source.Funcs = append(source.Funcs, twodoor.Func{Operation: op})
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}}
	engine.Serve(catalogOf(t, source))
	return &Door{Engine: engine}
}

func TestLongListComesInPages(t *testing.T) {
	var ops []twodoor.Operation
	for i := range 2500 {
		ops = append(ops, twodoor.Operation{ID: fmt.Sprintf("lab.op%04d", i), Effect: twodoor.Reads, Description: strings.Repeat("d", 900)})
	}
	tools, pages := list(t, serveOps(t, ops...), anyone())
	if len(tools) != 2500 || pages != 3 {
		t.Fatalf("%d tools on %d pages", len(tools), pages)
	}
	for i, tool := range tools {
		if tool["name"] != fmt.Sprintf("lab_op%04d", i) {
			t.Fatalf("tool %d is %v", i, tool["name"])
		}
	}
}

func TestCursorOfAnotherListIsRefused(t *testing.T) {
	d := serveOps(t, twodoor.Operation{ID: "lab.a", Effect: twodoor.Reads})
	l, err := d.listing(anyone())
	if err != nil {
		t.Fatal(err)
	}
	for _, cursor := range []string{`"` + l.digest + `.1"`, `"` + l.digest + `.-1"`, `"other.0"`, `7`, `""`} {
		if _, _, _, f := d.page(anyone(), []byte(cursor)); f == nil || f.code != codeInvalidParams {
			t.Errorf("the cursor %s was taken", cursor)
		}
	}
}

func TestListFollowsTheCatalogAndTheCaller(t *testing.T) {
	b := newDoor(t)
	before, _ := list(t, b.Door, anyone())
	guest := caller{principal: twodoor.Principal{Subject: "guest"}}
	if tools, _ := list(t, b.Door, guest); len(tools) != len(before)-1 {
		t.Errorf("a guest sees %d of %d tools", len(tools), len(before))
	}
	one := &twodoor.FuncSource{Name: "lab", Funcs: []twodoor.Func{{Operation: twodoor.Operation{ID: "lab.only", Effect: twodoor.Reads}}}}
	b.Engine.Serve(catalogOf(t, one))
	if tools, _ := list(t, b.Door, anyone()); len(tools) != 1 {
		t.Errorf("after the swap there are %d tools", len(tools))
	}
}

func TestListIsKept(t *testing.T) {
	d := serveOps(t, twodoor.Operation{ID: "lab.a", Effect: twodoor.Reads})
	first, _ := d.listing(anyone())
	if second, _ := d.listing(anyone()); first != second {
		t.Error("the list was made again")
	}
	d.Changed()
	if third, _ := d.listing(anyone()); first == third {
		t.Error("the list outlived a change")
	}
}

// What a tool says of its operation, as hosts read it.
func TestTools(t *testing.T) {
	array := json.RawMessage(`{"type":"array"}`)
	for name, c := range map[string]struct {
		op   twodoor.Operation
		want string
	}{
		"reads": {
			twodoor.Operation{Effect: twodoor.Reads, Title: "List", Description: "Lists all.", OpenWorld: true, Output: array},
			`{"name":"lab_x","title":"List","description":"Lists all.","inputSchema":{"type":"object","properties":{"_want":{}}},"annotations":{"readOnlyHint":true,"openWorldHint":true}}`,
		},
		"writes": {
			twodoor.Operation{Effect: twodoor.Writes, Title: "Set", Idempotent: true},
			`{"name":"lab_x","title":"Set","description":"Set","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`,
		},
		"destroys": {
			twodoor.Operation{Effect: twodoor.Destroys, Description: "Drops it.", Deprecated: "use y", Answer: twodoor.Answer{Meaning: "what was dropped", Empty: "it was gone before"}},
			`{"name":"lab_x","description":"Drops it.\nDeprecated: use y\nAnswer: what was dropped\nIf empty: it was gone before\nDestroys data.","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}}`,
		},
		"no words": {
			twodoor.Operation{Effect: twodoor.Reads, Origin: "GET /x", Page: &twodoor.Page{Style: twodoor.PageLink}},
			`{"name":"lab_x","description":"GET /x","inputSchema":{"type":"object","properties":{"_want":{}}},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`,
		},
		"verbatim, on one line": {
			twodoor.Operation{Effect: twodoor.Reads, Tool: "theirs", Description: "As is.", Verbatim: true, Output: array, Input: json.RawMessage("{\n \"type\": \"object\", \"x\": 9007199254740993}")},
			`{"name":"theirs","description":"As is.","inputSchema":{"type":"object","x":9007199254740993},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.op.ID = "lab.x"
			l, err := serveOps(t, c.op).listing(anyone())
			if err != nil {
				t.Fatal(err)
			}
			if got := string(l.pages[0]); got != "["+c.want+"]" {
				t.Errorf("got  %s\nwant [%s]", got, c.want)
			}
		})
	}
}

// The schema of a heavy tool is listed within its weight, its deeper parts by name.
func TestHeavySchemaIsListedWithinItsWeight(t *testing.T) {
	var properties rawjson.Object
	for i := range 300 {
		properties.Put(fmt.Sprintf("field_%d", i), []byte(`{"type":"object","description":"What it is for. And more of it.","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`))
	}
	properties.Put("steps", []byte(`{"type":"array","items":{"type":"object","properties":{"match":{"type":"string"}}}}`))
	var input rawjson.Object
	input.PutString("type", "object")
	input.Put("properties", properties.Bytes())
	input.PutStrings("required", []string{"steps"})
	op := twodoor.Operation{ID: "lab.x", Effect: twodoor.Reads, Description: strings.Repeat("Words that say what it does. ", 60), Input: input.Bytes()}
	l, err := serveOps(t, op).listing(anyone())
	if err != nil {
		t.Fatal(err)
	}
	if weight := rawjson.Weigh(l.pages[0]); weight > 1500 {
		t.Errorf("the tool weighs %d", weight)
	}
	if listed := string(l.pages[0]); !strings.Contains(listed, "Part steps[]") || !strings.Contains(listed, `"required":["steps"]`) {
		t.Errorf("the list tells nothing of steps: %s", listed)
	}
}

func TestLongDescriptionIsCutAtASentence(t *testing.T) {
	op := &twodoor.Operation{ID: "lab.x", Effect: twodoor.Destroys, Description: strings.Repeat("One sentence. ", 200)}
	text := describe(op)
	if len(text) > maxDescription || !strings.HasSuffix(text, "One sentence.…\nDestroys data.") {
		t.Errorf("%d bytes, ends in %q", len(text), text[len(text)-40:])
	}
}

func TestStructuredContent(t *testing.T) {
	b := newDoor(t)
	b.Engine.Profiles = map[string]*twodoor.Profile{"": {}, twodoor.DefaultProfile: {OutputSchemas: true}}
	replies := talk(t, b.Door, modern("1", "tools/call", `"name":"lab_more"`), modern("2", "tools/call", `"name":"lab_big"`), modern("3", "tools/list", ""), modern("4", "tools/call", `"name":"lab_drop"`))
	for id, want := range map[string]string{
		"1": `"structuredContent":{"value":[1,2]}`,
		"2": `"structuredContent":{"z":1152921504606846977,"a":1.0,"odd\"key":"\u00e9\\"}`,
		"3": `"outputSchema":{"type":"object","properties":{"value":{"type":"array"}}}`,
	} {
		if !strings.Contains(replies[id], want) {
			t.Errorf("got  %s\nwant %s", replies[id], want)
		}
	}
	if strings.Contains(replies["4"], "structuredContent") {
		t.Errorf("an error has structured content: %s", replies["4"])
	}
}

func TestOutputSchemaIsRelaxed(t *testing.T) {
	op := &twodoor.Operation{Output: json.RawMessage(`{"type":"object","required":["a"],"additionalProperties":false,"properties":{"a":{"type":"string","enum":["x"],"format":"uuid"},"b":{"oneOf":[{"type":"integer","minimum":1}]}}}`)}
	want := `{"type":"object","properties":{"a":{"type":"string"},"b":{"anyOf":[{"type":"integer"}]}}}`
	if got := string(outputSchema(op)); got != want {
		t.Errorf("got %s", got)
	}
}
