package twodoor_test

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
	"github.com/twodoor/twodoor/twodoortest"
)

// seen keeps the events of an engine.
type seen struct{ events []twodoor.Event }

func (s *seen) Observe(e twodoor.Event) { s.events = append(s.events, e) }

func do(t *testing.T, engine *twodoor.Engine, call twodoor.Call) (*twodoor.Result, *twodoor.Error) {
	t.Helper()
	result, err := engine.Do(t.Context(), call)
	if err == nil {
		return result, nil
	}
	fault, ok := errors.AsType[*twodoor.Error](err)
	if !ok {
		t.Fatalf("the engine returned %T: %v", err, err)
	}
	return nil, fault
}

// direct is the engine itself as a door: the suite of the doors holds for it too.
type direct struct{ engine *twodoor.Engine }

func (d direct) Call(ctx context.Context, t *testing.T, name string, args json.RawMessage) twodoortest.Seen {
	result, err := d.engine.Do(ctx, twodoor.Call{Operation: name, Arguments: args, Principal: twodoor.Operator, Door: twodoor.DoorGo})
	if err != nil {
		fault := twodoor.AsError(err)
		text, _ := json.Marshal(fault)
		return twodoortest.Seen{Code: fault.Code.String(), Text: string(text)}
	}
	told := twodoortest.Seen{Value: result.Value}
	for _, blob := range result.Blobs {
		told.Blobs = append(told.Blobs, blob.Data)
	}
	return told
}

func TestEngineIsADoor(t *testing.T) { twodoortest.Doors(t, direct{twodoortest.Engine()}, nil) }

func TestFuncSource(t *testing.T) { twodoortest.Sources(t, twodoortest.Source()) }

// TestFind holds that every spelling leads to the operation, and a wrong one to the nearest.
func TestFind(t *testing.T) {
	engine := twodoortest.Engine()
	for _, name := range []string{"suite.answer.echo", "suite_answer_echo"} {
		if result, fault := do(t, engine, twodoor.Call{Operation: name}); fault != nil || result.Operation != twodoortest.Echo {
			t.Errorf("%s: %v %v", name, result, fault)
		}
	}
	_, fault := do(t, engine, twodoor.Call{Operation: "suite_answer_ecco"})
	if fault == nil || fault.Code != twodoor.CodeUnknown || !slices.Contains(fault.Try, twodoortest.Echo) {
		t.Errorf("a typing error is told as %+v", fault)
	}
	if _, fault = do(t, engine, twodoor.Call{Operation: "x", Profile: "none"}); fault == nil || fault.Code != twodoor.CodeUnknown {
		t.Errorf("an unknown profile is told as %+v", fault)
	}
}

// TestAdmit holds who may do what: include and export make unknown, effects denied, permissions
// forbidden, and a yes is bound to the arguments.
func TestAdmit(t *testing.T) {
	engine := twodoortest.Engine()
	engine.Profiles = map[string]*twodoor.Profile{
		"reader": {Effects: []twodoor.Effect{twodoor.Reads}},
		"answer": {Include: []string{"suite.answer.*"}, Exclude: []string{"*.blob"}},
		"asking": {Confirm: twodoor.ConfirmAsk},
	}
	for _, test := range []struct {
		profile, operation string
		code               twodoor.Code
	}{
		{"reader", twodoortest.Echo, twodoor.CodeOK},
		{"reader", twodoortest.Write, twodoor.CodeDenied},
		{"answer", twodoortest.Echo, twodoor.CodeOK},
		{"answer", twodoortest.Blob, twodoor.CodeUnknown},
		{"answer", twodoortest.Write, twodoor.CodeUnknown},
		{"asking", twodoortest.Write, twodoor.CodeOK},
		{"asking", twodoortest.Wipe, twodoor.CodeConfirm},
		{"", twodoortest.Wipe, twodoor.CodeOK},
	} {
		_, fault := do(t, engine, twodoor.Call{Operation: test.operation, Profile: test.profile})
		if fault == nil && test.code != twodoor.CodeOK || fault != nil && fault.Code != test.code {
			t.Errorf("%s in %q: %v, want %s", test.operation, test.profile, fault, test.code)
		}
	}
}

