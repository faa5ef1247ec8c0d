package find

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
	"github.com/twodoor/twodoor/internal/schema/hosts"
)

// house is an engine over a small catalog and the operations of this package.
type house struct {
	*twodoor.Engine
	invoker *Invoker
	memory  *Memory
}

// window is what a principal sees at a door of the house.
type window struct {
	*house
	principal twodoor.Principal
}

func (w window) Shows(entry twodoor.Entry) bool {
	return w.Profile("").Shows(entry, w.principal, twodoor.DoorMCP)
}

func echo(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	return &twodoor.Value{JSON: in.Arguments}, nil
}

func incidentFuncs() *twodoor.FuncSource {
	object := func(required, properties string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s]}`, properties, required))
	}
	run := func(op twodoor.Operation) twodoor.Func { return twodoor.Func{Operation: op, Run: echo} }
	return &twodoor.FuncSource{Name: "harbor", Title: "Incident service", Funcs: []twodoor.Func{
		{
			Operation: twodoor.Operation{ID: "harbor.incident.list", Effect: twodoor.Reads, Title: "List incidents", Description: "Lists incidents, newest first.", Input: object(``, `"severity":{"type":"string","enum":["critical","warning"]}`), Answer: twodoor.Answer{Empty: "none is open"}},
			Run: func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
				var list rawjson.Array
				for n := range 400 {
					list.Add(fmt.Appendf(nil, `{"id":%d,"title":"something is wrong with service number %d and somebody must look"}`, n, n))
				}
				return &twodoor.Value{JSON: list.Bytes()}, nil
			},
		},
		run(twodoor.Operation{ID: "harbor.incident.close", Effect: twodoor.Writes, Title: "Close an incident", Input: object(`"incidentId"`, `"incidentId":{"type":"integer"},"comment":{"type":"string"}`)}),
		run(twodoor.Operation{ID: "harbor.incident.delete", Effect: twodoor.Destroys, Title: "Delete an incident", Permission: "admin", Input: object(`"incidentId"`, `"incidentId":{"type":"integer"}`)}),
		run(twodoor.Operation{ID: "harbor.workflow.create", Effect: twodoor.Writes, Title: "Create a workflow", Input: object(`"steps"`,
			`"name":{"type":"string"},"steps":{"type":"array","description":"What it does. In order.","items":{"type":"object","properties":{"do":{"type":"string"},"match":{"type":"object","properties":{"severity":{"type":"string"},"labels":{"type":"object","properties":{"team":{"type":"string"}}}}}}}}`)}),
		run(twodoor.Operation{ID: "harbor.on-call.current", Effect: twodoor.Reads, Title: "Who is on call now"}),
	}}
}

func newHouse(t *testing.T) *house {
	t.Helper()
	source := incidentFuncs()
	memory := &Memory{}
	h := &house{memory: memory, invoker: &Invoker{Shelf: memory}}
	h.Engine = &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source, Kind: h.invoker}, Keeper: memory, Seal: []byte("test")}
	h.invoker.View = func(in *twodoor.Invocation) View { return window{h, in.Principal} }
	var readings []*twodoor.Reading
	for _, s := range []twodoor.Source{source, Source{}} {
		reading, err := s.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		readings = append(readings, reading)
	}
	catalog, err := twodoor.NewCatalog(readings...)
	if err != nil {
		t.Fatal(err)
	}
	h.Serve(catalog)
	return h
}

var agent = twodoor.Principal{Subject: "agent"}

// call calls a tool by its MCP spelling.
func (h *house) call(who twodoor.Principal, tool, arguments string) (*twodoor.Result, *twodoor.Error) {
	result, err := h.Do(context.Background(), twodoor.Call{Operation: tool, Arguments: json.RawMessage(arguments), Principal: who, Door: twodoor.DoorMCP})
	fault, _ := errors.AsType[*twodoor.Error](err)
	return result, fault
}

func (h *house) must(t *testing.T, who twodoor.Principal, tool, arguments string) *twodoor.Result {
	t.Helper()
	result, fault := h.call(who, tool, arguments)
	if fault != nil {
		t.Fatalf("%s %s: %v (%v)", tool, arguments, fault, fault.Cause)
	}
	return result
}

func same(t *testing.T, got json.RawMessage, want string) {
	t.Helper()
	if !rawjson.Equal(got, []byte(want)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFindOperations(t *testing.T) {
	h := newHouse(t)
	found := h.must(t, agent, "find_operations", `{"query":"harbor.incident.close"}`)
	same(t, firstHit(found), `{"id":"harbor.incident.close","does":"Close an incident","needs":["incidentId"],"effect":"writes",
		"schema":{"type":"object","properties":{"incidentId":{"type":"integer"},"comment":{"type":"string"}},"required":["incidentId"]}}`)
	if note := strings.Join(found.Notes, " "); !strings.Contains(note, "write_operation") {
		t.Errorf("the notes do not say what to call: %q", note)
	}
	found = h.must(t, agent, "find_operations", `{"query":"who is on call"}`)
	if id, _ := rawjson.Get(firstHit(found), "id"); string(id) != `"harbor.on-call.current"` {
		t.Errorf("got %s", found.Value)
	}
	if weight := rawjson.Weigh(found.Value); weight > 400 {
		t.Errorf("the hits weigh %d tokens, want 400 at most", weight)
	}
}

func firstHit(r *twodoor.Result) json.RawMessage {
	hit, _ := rawjson.GetPath(r.Value, "hits", "0")
	return hit
}

func TestFindSaysWhenNothingFits(t *testing.T) {
	found := newHouse(t).must(t, agent, "find_operations", `{"query":"bake sourdough bread with olives"}`)
	hits, _ := rawjson.Get(found.Value, "hits")
	if note := strings.Join(found.Notes, " "); !strings.Contains(note, "nothing") || !strings.Contains(note, "harbor (Incident service)") {
		t.Errorf("hits %s, notes %q: want it said that nothing fits, and what there is", hits, note)
	}
}

func TestFindShowsOnlyWhatTheCallerMayCall(t *testing.T) {
	h := newHouse(t)
	for _, query := range []string{"delete an incident", "harbor.incident.delete", "harbor_incident_delete"} {
		arguments := fmt.Sprintf(`{"query":%q}`, query)
		if found := h.must(t, agent, "find_operations", arguments); strings.Contains(string(found.Value), "incident.delete") {
			t.Errorf("%s: %s is shown to one without permission", query, found.Value)
		}
		if found := h.must(t, twodoor.Operator, "find_operations", arguments); !strings.Contains(string(firstHit(found)), "harbor.incident.delete") {
			t.Errorf("%s: got %s for the operator", query, found.Value)
		}
	}
}

func TestSearchUnavailableIsNoEmptyAnswer(t *testing.T) {
	h := newHouse(t)
	h.invoker.Index = func(*twodoor.Catalog) (*Index, error) { return nil, errors.New("the bundle is damaged") }
	if _, fault := h.call(agent, "find_operations", `{"query":"close"}`); fault == nil || fault.Code != twodoor.CodeUnavailable {
		t.Errorf("got %v, want unavailable", fault)
	}
	h.invoker.View = nil
	if _, fault := h.call(agent, "find_operations", `{"query":"close"}`); fault == nil || fault.Code != twodoor.CodeUnavailable {
		t.Errorf("without a view: got %v, want unavailable", fault)
	}
}

func TestDescribeOperations(t *testing.T) {
	h := newHouse(t)
	got := h.must(t, agent, "describe_operations", `{"ids":["harbor_incident_list","harbor.incident.lost"]}`)
	same(t, got.Value, `{"operations":[{"id":"harbor.incident.list","effect":"reads","does":"List incidents. Lists incidents, newest first.",
		"schema":{"type":"object","properties":{"severity":{"type":"string","enum":["critical","warning"]}}},"example":{},"empty_answer":"none is open"}],
		"unknown":[{"id":"harbor.incident.lost","nearest":["harbor.incident.list","harbor.incident.close"]}]}`)
}

func TestDescribeDepthAndPart(t *testing.T) {
	h := newHouse(t)
	schemaOf := func(arguments string) json.RawMessage {
		got, _ := rawjson.GetPath(h.must(t, agent, "describe_operations", arguments).Value, "operations", "0", "schema")
		return got
	}
	same(t, schemaOf(`{"ids":["harbor.workflow.create"],"depth":1}`), `{"type":"object","required":["steps"],"properties":{"name":{"type":"string"},
		"steps":{"type":"array","description":"What it does. Part steps[]"}}}`)
	same(t, schemaOf(`{"ids":["harbor.workflow.create"],"part":"steps[].match"}`), `{"type":"object","properties":{"severity":{"type":"string"},"labels":{"type":"object","properties":{"team":{"type":"string"}}}}}`)
	same(t, schemaOf(`{"ids":["harbor.workflow.create"],"part":"steps[].match","depth":1}`), `{"type":"object","properties":{"severity":{"type":"string"},"labels":{"type":"object","description":"Part steps[].match.labels"}}}`)
	_, fault := h.call(agent, "describe_operations", `{"ids":["harbor.workflow.create"],"part":"steps[].mach"}`)
	if fault == nil || fault.Code != twodoor.CodeInvalid || !strings.Contains(fault.Message, "match") {
		t.Errorf("a wrong part: got %v, want the parts that there are", fault)
	}
}

func TestOutlineOfSchemasThatLeadBackToThemselves(t *testing.T) {
	for _, raw := range []string{
		`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/A"}}}}}}`,
		`{"$ref":"#/$defs/A","$defs":{"A":{"anyOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/A"}]}}}`,
		`{"$ref":"#/$defs/A","$defs":{"A":{"type":"array","items":{"$ref":"#/$defs/A"}}}}`,
		`{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}`,
	} {
		out := outline([]byte(raw), 3, "")
		if err := rawjson.Check(out); err != nil || strings.Contains(string(out), "$ref") {
			t.Errorf("%s: %v, got %.300s", raw, err, out)
		}
	}
}

