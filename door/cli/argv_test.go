package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
	"github.com/twodoor/twodoor/door/cli/internal/typed"
	"github.com/twodoor/twodoor/internal/rawjson"
)

func TestArgv(t *testing.T) {
	cases := []struct{ op, args, want string }{
		{"get", `{"incident_id":42}`, "harbor incident get 42"},
		{"get", `{"incident_id":-42}`, "harbor incident get -42"},
		{"ack", `{"incident_ids":[1,2],"comment":"x y"}`, "harbor incident ack 1 2 --comment 'x y'"},
		{"ack", `{"incident_ids":[]}`, "harbor incident ack ''"},
		{"create", `{"urgent":true,"tags":["a","b"],"ratio":0.50}`, "harbor incident create --urgent --tags a,b --ratio 0.50"},
		{"create", `{"urgent":false,"tags":["a,b"]}`, `harbor incident create --urgent=false --set tags.0=a,b`},
		{"create", `{"pin":"-","title":"--all"}`, "harbor incident create --set pin=- --title=--all"},
		{"create", `{"startTime":1700000000000}`, "harbor incident create --set startTime:=1700000000000"},
		{"create", `{"until":"24h"}`, "harbor incident create --set until=24h"},
		{"create", `{"attachment":"@x"}`, "harbor incident create --set attachment=@x"},
		{"create", `{"filter":{"any":[{"key":"k","n":1}],"age":3},"level":null,"note":null}`, "harbor incident create --set filter.any.0.key=k --set filter.any.0.n:=1 --set filter.age:=3 --level null --set note:=null"},
		{"create", `{"service_id":"text"}`, `harbor incident create --set 'service_id:="text"'`},
		{"change-create", `{"data":{"name":"n","x":1},"force":true}`, "harbor incident change-create --name n --set data.x:=1 --force"},
	}
	h := newHarness(t)
	for _, c := range cases {
		op, _, err := h.Engine.Catalog().Find("harbor.incident." + c.op)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimPrefix(h.shell(h.Argv(op, json.RawMessage(c.args))), "twodoor ")
		if got != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.op, c.args, got, c.want)
		}
		givesBack(t, h, op, json.RawMessage(c.args))
	}
}

// givesBack checks that the line of a call is read as the same call.
func givesBack(t *testing.T, h *harness, op *twodoor.Operation, args json.RawMessage) {
	t.Helper()
	argv := h.Argv(op, args)
	to, err := h.route(argv)
	if err != nil || to.op == nil || to.op.ID != op.ID {
		t.Fatalf("%q leads to %+v (%v)", argv, to, err)
	}
	call, err := h.Parse(argv)
	for _, says := range fields(err) {
		if !strings.Contains(says, "is required") { // the arguments need not be whole
			t.Errorf("%s\n  written as %q\n  %s", args, argv, says)
		}
	}
	if !rawjson.Equal(call.Arguments, args) {
		t.Errorf("%s\n  written as %q\n  read as    %s", args, argv, call.Arguments)
	}
}

// FuzzArgvRoundTrip: whatever the arguments, the line made of them gives them back.
func FuzzArgvRoundTrip(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, "text", int64(seed)-3)
	}
	f.Add(uint64(1), "-", int64(0))
	f.Add(uint64(2), "--no-urgent", int64(1))
	f.Add(uint64(3), "a,b", int64(1)<<60)
	f.Add(uint64(4), "@file", int64(-1))
	f.Add(uint64(5), `["x"]`, int64(7))
	f.Add(uint64(6), "24h", int64(7))
	f.Add(uint64(7), "a.b=c:\\[", int64(7))
	f.Fuzz(func(t *testing.T, seed uint64, text string, n int64) {
		h := newHarness(t)
		rng := rand.New(rand.NewPCG(seed, 1))
		for i, entry := range h.Engine.Catalog().Entries() {
			op, err := h.Engine.Catalog().At(i)
			if err != nil {
				t.Fatal(entry.ID, err)
			}
			givesBack(t, h, op, invent(rng, op, text, n))
		}
	})
}

// invent makes arguments for an operation: of the right types mostly, of others sometimes.
func invent(rng *rand.Rand, op *twodoor.Operation, text string, n int64) json.RawMessage {
	made := json.RawMessage(`{}`)
	if op.Opened != "" { // it is required, and made where it is missing
		made = rawjson.Set(made, op.Opened, []byte(`{}`))
	}
	in := args.Of(op)
	for _, f := range in.Fields {
		if rng.IntN(3) > 0 {
			made = rawjson.SetPath(made, inventValue(rng, in.Scope, f.Raw, text, n, 0), f.Path...)
		}
	}
	if op.Opened == "" && rng.IntN(2) == 0 && text != "" {
		made = rawjson.Set(made, "x"+text, inventValue(rng, typed.Scope{}, json.RawMessage(`{}`), text, n, 0))
	}
	return made
}

func inventValue(rng *rand.Rand, s typed.Scope, raw json.RawMessage, text string, n int64, depth int) json.RawMessage {
	t := s.TypeOf(raw)
	pick := rng.IntN(12)
	switch {
	case pick == 0:
		return json.RawMessage(`null`)
	case pick == 1 || t.Is(typed.Text) && pick < 8:
		return rawjson.Quote(text)
	case pick == 2 || t.Is(typed.Integer):
		return fmt.Append(nil, n)
	case t.Is(typed.Bool):
		return fmt.Append(nil, n%2 == 0)
	case t.Is(typed.Number):
		return fmt.Appendf(nil, "%d.50e-3", n)
	case t.Is(typed.Object) && depth < 3:
		out := json.RawMessage(`{}`)
		for _, p := range typed.Properties(t.Layers) {
			out = rawjson.Set(out, p.Name, inventValue(rng, s, p.Raw, text, n, depth+1))
		}
		return rawjson.Set(out, text, rawjson.Quote(text))
	case t.Is(typed.Array) && depth < 3:
		var list rawjson.Array
		for range rng.IntN(4) {
			list.Add(inventValue(rng, s, s.ItemsOf(raw), text, n, depth+1))
		}
		return list.Bytes()
	}
	return json.RawMessage(`[{"a":[]},{}]`)
}