func TestConfirm(t *testing.T) {
	engine := twodoortest.Engine()
	engine.Profiles = map[string]*twodoor.Profile{twodoor.DefaultProfile: {Confirm: twodoor.ConfirmAsk}}
	call := twodoor.Call{Operation: twodoortest.Wipe, Arguments: json.RawMessage(`{"message":"a"}`), Principal: twodoor.Operator}
	_, fault := do(t, engine, call)
	if fault == nil || fault.Token == "" {
		t.Fatalf("no token in %+v", fault)
	}
	yes := call
	yes.Arguments = fmt.Appendf(nil, `{"_want":{"confirm":%q}, "message" : "a"}`, fault.Token)
	if _, again := do(t, engine, yes); again != nil {
		t.Errorf("the yes is refused: %v", again)
	}
	for name, change := range map[string]func(*twodoor.Call){
		"other arguments": func(c *twodoor.Call) { c.Arguments = json.RawMessage(`{"message":"b"}`) },
		"other principal": func(c *twodoor.Call) { c.Principal = twodoor.Principal{Subject: "else"} },
		"a plain yes":     func(c *twodoor.Call) { c.Confirm = twodoor.ConfirmYes; c.Door = twodoor.DoorMCP },
	} {
		other := call
		other.Confirm = fault.Token
		change(&other)
		if _, fault := do(t, engine, other); fault == nil || fault.Code != twodoor.CodeConfirm {
			t.Errorf("%s: the yes to another call worked: %v", name, fault)
		}
	}
}

// TestBind holds that every misfit is named at once, with a valid call beside it.
func TestBind(t *testing.T) {
	op := twodoor.Operation{ID: "t.thing.do", Kind: twodoor.KindFunc, Effect: twodoor.Writes, Input: json.RawMessage(
		`{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer","minimum":1},"tags":{"type":"array","items":{"type":"string"}}},"required":["id","n"],"additionalProperties":false}`)}
	engine := engineOf(t, op, func(in *twodoor.Invocation) (*twodoor.Value, error) { return &twodoor.Value{JSON: in.Arguments}, nil })
	_, fault := do(t, engine, twodoor.Call{Operation: op.ID, Arguments: json.RawMessage(`{"n":0,"tag":[]}`)})
	if fault == nil || fault.Code != twodoor.CodeInvalid || len(fault.Fields) != 3 || !strings.Contains(fault.Hint, `"id"`) {
		t.Fatalf("misfits: %+v", fault)
	}
	result, fault := do(t, engine, twodoor.Call{Operation: op.ID, Arguments: json.RawMessage(`{"id":"0042","n":"9007199254740993","tags":"[\"a\"]"}`)})
	if fault != nil || string(result.Value) != `{"id":"0042","n":9007199254740993,"tags":["a"]}` {
		t.Errorf("what clients are known to write came as %v %+v", result, fault)
	}
	for _, bad := range []string{`[]`, `{"id":`, `"x"`, `3`} {
		if _, fault := do(t, engine, twodoor.Call{Operation: op.ID, Arguments: json.RawMessage(bad)}); fault == nil || fault.Code != twodoor.CodeInvalid {
			t.Errorf("arguments %s: %+v", bad, fault)
		}
	}
}

func engineOf(t *testing.T, op twodoor.Operation, run func(*twodoor.Invocation) (*twodoor.Value, error)) *twodoor.Engine {
	t.Helper()
	source := &twodoor.FuncSource{Name: op.Source(), Funcs: []twodoor.Func{{Operation: op,
		Run: func(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) { return run(in) }}}}
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}}
	engine.Serve(catalog)
	return engine
}

