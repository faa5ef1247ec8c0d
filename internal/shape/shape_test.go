package shape

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
)

const issues = `{"total":3,"items":[{"id":1152921504606846976,"title":"a","owner":{"login":"x","id":7},"labels":[{"name":"l1","c":1},{"name":"l2","c":2}]},{"id":2,"title":"b","owner":null,"labels":[]},{"id":3,"title":"c","closed":1.0}]}`

func apply(t *testing.T, raw string, want Want) string {
	t.Helper()
	out, _, err := Apply(context.Background(), []byte(raw), want)
	if err != nil {
		t.Fatalf("%+v: %v", want, err)
	}
	return string(out)
}

func TestFields(t *testing.T) {
	cases := []struct {
		raw    string
		fields []string
		root   string
		want   string
	}{
		{issues, []string{"title,id"}, "", `{"total":3,"items":[{"title":"a","id":1152921504606846976},{"title":"b","id":2},{"title":"c","id":3}]}`},
		{issues, []string{"items.id"}, "", `{"total":3,"items":[{"id":1152921504606846976},{"id":2},{"id":3}]}`},
		{issues, []string{"owner.login", "closed"}, "items", `{"total":3,"items":[{"owner":{"login":"x"}},{"owner":null},{"closed":1.0}]}`},
		{issues, []string{"owner.id", "owner.login"}, "", `{"total":3,"items":[{"owner":{"id":7,"login":"x"}},{"owner":null},{}]}`},
		{issues, []string{"labels.name"}, "", `{"total":3,"items":[{"labels":[{"name":"l1"},{"name":"l2"}]},{"labels":[]},{}]}`},
		{issues, []string{"total"}, "", `{"total":3}`},
		{issues, []string{"total", "id"}, "", `{"total":3,"items":[{"id":1152921504606846976},{"id":2},{"id":3}]}`},
		{`[{"a":1,"b":2}]`, []string{".b"}, "", `[{"b":2}]`},
		{`{"id":5,"labels":[{"name":"l"}],"x":1}`, []string{"id", "labels.name"}, "", `{"id":5,"labels":[{"name":"l"}]}`},
		{`{"a.b":{"c":1,"d":2},"id":1}`, []string{"a.b.c"}, "", `{"a.b":{"c":1}}`},
		{`{"items":[],"total":0}`, []string{"whatever"}, "", `{"items":[],"total":0}`},
		{`[]`, []string{"whatever"}, "", `[]`},
	}
	for _, c := range cases {
		if got := apply(t, c.raw, Want{Fields: c.fields, Root: c.root}); got != c.want {
			t.Errorf("%q of %s:\n got %s\nwant %s", c.fields, c.raw, got, c.want)
		}
	}
}

func TestUnknownFields(t *testing.T) {
	cases := []struct {
		raw, field, says, hint string
	}{
		{issues, "ttile", `no field "ttile" in the answer; did you mean title?`, "fields: id, title, owner, owner.login, owner.id, labels, labels.name, labels.c, closed"},
		{issues, "owner.logn", "did you mean owner.login?", "fields: "},
		{issues, "title.x", `no field "title.x"`, "fields: "},
		{`{"id":1,"b":{"c":2}}`, "b.d", "", "fields: id, b, b.c"},
		{`7`, "a", "the answer is a number without fields", "ask without fields"},
	}
	for _, c := range cases {
		_, _, err := Apply(context.Background(), []byte(c.raw), Want{Fields: []string{c.field}})
		var bad *Error
		if !errors.As(err, &bad) || !strings.Contains(bad.Message, c.says) || !strings.Contains(bad.Hint, c.hint) {
			t.Errorf("%q of %s: %v (%+v)", c.field, c.raw, err, bad)
		}
	}
}