func TestCallTools(t *testing.T) {
	h := newHouse(t)
	same(t, h.must(t, agent, "write_operation", `{"id":"harbor_incident_close","arguments":{"incidentId":1152921504606846977,"comment":"fixed"}}`).Value, `{"incidentId":1152921504606846977,"comment":"fixed"}`)
	same(t, h.must(t, agent, "write_operation", `{"id":"harbor.incident.close","arguments":"{\"incidentId\":1}"}`).Value, `{"incidentId":1}`)
	same(t, h.must(t, agent, "read_operation", `{"id":"harbor.on-call.current"}`).Value, `{}`)
	same(t, h.must(t, agent, "read_operation", `{"id":"harbor.incident.list","want":{"fields":["id"],"limit":2}}`).Value, `[{"id":0},{"id":1}]`)
	same(t, h.must(t, twodoor.Operator, "destroy_operation", `{"id":"harbor.incident.delete","arguments":{"incidentId":7}}`).Value, `{"incidentId":7}`)
}

func TestCallToolsRefuse(t *testing.T) {
	h := newHouse(t)
	for _, test := range []struct {
		who             twodoor.Principal
		tool, arguments string
		code            twodoor.Code
		says            string
	}{
		{agent, "read_operation", `{"id":"harbor.incident.close","arguments":{"incidentId":1}}`, twodoor.CodeInvalid, "write_operation"},
		{agent, "write_operation", `{"id":"harbor.incident.list"}`, twodoor.CodeInvalid, "read_operation"},
		{twodoor.Operator, "write_operation", `{"id":"harbor.incident.delete","arguments":{"incidentId":1}}`, twodoor.CodeInvalid, "destroy_operation"},
		{agent, "destroy_operation", `{"id":"harbor.incident.delete","arguments":{"incidentId":1}}`, twodoor.CodeForbidden, "admin"},
		{agent, "read_operation", `{"id":"twodoor.find-operations"}`, twodoor.CodeInvalid, "find_operations"},
		{agent, "write_operation", `{"id":"harbor.incident.close","arguments":{"incident":1}}`, twodoor.CodeInvalid, "incidentId"},
		{agent, "write_operation", `{"id":"harbor.incident.close","arguments":[1],"want":{"limit":1}}`, twodoor.CodeInvalid, "object"},
		{agent, "read_operation", `{"id":"harbor.incident.list","want":{"lmit":1}}`, twodoor.CodeInvalid, "want"},
		{agent, "read_operation", `{"id":"harbor.incident.show-open"}`, twodoor.CodeUnknown, "harbor.incident.list"},
	} {
		_, fault := h.call(test.who, test.tool, test.arguments)
		if fault == nil || fault.Code != test.code {
			t.Errorf("%s %s: got %v, want %s", test.tool, test.arguments, fault, test.code)
			continue
		}
		told, err := json.Marshal(fault)
		if err != nil || !strings.Contains(string(told), test.says) {
			t.Errorf("%s %s: %s does not say %q (%v)", test.tool, test.arguments, told, test.says, err)
		}
	}
}