// TestPages holds every page style: the engine asks until the far side has no more.
func TestPages(t *testing.T) {
	const total = 7
	input := json.RawMessage(`{"type":"object","properties":{"at":{"type":["integer","string"]},"size":{"type":"integer"}}}`)
	for style, page := range map[string]twodoor.Page{
		"cursor": {Style: twodoor.PageCursor, Param: "at", Size: "size", Max: 3, Next: "next", Items: "items"},
		"last":   {Style: twodoor.PageCursor, Param: "at", Size: "size", Max: 3, Next: "if .next then (.items[-1] + 1) else null end", Items: "items"},
		"offset": {Style: twodoor.PageOffset, Param: "at", Size: "size", Max: 3},
		"page":   {Style: twodoor.PageNumber, Param: "at", Size: "size", Max: 3, First: 1},
		"link":   {Style: twodoor.PageLink, Size: "size", Max: 3},
	} {
		t.Run(style, func(t *testing.T) {
			asked := 0
			op := twodoor.Operation{ID: "t.thing.list", Kind: twodoor.KindFunc, Effect: twodoor.Reads, Input: input, Page: &page}
			engine := engineOf(t, op, func(in *twodoor.Invocation) (*twodoor.Value, error) {
				asked++
				return serve(t, page, in, total), nil
			})
			result, fault := do(t, engine, twodoor.Call{Operation: op.ID, Projection: twodoor.Projection{All: true}})
			if fault != nil {
				t.Fatal(fault)
			}
			if got := fmt.Sprint(items(t, result.Value)); got != "[0 1 2 3 4 5 6]" {
				t.Errorf("all: %s", got)
			}
			if asked > 4 {
				t.Errorf("asked %d times for 3 pages", asked)
			}
			result, _ = do(t, engine, twodoor.Call{Operation: op.ID, Projection: twodoor.Projection{All: true, Limit: 5}})
			if got := fmt.Sprint(items(t, result.Value)); got != "[0 1 2 3 4]" || result.Cut == nil {
				t.Errorf("limit 5 of all: %s, cut %+v", got, result.Cut)
			}
		})
	}
}

// serve is a far side that pages in a style.
func serve(t *testing.T, page twodoor.Page, in *twodoor.Invocation, total int) *twodoor.Value {
	var args struct {
		At   any
		Size int
	}
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		t.Error(err)
	}
	var from int
	fmt.Sscan(fmt.Sprint(args.At), &from)
	if page.Style == twodoor.PageLink {
		fmt.Sscan(in.Continue, &from)
	}
	if page.Style == twodoor.PageNumber {
		from = max(from-1, 0) * args.Size
	}
	to := min(from+args.Size, total)
	list := []int{}
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	value := &twodoor.Value{}
	next := any(nil)
	if to < total {
		next = fmt.Sprint(to)
		value.Continue = fmt.Sprint(to)
	}
	raw, err := json.Marshal(map[string]any{"items": list, "next": next})
	if err != nil {
		t.Error(err)
	}
	value.JSON = raw
	return value
}

func items(t *testing.T, raw json.RawMessage) []int {
	t.Helper()
	var page struct{ Items []int }
	if err := json.Unmarshal(raw, &page); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return page.Items
}

// TestNoPages holds that asking for pages where there are none is told, not ignored.
func TestNoPages(t *testing.T) {
	for _, want := range []twodoor.Projection{{All: true}, {Page: "2"}} {
		_, fault := do(t, twodoortest.Engine(), twodoor.Call{Operation: twodoortest.Many, Projection: want})
		if fault == nil || fault.Code != twodoor.CodeInvalid {
			t.Errorf("%+v: %v", want, fault)
		}
	}
}

// TestWant holds that a projection written into the arguments is one, wherever it is no input.
func TestWant(t *testing.T) {
	result, fault := do(t, twodoortest.Engine(), twodoor.Call{Operation: twodoortest.Many,
		Arguments: json.RawMessage(`{"_want":{"fields":"id,name","limit":2,"jq":".items|map(.name)"}}`)})
	if fault != nil || string(result.Value) != `["one","one"]` {
		t.Errorf("%v %v", result, fault)
	}
	for _, bad := range []string{`{"_want":{"feilds":["id"]}}`, `{"_want":{"limit":"x"}}`, `{"_want":3}`, `{"_want":{"jq":".["}}`, `{"_want":{"fields":["nmae"]}}`} {
		if _, fault := do(t, twodoortest.Engine(), twodoor.Call{Operation: twodoortest.Many, Arguments: json.RawMessage(bad)}); fault == nil || fault.Code != twodoor.CodeInvalid {
			t.Errorf("%s is told as %v", bad, fault)
		}
	}
}

// TestTime holds that a call ends at its bound.
func TestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := twodoortest.Engine()
		engine.Timeout = time.Hour
		begun := time.Now()
		_, fault := do(t, engine, twodoor.Call{Operation: twodoortest.Stall, Timeout: 2 * time.Second})
		if fault == nil || fault.Code != twodoor.CodeTimeout || time.Since(begun) != 2*time.Second {
			t.Errorf("%v after %s", fault, time.Since(begun))
		}
	})
}