func TestLimit(t *testing.T) {
	cases := []struct {
		raw  string
		want Want
		out  string
		cut  *Cut
	}{
		{`[1, 2,3]`, Want{Limit: 2}, `[1,2]`, &Cut{2, 3, "records", 0}},
		{`[1,2,3]`, Want{Limit: 3}, `[1,2,3]`, nil},
		{`[1,2,3]`, Want{Offset: 1}, `[2,3]`, &Cut{2, 3, "records", 0}},
		{`[1,2,3]`, Want{Offset: 9, Limit: 1}, `[]`, &Cut{0, 3, "records", 0}},
		{`{"n":3,"data":{"items":[{"a":1},{"a":2}],"t":2}}`, Want{Limit: 1}, `{"n":3,"data":{"items":[{"a":1}],"t":2}}`, &Cut{1, 2, "data.items", 0}},
		{`{"a":[{}],"b":[{}]}`, Want{Limit: 1}, `{"a":[{}],"b":[{}]}`, nil},
		{`{"a":[1,2],"b":[1,2]}`, Want{Limit: 1, Root: ".b[]"}, `{"a":[1,2],"b":[1]}`, &Cut{1, 2, "b", 0}},
		{`{"id":1,"labels":[{"x":1},{"x":2}]}`, Want{Limit: 1}, `{"id":1,"labels":[{"x":1},{"x":2}]}`, nil},
	}
	for _, c := range cases {
		out, cut, err := Apply(context.Background(), []byte(c.raw), c.want)
		if err != nil || string(out) != c.out || fmt.Sprint(cut) != fmt.Sprint(c.cut) {
			t.Errorf("%+v of %s: %s, %v, %v; want %s, %v", c.want, c.raw, out, cut, err, c.out, c.cut)
		}
	}
}

func TestRecords(t *testing.T) {
	cases := []struct{ raw, root, path string }{
		{`[1]`, "", ""},
		{`{"items":[{}],"tags":["x"]}`, "", "items"},
		{`{"items":[],"total":0}`, "", "items"},
		{`{"data":{"list":[{"id":1}]},"meta":{"page":1}}`, "", "data.list"},
		{`{"a":{"x":[{}]},"b":{"y":[{}]}}`, "", "-"},
		{`{"name":"n","parts":[{}]}`, "", "-"},
		{`{"name":"n","parts":[{}]}`, "parts", "parts"},
		{`{"a":1}`, "", "-"},
		{`{"a":1}`, "a", "-"},
		{`{"a":1}`, "b", "-"},
		{`"text"`, "", "-"},
		{`[1]`, ".", ""},
	}
	for _, c := range cases {
		if _, path, ok := Records([]byte(c.raw), c.root); ok != (c.path != "-") || ok && path != c.path {
			t.Errorf("Records(%s, %q) = %q, %v; want %q", c.raw, c.root, path, ok, c.path)
		}
	}
}

func TestClean(t *testing.T) {
	raw := `{"a":null,"b":"","c":[],"d":{"e":null,"f":[null,"",{"g":""}]},"keep":null,"n":0,"t":false}`
	keep := func(path []string) bool { return slices.Equal(path, []string{"keep"}) }
	if got := string(Clean([]byte(raw), keep)); got != `{"c":[],"d":{"f":[null,"",{}]},"keep":null,"n":0,"t":false}` {
		t.Errorf("got %s", got)
	}
	whole := []byte(`{"a":[1,{"b":2}],"c":"x"}`)
	if n := testing.AllocsPerRun(100, func() { Clean(whole, nil) }); n > 4 {
		t.Errorf("%v allocations where nothing is left out", n)
	}
}

func TestFit(t *testing.T) {
	var list rawjson.Array
	for i := range 200 {
		list.Add(fmt.Appendf(nil, `{"id":%d,"text":"some words of a record"}`, i))
	}
	raw := rawjson.Set([]byte(`{"total":200,"items":[]}`), "items", list.Bytes())
	out, cut := Fit(raw, 500, "")
	if cut == nil || cut.Total != 200 || cut.Shown < 20 || cut.What != "items" || rawjson.Weigh(out) > 500 {
		t.Errorf("%d tokens, %+v", rawjson.Weigh(out), cut)
	}
	if same, cut := Fit(raw, 1_000_000, ""); cut != nil || string(same) != string(raw) {
		t.Errorf("cut without need: %+v", cut)
	}
	long := fmt.Appendf(nil, `{"id":1,"log":%s,"list":[%s1]}`, rawjson.Quote(strings.Repeat("línea ", 9000)), strings.Repeat("1,", 5000))
	out, cut = Fit(long, 300, "")
	if cut == nil || rawjson.Weigh(out) > 300 || rawjson.Check(out) != nil || !strings.Contains(string(out), "characters in all)") {
		t.Errorf("%d tokens, %+v: %s", rawjson.Weigh(out), cut, out)
	}
	one := fmt.Appendf(nil, `[{"t":%s},{"t":"x"}]`, rawjson.Quote(strings.Repeat("word ", 4000)))
	if out, cut = Fit(one, 100, ""); cut == nil || cut.Shown != 1 || cut.Total != 2 || rawjson.Weigh(out) > 100 {
		t.Errorf("%+v: %s", cut, out)
	}
}

