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
			for _, g := range r.house.gifts(op) {
				r.call(op, o, g)
			}
		}
	}
}

// call makes a call with one set of arguments at both doors.
func (r *trial) call(op *twodoor.Operation, o *described, g gift) {
	if g.most && !g.all {
		r.mended++
	}
	mcp := r.house.callMCP(o, op, jsonOf(g.args))
	r.judge(op, o, "mcp", mcp, g)
	line, err := lineOf(op, &maker{resolve: r.house.definition}, g.args)
	if err != nil {
		r.fault(op, "cli", show(g.args), err.Error())
		return
	}
	typed := r.house.callCLI(o, line)
	r.judge(op, o, "cli", typed, g)
	if len(mcp.came) != 1 || len(typed.came) != 1 {
		return
	}
	for _, fault := range differ(mcp.came[0], typed.came[0]) {
		r.fault(op, "both", strings.Join(line.words, " "), "the doors differ in "+fault)
	}
	r.answer(op, o, "mcp", mcp)
	r.answer(op, o, "cli", typed)
}

func jsonOf(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return raw
}

func (r *trial) judge(op *twodoor.Operation, o *described, door string, out outcome, g gift) {
	r.calls++
	args := g.args
	switch {
	case !out.ok:
		r.fault(op, door, show(args), "refused: "+cut(strings.ReplaceAll(out.note, "\n", " ")))
		return
	case len(out.came) != 1:
		r.fault(op, door, show(args), fmt.Sprintf("%d requests came", len(out.came)))
		return
	}
	for _, fault := range o.judge(out.came[0], ask{args, g.all}) {
		r.fault(op, door, show(args), fault)
	}
	if r.second != nil && door == twodoor.DoorMCP {
		if err := r.second.judge(o, out.came[0], g.most); err != nil {
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
	if err != nil || !equal(pruned(got), pruned(want)) {
		r.fault(op, door, "", fmt.Sprintf("the answer is %s, the far side said %s", cut(out.text), cut(string(said.body))))
	}
}

// pruned is a value without what is left out of an answer (contracts §6).
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