// TestReconfigure holds that an engine that serves takes up another catalog, invokers and profiles.
func TestReconfigure(t *testing.T) {
	engine := twodoortest.Engine()
	source := &twodoor.FuncSource{Name: "late", Funcs: []twodoor.Func{{
		Operation: twodoor.Operation{ID: "late.thing.get", Effect: twodoor.Writes},
		Run:       func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) { return nil, nil },
	}}}
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	engine.Reconfigure(catalog, map[string]twodoor.Invoker{twodoor.KindFunc: source}, map[string]*twodoor.Profile{"reader": {Effects: []twodoor.Effect{twodoor.Reads}}})
	if _, fault := do(t, engine, twodoor.Call{Operation: "late.thing.get"}); fault != nil {
		t.Error(fault)
	}
	if _, fault := do(t, engine, twodoor.Call{Operation: "late.thing.get", Profile: "reader"}); fault == nil || fault.Code != twodoor.CodeDenied {
		t.Errorf("the new profile does not hold: %v", fault)
	}
	if _, fault := do(t, engine, twodoor.Call{Operation: twodoortest.Echo}); fault == nil || fault.Code != twodoor.CodeUnknown {
		t.Errorf("what is gone is still there: %v", fault)
	}
}

// TestTell holds that every call is told once, with its end, and children with their parent.
func TestTell(t *testing.T) {
	watch := &seen{}
	engine := twodoortest.Engine()
	engine.Observer = watch
	do(t, engine, twodoor.Call{Operation: "suite_answer_relay", Arguments: json.RawMessage(`{"call":"suite.answer.echo"}`), Principal: twodoor.Operator})
	do(t, engine, twodoor.Call{Operation: twodoortest.Panic})
	if len(watch.events) != 3 {
		t.Fatalf("told %d events", len(watch.events))
	}
	inner, outer, bug := watch.events[0], watch.events[1], watch.events[2]
	if inner.ParentID != outer.CallID || inner.Principal.Subject != "operator" || outer.Code != twodoor.CodeOK || outer.Operation != twodoortest.Relay {
		t.Errorf("inner %+v\nouter %+v", inner, outer)
	}
	if bug.Code != twodoor.CodeInternal || !strings.Contains(bug.Fault.Cause.Error(), "on purpose") || bug.Fault.CallID != bug.CallID {
		t.Errorf("a panic is told as %+v", bug.Fault)
	}
}

// TestDryRun holds that an invoker without a preview says so.
func TestDryRun(t *testing.T) {
	if _, fault := do(t, twodoortest.Engine(), twodoor.Call{Operation: twodoortest.Echo, Mode: twodoor.DryRun}); fault == nil || fault.Code != twodoor.CodeInvalid {
		t.Errorf("%v", fault)
	}
}

// TestCodes holds the table against the contract.
func TestCodes(t *testing.T) {
	want := "internal 1 500 -32603|invalid 2 400 0|unknown 2 404 -32602|unauthenticated 3 401 0|forbidden 3 403 0|upstream_auth 3 424 0|" +
		"unavailable 4 503 0|timeout 4 504 0|not_found 5 404 0|conflict 5 409 0|limited 5 429 0|too_large 5 413 0|upstream 5 502 0|" +
		"confirm 6 428 0|denied 6 403 0|checks_failed 7 500 0|canceled 130 499 0"
	var got []string
	for _, c := range twodoor.Codes() {
		got = append(got, fmt.Sprint(c, " ", c.Exit(), " ", c.HTTP(), " ", c.RPC()))
		var back twodoor.Code
		if err := back.UnmarshalText([]byte(c.String())); err != nil || back != c {
			t.Errorf("%s reads back as %s", c, back)
		}
	}
	if strings.Join(got, "|") != want {
		t.Errorf("the table is\n%s\nwant\n%s", strings.Join(got, "|"), want)
	}
}

// TestAllocations bounds what the path itself allocates for a small call.
func TestAllocations(t *testing.T) {
	engine, call := twodoortest.Engine(), twodoor.Call{Operation: twodoortest.Echo, Arguments: json.RawMessage(`{"message":"hello"}`)}
	ctx := context.Background()
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := engine.Do(ctx, call); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 30 {
		t.Errorf("%.0f allocations a call, at most 30 are allowed", allocs)
	}
}

func BenchmarkDo(b *testing.B) {
	engine := twodoortest.Engine()
	call := twodoor.Call{Operation: twodoortest.Echo, Arguments: json.RawMessage(`{"message":"` + strings.Repeat("x", 200) + `"}`)}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := engine.Do(ctx, call); err != nil {
			b.Fatal(err)
		}
	}
}