func TestSummary(t *testing.T) {
	var points, objects, numbers rawjson.Array
	for i := range 100 {
		numbers.AddInt(int64(1)<<60 + int64(i))
		points.Add(fmt.Appendf(nil, `[%d,"%d.5"]`, 1700000000+i*60, i))
		objects.Add(fmt.Appendf(nil, `{"id":%d,"t":"x","cpu":%d,"mem":null}`, i, (i*37)%100))
	}
	raw := fmt.Sprintf(`{"n":%s,"series":[{"name":"a","points":%s}],"o":%s,"short":[1,2]}`, numbers.Bytes(), points.Bytes(), objects.Bytes())
	want := `{"n":{"count":100,"min":1152921504606846976,"max":1152921504606847075,"mean":1152921504606847025.5,"p50":1152921504606847025,"p90":1152921504606847065,"p99":1152921504606847074,"first":1152921504606846976,"last":1152921504606847075,"largest_change":{"from":1152921504606846976,"to":1152921504606846977,"at":1}},` +
		`"series":[{"name":"a","points":{"count":100,"fields":{"0":{"count":100,"min":1700000000,"max":1700005940,"mean":1700002970,"p50":1700002940,"p90":1700005340,"p99":1700005880,"first":1700000000,"last":1700005940,"largest_change":{"from":1700000000,"to":1700000060,"at":1}},"1":{"count":100,"min":0.5,"max":99.5,"mean":50,"p50":49.5,"p90":89.5,"p99":98.5,"first":0.5,"last":99.5,"largest_change":{"from":0.5,"to":1.5,"at":1}}}}}],` +
		`"o":{"count":100,"fields":{"cpu":{"count":100,"min":0,"max":99,"mean":49.5,"p50":49,"p90":89,"p99":98,"first":0,"last":63,"largest_change":{"from":74,"to":11,"at":3}}}},"short":[1,2]}`
	if got := apply(t, raw, Want{Summary: true}); got != want {
		t.Errorf("got %s", got)
	}
}

func TestJQ(t *testing.T) {
	cases := []struct{ raw, program, want string }{
		{`{"b":1152921504606846976,"a":1.0}`, `.`, `{"b":1152921504606846976,"a":1.0}`},
		{`[1152921504606846976]`, `.[0]+1`, `1152921504606846977`},
		{`123456789012345678901234567890`, `.+1`, `123456789012345678901234567891`},
		{issues, `.items[]|.id`, `[1152921504606846976,2,3]`},
		{issues, `.items|map({title,id})`, `[{"title":"a","id":1152921504606846976},{"title":"b","id":2},{"title":"c","id":3}]`},
		{issues, `.items[2]|{z:.id,a:.title}`, `{"z":3,"a":"c"}`},
		{`{"z":1,"a":2}`, `.n=3`, `{"z":1,"a":2,"n":3}`},
		{`{"z":1,"a":2}`, `del(.z)`, `{"a":2}`},
		{`[]`, `.[]`, `[]`},
		{`"<é>"`, `.`, `"<é>"`},
		{`1`, `env|length`, `0`},
		{`1`, `$ENV.PATH`, `null`},
		{`1`, `1, halt, 2`, `1`},
		{`[3.14,0.1]`, `add`, `3.24`},
	}
	for _, c := range cases {
		if got := apply(t, c.raw, Want{JQ: c.program}); got != c.want {
			t.Errorf("%s of %s = %s, want %s", c.program, c.raw, got, c.want)
		}
	}
}