func TestReadResult(t *testing.T) {
	h := newHouse(t)
	cut := h.must(t, agent, "read_operation", `{"id":"harbor.incident.list"}`).Cut
	if cut == nil || cut.Handle == "" || cut.Total != 400 {
		t.Fatalf("got %+v, want an answer that is cut and kept", cut)
	}
	same(t, h.must(t, agent, "read_result", fmt.Sprintf(`{"handle":%q,"jq":"map(.id)|add"}`, cut.Handle)).Value, `79800`)
	page := h.must(t, agent, "read_result", fmt.Sprintf(`{"handle":%q,"fields":"id","offset":398,"limit":1}`, cut.Handle))
	same(t, page.Value, `[{"id":398}]`)
	if page.Cut == nil || !strings.Contains(page.Cut.How, "399") {
		t.Errorf("the cut %+v does not say how to go on", page.Cut)
	}
	for _, who := range []twodoor.Principal{twodoor.Operator, {}} {
		if _, fault := h.call(who, "read_result", fmt.Sprintf(`{"handle":%q}`, cut.Handle)); fault == nil || fault.Code != twodoor.CodeNotFound {
			t.Errorf("%q reads what was kept for another: %v", who.Subject, fault)
		}
	}
	if _, fault := h.call(agent, "read_result", fmt.Sprintf(`{"handle":%q,"jq":"map("}`, cut.Handle)); fault == nil || fault.Code != twodoor.CodeInvalid {
		t.Errorf("a broken program: got %v", fault)
	}
}

func TestMemoryForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &Memory{}
		keep := func(size int) string {
			handle, err := m.Keep(t.Context(), agent, "a.b.c", make(json.RawMessage, size))
			if err != nil {
				t.Fatal(err)
			}
			return handle
		}
		has := func(handle string) bool {
			_, value, err := m.Take(t.Context(), agent, handle)
			if err != nil {
				t.Fatal(err)
			}
			return value != nil
		}
		first := keep(10)
		time.Sleep(keptFor + time.Second)
		if has(first) {
			t.Error("an answer is given back after its hour")
		}
		second, third := keep(keptSize/2), keep(keptSize/2)
		fourth := keep(100)
		if has(second) || !has(third) || !has(fourth) {
			t.Error("the oldest answer must make room for a new one, and no other")
		}
		if _, err := m.Keep(t.Context(), agent, "a.b.c", make(json.RawMessage, keptSize+1)); err == nil {
			t.Error("an answer that is too large is kept")
		}
	})
}

func TestOwnOperationsAreLean(t *testing.T) {
	reading, err := Source{}.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	var tools []string
	for _, op := range reading.Operations {
		compiled, err := schema.Compile(op.InputSchema())
		if err != nil {
			t.Fatalf("%s: %v", op.ID, err)
		}
		for _, example := range op.Examples {
			if misfits := compiled.Check(example.Arguments); len(misfits) > 0 {
				t.Errorf("%s: its example does not fit: %v", op.ID, misfits)
			}
		}
		tools = append(tools, op.Spelling().MCP)
		total += rawjson.Weigh([]byte(op.Description)) + rawjson.Weigh(hosts.Rewrite(op.InputSchema()))
	}
	if want := strings.Fields("find_operations describe_operations read_operation write_operation destroy_operation read_result"); !slices.Equal(tools, want) {
		t.Errorf("tools are %v, want %v", tools, want)
	}
	if total > 900 {
		t.Errorf("the six tools weigh %d tokens, want 900 at most", total)
	}
	t.Logf("six tools: %d tokens", total)
}

// An answer through a call tool comes in the format that the call asked for.
func TestFormatPassesTheCallTools(t *testing.T) {
	h := newHouse(t)
	const program = `"[.[:20][] | {id, state: \"high\", open: true}]"`
	for want, format := range map[string]twodoor.Format{`{"jq":` + program + `,"format":"toon"}`: twodoor.FormatTOON, `{"jq":` + program + `}`: ""} {
		list := h.must(t, agent, "read_operation", `{"id":"harbor.incident.list","want":`+want+`}`)
		if list.Format != format || strings.HasPrefix(list.Text, "[20]{id,state,open}:\n  0,high,true\n") != (format != "") || rawjson.Len(list.Value) != 20 {
			t.Errorf("%s: %q in %q beside %d records", want, list.Text, list.Format, rawjson.Len(list.Value))
		}
	}
}
