package protobuf_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/protobuf"
	"github.com/twodoor/twodoor/twodoortest"
)

var update = flag.Bool("update", false, "write the goldens anew")

// folder is a folder of protos of the tests.
func folder(t testing.TB, name string) string {
	place, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return place
}

func fleet(t testing.TB) *protobuf.Source {
	return &protobuf.Source{Name: "fleet", Files: []string{folder(t, "fleet")}, ImportPaths: []string{folder(t, "fleet")}, Target: "http://fleet.test"}
}

func acme(t testing.TB) *protobuf.Source {
	return &protobuf.Source{
		Name: "acme", Files: []string{filepath.Join(folder(t, "acme"), "acme", "reports")}, ImportPaths: []string{folder(t, "acme")},
		Target: "http://acme.test", Export: twodoor.ExportNone,
	}
}

// TestGoldens holds what becomes of two descriptions: every operation, every shared schema, every
// exception and note.
func TestGoldens(t *testing.T) {
	for name, source := range map[string]*protobuf.Source{"fleet": fleet(t), "acme": acme(t)} {
		reading := twodoortest.Sources(t, source)
		got := shown(t, reading)
		golden := filepath.Join("testdata", name+".golden.json")
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !sameJSON(t, got, want) {
			t.Errorf("%s is not read as %s says; it is:\n%s", name, golden, got)
		}
	}
}

// shown is a reading without what is no promise: places on this disk, and kept descriptors.
func shown(t *testing.T, reading *twodoor.Reading) []byte {
	t.Helper()
	schemas := map[string]json.RawMessage{}
	for name, raw := range reading.Definitions {
		if !strings.HasPrefix(name, "proto") {
			schemas[name] = raw
		}
	}
	operations := slices.Clone(reading.Operations)
	for i := range operations {
		operations[i].At = filepath.Base(operations[i].At)
		operations[i].Plan = rawjson.Delete(operations[i].Plan, "v")
	}
	for i := range reading.Exceptions {
		reading.Exceptions[i].At = filepath.Base(reading.Exceptions[i].At)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(map[string]any{
		"operations": operations, "schemas": schemas, "exceptions": reading.Exceptions, "notes": reading.Notes, "groups": reading.Groups, "lock": reading.Lock,
	}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var left, right any
	for raw, into := range map[*any][]byte{&left: a, &right: b} {
		if err := json.Unmarshal(into, raw); err != nil {
			t.Fatal(err)
		}
	}
	return reflect.DeepEqual(left, right)
}

// find is the operation of an id.
func find(t testing.TB, reading *twodoor.Reading, id string) *twodoor.Operation {
	t.Helper()
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	op, _, err := catalog.Find(id)
	if err != nil || op == nil {
		t.Fatalf("there is no operation %s (%v); there are %v", id, err, reading.Lock.Names)
	}
	return op
}

// TestForeignAnnotations reads a team's own options as they are: its names, hints, permissions and
// export levels.
func TestForeignAnnotations(t *testing.T) {
	reading, err := acme(t).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	op := find(t, reading, "acme.report.archive")
	type facts struct {
		Tool, Title, Description, Permission string
		Export                               twodoor.Export
		Effect                               twodoor.Effect
		Idempotent, OpenWorld                bool
	}
	got := facts{op.Tool, op.Title, op.Description, op.Permission, op.Export, op.Effect, op.Idempotent, op.OpenWorld}
	want := facts{"acme_reports_archive", "Archive a report", "Archive a report by id.", "REPORTS_WRITE", twodoor.ExportAll, twodoor.Writes, true, false}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if tool := op.Spelling().MCP; tool != "acme_reports_archive" {
		t.Errorf("its tool is %s", tool)
	}
	if op := find(t, reading, "acme.report.purge"); op.Export != twodoor.ExportNone || op.Effect != twodoor.Destroys {
		t.Errorf("an internal, destructive method is exported as %q and %s", op.Export, op.Effect)
	}
	if op := find(t, reading, "acme.report.get"); op.Export != twodoor.ExportNone {
		t.Errorf("a method without a level is exported as %q, the source's default is none", op.Export)
	}
}