func TestJQFaults(t *testing.T) {
	// Which bound of several a program meets first depends on the machine.
	cases := []struct{ program, says string }{
		{`.a |`, "ends too early"},
		{`.a ] b`, `"]" is not expected at character 4`},
		{`nope`, "nope"},
		{`import "x" as x; .`, "jq: "},
		{`input`, "jq: "},
		{`.a.b`, "expected an object"},
		{`def f: f; f`, "steps|longer than"},
		{`[range(1e12)]`, "steps|longer than|MB"},
		{`range(1e12)`, "over its bound|steps|longer than"},
		{`[range(1000)|"a"*50000000]`, "MB|longer than"},
		{`error("mine")`, "mine"},
	}
	for _, c := range cases {
		_, _, err := Apply(context.Background(), []byte(`{"a":1}`), Want{JQ: c.program})
		var bad *Error
		if !errors.As(err, &bad) || !slices.ContainsFunc(strings.Split(c.says, "|"), func(says string) bool { return strings.Contains(bad.Message, says) }) || bad.Hint == "" {
			t.Errorf("%s: %v", c.program, err)
		}
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Apply(gone, []byte(`1`), Want{JQ: "range(1e12)"}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the caller left: %v", err)
	}
}

func FuzzApply(f *testing.F) {
	f.Add([]byte(issues), "id,owner.login", 1, 1)
	f.Add([]byte(`{"data":{"x":[[1,"2"],[3,"4"],[5,null]]}}`), "data", 0, 2)
	f.Add([]byte(`[{"a":null,"b":""},{"a":{"c":[]}}]`), "a.c", 0, 0)
	f.Fuzz(func(t *testing.T, raw []byte, fields string, offset, limit int) {
		if rawjson.Check(raw) != nil {
			return
		}
		ctx := context.Background()
		for _, want := range []Want{{Limit: limit, Offset: offset}, {Fields: []string{fields}}, {Summary: true}, {Root: fields, Limit: limit}} {
			out, _, err := Apply(ctx, raw, want)
			var bad *Error
			if err != nil && !errors.As(err, &bad) {
				t.Fatalf("%+v of %s: %v", want, raw, err)
			}
			smaller(t, raw, out, err)
		}
		out, _ := Fit(raw, limit, "")
		smaller(t, raw, out, nil)
		smaller(t, raw, Clean(raw, nil), nil)
	})
}

func smaller(t *testing.T, raw, out []byte, err error) {
	t.Helper()
	if err != nil {
		return
	}
	if !json.Valid(out) || len(out) > len(raw) {
		t.Fatalf("%s becomes %s", raw, out)
	}
}

func FuzzJQ(f *testing.F) {
	f.Add([]byte(issues), ".items[]|{id,x:.title}")
	f.Add([]byte(`[1.50,-0,1e400]`), ".")
	f.Fuzz(func(t *testing.T, raw []byte, program string) {
		if rawjson.Check(raw) != nil || len(program) > 30 {
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		out, _, err := Apply(ctx, raw, Want{JQ: program})
		if err == nil && !json.Valid(out) {
			t.Fatalf("%s of %s = %q", program, raw, out)
		}
	})
}

func bigList() []byte {
	var list rawjson.Array
	for i := range 1000 {
		list.Add(fmt.Appendf(nil, `{"id":%d,"title":"title %d","owner":{"login":"someone","id":%d},"body":"some text that is a little longer","closed":null,"cpu":%d.5}`, i, i, i, i%17))
	}
	return list.Bytes()
}

func BenchmarkApply(b *testing.B) {
	raw := bigList()
	for name, want := range map[string]Want{"limit": {Limit: 20}, "fields": {Fields: []string{"id", "owner.login"}}, "summary": {Summary: true}, "jq": {JQ: "map({id,title})"}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, _, err := Apply(context.Background(), raw, want); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("clean", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			Clean(raw, nil)
		}
	})
	b.Run("fit", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			Fit(raw, 4000, "")
		}
	})
}

func TestFieldsInBraces(t *testing.T) {
	cases := []struct{ text, want string }{
		{"id,owner{name},items{id}", "id owner.name items.id"},
		{" id , .owner { name team { id name } } , id", "id owner.name owner.team.id owner.team.name"},
		{"a{b,c{d}},e", "a.b a.c.d e"},
		{"a{}", "a"},
		{"a{b", `! fields has a { without its }`},
		{"a}", `! fields has a } without its {`},
		{"{a}", `! fields has a { without a field`},
		{strings.Repeat("a{", 100) + strings.Repeat("}", 100), `! fields has a {`},
	}
	for _, c := range cases {
		paths, err := Fields(strings.SplitAfter(c.text, ","))
		got := strings.Join(paths, " ")
		if err != nil {
			got = "! " + err.Error()
		}
		if got != c.want && !(err != nil && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestKeys(t *testing.T) {
	cases := []struct{ raw, want string }{
		{`{"total":2,"items":[{"id":1,"owner":{"name":"a"}},{"id":2,"note":"x"}]}`, `["id","owner","owner.name","note","total"]`},
		{`[{"id":1}]`, `["id"]`},
		{`{"id":1,"parts":[{"x":1}]}`, `["id","parts","parts.x"]`},
		{`{"id":1,"keys":[1]}`, `{"keys":[1]}`},
		{`[]`, `[]`},
	}
	for _, c := range cases {
		if got := apply(t, c.raw, Want{Fields: []string{"keys"}}); got != c.want {
			t.Errorf("keys of %s: got %s, want %s", c.raw, got, c.want)
		}
	}
}
