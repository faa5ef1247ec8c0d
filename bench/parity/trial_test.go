package parity

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/schema"
)

// corpus lists the descriptions, or skips.
func corpus(t *testing.T) []string {
	t.Helper()
	folder := os.Getenv("TWODOOR_CORPUS")
	if folder == "" {
		t.Skip("TWODOOR_CORPUS is not set: it names the folder of real descriptions")
	}
	files, err := filepath.Glob(filepath.Join(folder, "openapi", "*.*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no descriptions in %s: %v", folder, err)
	}
	return files
}

// trial is one description on trial.
type trial struct {
	t             *testing.T
	house         *house
	second        *secondJudge // nil: it cannot load the description
	calls, mended int
	faults        int
	excused       map[string]int // by reason
	used          map[int]bool   // exceptions that were needed
}

// counts holds what the product generated against what the description has.
func (r *trial) counts() {
	got := len(r.house.reading.Operations) + len(r.house.reading.Exceptions)
	if want := len(r.house.doc.operations); got != want {
		r.t.Errorf("described %d operations, the product tells of %d", want, got)
	}
}

func (r *trial) all() {
	for i := range r.house.reading.Operations {
		op := &r.house.reading.Operations[i]
		if testing.Short() && i%10 != 0 {
			continue
		}
		op, _, err := r.house.engine.Catalog().Find(op.ID)
		o := r.house.doc.operations[op.Origin]
		switch {
		case err != nil:
			r.t.Errorf("%s: %v", op.ID, err)
		case o == nil:
			r.fault(op, "", "", "the description has no "+op.Origin)
		default:
			r.call(op, o, false)
			r.call(op, o, true)
		}
	}
}

// call makes a call with one set of arguments at both doors.
func (r *trial) call(op *twodoor.Operation, o *described, most bool) {
	mcp, args, whole := r.first(op, o, most)
	r.calls++
	r.judge(op, o, "mcp", mcp, args, most, whole)
	line, err := lineOf(op, &maker{resolve: r.house.definition}, args)
	if err != nil {
		r.fault(op, "cli", show(args), err.Error())
		return
	}
	typed := r.house.callCLI(o, line)
	r.calls++
	r.judge(op, o, "cli", typed, args, most, whole)
	if len(mcp.came) != 1 || len(typed.came) != 1 {
		return
	}
	for _, fault := range differ(mcp.came[0], typed.came[0]) {
		r.fault(op, "both", strings.Join(line.words, " "), "the doors differ in "+fault)
	}
	r.answer(op, o, "mcp", mcp)
	r.answer(op, o, "cli", typed)
}

// first finds arguments that the operation takes, and makes the call at the MCP door with them.
func (r *trial) first(op *twodoor.Operation, o *described, most bool) (out outcome, args map[string]any, whole bool) {
	args, whole = r.house.arguments(op, most)
	if !whole && most {
		r.mended++
	}
	return r.house.callMCP(o, op, jsonOf(args)), args, whole
}

// arguments are made from the schema of an operation; where that says of an input what no value can
// meet, the input is left out; where that does not help either, its own example is taken. They are
// whole if everything that the operation takes is there.
func (h *house) arguments(op *twodoor.Operation, most bool) (args map[string]any, whole bool) {
	input, check := json2any(op.Input), h.check(op)
	for turn := range 4 {
		m := &maker{resolve: h.definition, most: most, turn: turn, plain: turn > 1}
		v, ok := m.value(input, 0)
		args = object(v)
		if ok && check.Accepts(jsonOf(args)) {
			return args, most && turn == 0
		}
		for _, misfit := range check.Check(jsonOf(args)) {
			name, _, _ := strings.Cut(misfit.Path, ".")
			name, _, _ = strings.Cut(name, "[")
			delete(args, name)
		}
		if ok && len(args) > 0 && check.Accepts(jsonOf(args)) {
			return args, false
		}
	}
	for _, e := range op.Examples {
		return object(json2any(e.Arguments)), false
	}
	return object(json2any(schema.Example(op.InputSchema()))), false
}

func (h *house) check(op *twodoor.Operation) *schema.Schema {
	s, err := schema.Compile(op.InputSchema())
	if err != nil {
		return &schema.Schema{}
	}
	return s
}

func jsonOf(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return raw
}

func (r *trial) judge(op *twodoor.Operation, o *described, door string, out outcome, args map[string]any, most, whole bool) {
	switch {
	case !out.ok:
		r.fault(op, door, show(args), "refused: "+cut(strings.ReplaceAll(out.note, "\n", " ")))
		return
	case len(out.came) != 1:
		r.fault(op, door, show(args), fmt.Sprintf("%d requests came", len(out.came)))
		return
	}
	for _, fault := range o.judge(out.came[0], ask{args, whole}) {
		r.fault(op, door, show(args), fault)
	}
	if r.second != nil && door == twodoor.DoorMCP {
		if err := r.second.judge(o, out.came[0], most); err != nil {
			r.fault(op, door, show(args), "openapi3filter: "+firstLine(err.Error()))
		}
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// answer holds what came back at a door against what the far side said.
func (r *trial) answer(op *twodoor.Operation, o *described, door string, out outcome) {
	said := r.house.stub.replyTo(o)
	if !strings.Contains(said.media, "json") || len(said.body) == 0 || out.cut {
		return
	}
	want, err := decodeJSON(said.body)
	if err != nil {
		return
	}
	got, err := decodeJSON([]byte(out.text))
	if door == "mcp" {
		got, want = pruned(got), pruned(want)
	}
	if err != nil || !equal(got, want) {
		r.fault(op, door, "", fmt.Sprintf("the answer is %s, the far side said %s", cut(out.text), cut(string(said.body))))
	}
}

// pruned is a value without what the MCP door may leave out of an answer (contracts §6).
func pruned(v any) any {
	switch v := v.(type) {
	case []any:
		out := []any{}
		for _, item := range v {
			out = append(out, pruned(item))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, item := range v {
			if item != nil && item != "" {
				out[name] = pruned(item)
			}
		}
		return out
	}
	return v
}

func (r *trial) fault(op *twodoor.Operation, door, args, what string) {
	if i := slices.IndexFunc(exceptions, func(e exception) bool { return e.covers(r.house.doc.name, op, what) }); i >= 0 {
		if r.excused == nil {
			r.excused, r.used = map[string]int{}, map[int]bool{}
		}
		r.excused[exceptions[i].reason]++
		r.used[i] = true
		return
	}
	r.faults++
	if r.faults <= maxTold {
		r.t.Errorf("%s (%s) at %s: %s\n\twith %s", op.ID, op.Origin, door, what, args)
	}
}

const maxTold = 40

func (r *trial) report() {
	r.t.Logf("%s: %d described, %d generated, %d calls, %d with less than everything, %d mismatches",
		r.house.doc.name, len(r.house.doc.operations), len(r.house.reading.Operations), r.calls, r.mended, r.faults)
	for reason, n := range r.excused {
		r.t.Logf("%s: %d times: %s", r.house.doc.name, n, reason)
	}
	if r.faults > maxTold {
		r.t.Errorf("%d more mismatches", r.faults-maxTold)
	}
	for i, e := range exceptions {
		if twodoor.Match(e.document, r.house.doc.name) && !r.used[i] && !testing.Short() {
			r.t.Errorf("the exception for %s %q is needed no more: %s", e.document, e.operation, e.reason)
		}
	}
}
