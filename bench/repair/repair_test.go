package repair

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi"
)

const (
	calls  = 240 // of each way of being wrong the same number
	enough = 95  // percent of them that one retry must mend
)

// TestOneRetryIsEnough makes wrong calls and does what their errors say, and nothing else.
func TestOneRetryIsEnough(t *testing.T) {
	folder := os.Getenv("TWODOOR_CORPUS")
	if folder == "" {
		t.Skip("TWODOOR_CORPUS is unset: no real descriptions to call wrongly")
	}
	houses := houses(t, folder)
	random := rand.New(rand.NewPCG(3, 7))
	var all tally
	for _, way := range ways {
		var of tally
		for made := 0; made < calls/len(ways); made++ {
			h := houses[made%len(houses)]
			wrong := h.wrong(t, random, way)
			of.count(t, h, wrong)
		}
		t.Logf("%-9s %s", way.name, of)
		all.add(of)
	}
	t.Logf("%-9s %s", "all", all)
	if 100*all.byHint < enough*all.calls || 100*all.byFields < enough*all.calls {
		t.Errorf("one retry mends %d and %d of %d calls, want %d %%", all.byHint, all.byFields, all.calls, enough)
	}
	if 100*all.kept < enough*all.parts {
		t.Errorf("the call in the hint keeps %d of %d good parts, want %d %%", all.kept, all.parts, enough)
	}
}

// house is a description that calls are checked against. What fits is not sent anywhere.
type house struct {
	*twodoor.Engine
	name string
	ids  []string
}

type nowhere struct{}

func (nowhere) Invoke(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
	return &twodoor.Value{}, nil
}

func houses(t *testing.T, folder string) (houses []*house) {
	files, err := filepath.Glob(filepath.Join(folder, "openapi", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no descriptions in %s (%v)", folder, err)
	}
	for _, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		reading, err := (&openapi.Source{Name: "api", File: file, Target: "http://nowhere.test"}).Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		catalog, err := twodoor.NewCatalog(reading)
		if err != nil {
			t.Fatal(err)
		}
		h := &house{&twodoor.Engine{Invokers: map[string]twodoor.Invoker{openapi.Kind: nowhere{}}}, name, nil}
		h.Serve(catalog)
		for _, op := range reading.Operations {
			h.ids = append(h.ids, op.ID)
		}
		houses = append(houses, h)
	}
	return houses
}

// call is nil where the arguments fit.
func (h *house) call(id string, args []byte) *twodoor.Error {
	_, err := h.Do(context.Background(), twodoor.Call{Operation: id, Arguments: args, Door: twodoor.DoorMCP, Principal: twodoor.Operator})
	return twodoor.AsError(err)
}

// tally counts calls and what became of them.
type tally struct {
	calls, byHint, byFields int
	parts, kept             int // members of the calls that were right, and those in the hint's call
	weights                 []int
}

func (c *tally) count(t *testing.T, h *house, w wrongCall) {
	c.calls++
	c.weights = append(c.weights, w.weight())
	shown, ok := fromHint(w.fault.Hint)
	if ok && h.call(w.id, shown) == nil {
		c.byHint++
	} else {
		t.Logf("%s %s: the hint does not fit: %.300s\n   for %.300s", h.name, w.id, w.fault.Hint, w.args)
	}
	for _, name := range w.right {
		c.parts++
		was, _ := rawjson.Get(w.args, name)
		if is, there := rawjson.Get(shown, name); there && rawjson.Equal(was, is) {
			c.kept++
		} else {
			t.Logf("%s %s: %s is lost: %.300s\n   for %.300s", h.name, w.id, name, w.fault.Hint, w.args)
		}
	}
	obeyed := obey(w.args, w.fault.Fields)
	if left := h.call(w.id, obeyed); left == nil {
		c.byFields++
	} else {
		t.Logf("%s %s: after what the fields say: %v\n   %.300s\n   was %.300s\n   is  %.300s", h.name, w.id, left.Fields, describe(w.fault.Fields), w.args, obeyed)
	}
}

func describe(problems []twodoor.Problem) []byte {
	raw, _ := json.Marshal(problems)
	return raw
}

func (c *tally) add(o tally) {
	c.calls, c.byHint, c.byFields = c.calls+o.calls, c.byHint+o.byHint, c.byFields+o.byFields
	c.parts, c.kept = c.parts+o.parts, c.kept+o.kept
	c.weights = append(c.weights, o.weights...)
}

func (c tally) String() string {
	sorted := slices.Sorted(slices.Values(c.weights))
	n := len(sorted)
	return fmt.Sprintf("%3d wrong calls; mended by the example %3d, by the fields %3d; good parts kept %d of %d; error ≈%d tokens, p95 %d, at most %d",
		c.calls, c.byHint, c.byFields, c.kept, c.parts, sorted[n/2], sorted[n*95/100], sorted[n-1])
}
