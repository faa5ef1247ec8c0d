package protobuf_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/protobuf"
	"github.com/twodoor/twodoor/source/protobuf/descriptors"
)

// setOf is a descriptor set of files of the tests: those alone that wanted names, or all.
func setOf(t testing.TB, name string, wanted ...string) *descriptorpb.FileDescriptorSet {
	t.Helper()
	input := &descriptors.Input{Files: []string{folder(t, name)}, ImportPaths: []string{folder(t, name)}}
	set, err := input.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out := &descriptorpb.FileDescriptorSet{}
	for _, f := range set.All() {
		if len(wanted) == 0 || slices.Contains(wanted, f.Path()) {
			file := protodesc.ToFileDescriptorProto(f)
			if with, ok := f.(interface {
				FileDescriptorProto() *descriptorpb.FileDescriptorProto
			}); ok {
				file = with.FileDescriptorProto()
			}
			out.File = append(out.File, file)
		}
	}
	return out
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	raw, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// fromBytes is a source whose descriptors are these bytes.
func fromBytes(name string, raw []byte) *protobuf.Source {
	return &protobuf.Source{
		Name: name, Descriptors: "https://descriptors.test/api.binpb", Target: "http://" + name + ".test",
		Fetch: func(context.Context, string) ([]byte, error) { return raw, nil },
	}
}

// TestSets reads descriptor sets as files are read: binary, as JSON, as a buf image, and without the
// files that declare the options.
func TestSets(t *testing.T) {
	want, err := fleet(t).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	whole, bare := setOf(t, "fleet"), setOf(t, "fleet", "fleet/v1/fleet.proto")
	text, err := protojson.Marshal(bare)
	if err != nil {
		t.Fatal(err)
	}
	image := setOf(t, "fleet")
	for _, file := range image.File {
		if file.GetName() != "fleet/v1/fleet.proto" { // buf_extension {is_import: true}
			file.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 8042, protowire.BytesType), []byte{8, 1}))
		}
	}
	for name, raw := range map[string][]byte{"whole": marshal(t, whole), "bare": marshal(t, bare), "image": marshal(t, image), "JSON": text} {
		got, err := fromBytes("fleet", raw).Read(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == "JSON" { // options have no JSON without their descriptors
			continue
		}
		if a, b := shown(t, got), shown(t, want); string(a) != string(b) {
			t.Errorf("a set (%s) is read otherwise than its files:\n%s", name, a)
		}
	}
}

// TestInputFaults says what is wrong with a description and where.
func TestInputFaults(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		place := filepath.Join(dir, name)
		if err := os.WriteFile(place, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return place
	}
	gap := write("gap.proto", "syntax = \"proto3\";\nimport \"nowhere/gap.proto\";\n")
	broken := write("broken.proto", "syntax = \"proto3\";\nmessage A {\n  strin name = 1;\n}\n")
	torn := write("torn.binpb", "\x0a\xff\x01")
	for name, each := range map[string]struct {
		source protobuf.Source
		says   []string
	}{
		"missing import": {protobuf.Source{Files: []string{gap}, ImportPaths: []string{dir}}, []string{gap + ":2", `"nowhere/gap.proto"`, "looked in " + dir, "bundled"}},
		"unknown type":   {protobuf.Source{Files: []string{broken}}, []string{broken + ":3", "strin"}},
		"no such file":   {protobuf.Source{Files: []string{filepath.Join(dir, "none.proto")}}, []string{"there is no file", "none.proto"}},
		"empty folder":   {protobuf.Source{Files: []string{t.TempDir()}}, []string{"no .proto file"}},
		"torn set":       {protobuf.Source{Descriptors: torn}, []string{torn, "no descriptor set"}},
		"no such set":    {protobuf.Source{Descriptors: filepath.Join(dir, "none.binpb")}, []string{"there is no file"}},
		"wire":           {protobuf.Source{Descriptors: torn, Wire: "soap"}, []string{"no wire", "soap"}},
		"nothing":        {protobuf.Source{}, []string{"files, descriptors or reflection"}},
	} {
		each.source.Name = "x"
		_, err := each.source.Read(t.Context())
		fault := twodoor.AsError(err)
		if fault == nil || fault.Code != twodoor.CodeInvalid {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, part := range each.says {
			if !strings.Contains(fault.Message, part) {
				t.Errorf("%s: %q does not say %q", name, fault.Message, part)
			}
		}
	}
}

// TestGap refuses by name the methods whose messages are missing from a set, and serves the others.
func TestGap(t *testing.T) {
	set := setOf(t, "fleet", "fleet/v1/fleet.proto")
	method := set.File[0].Service[0].Method[0]
	method.InputType = proto.String(".elsewhere.v1.Missing")
	reading, err := fromBytes("fleet", marshal(t, set)).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(reading.Operations) != 4 || !slices.ContainsFunc(reading.Exceptions, func(e twodoor.Exception) bool { return strings.Contains(e.Reason, "elsewhere.v1.Missing") }) {
		t.Errorf("%d operations, exceptions %+v", len(reading.Operations), reading.Exceptions)
	}
}

// TestKeptNames moves no name that was given before.
func TestKeptNames(t *testing.T) {
	source := fleet(t)
	source.Kept.Names = map[string]string{"fleet.v1.ShipService/GetShip": "vessel.fetch", "fleet.v1.ShipService/Gone": "ship.list"}
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := reading.Lock.Names
	if names["fleet.v1.ShipService/GetShip"] != "vessel.fetch" || names["fleet.v1.ShipService/ListShips"] != "ship.list-ships" || names["fleet.v1.ShipService/Gone"] != "ship.list" {
		t.Errorf("names %v", names)
	}
}

// TestConfigured lays what the configuration says over what the files say.
func TestConfigured(t *testing.T) {
	source := fleet(t)
	source.Operations = map[string]json.RawMessage{
		"fleet.ship.*":                 json.RawMessage(`{"guide":"ships","open_world":true}`),
		"fleet.v1.ShipService/GetShip": json.RawMessage(`{"name":"vessel.show","title":"Show","rename":{"name":"ship"}}`),
	}
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	op := find(t, reading, "fleet.vessel.show")
	if op.Title != "Show" || !slices.Equal(op.Guides, []string{"ships"}) || !op.OpenWorld || !slices.Equal(op.Positional, []string{"ship"}) {
		t.Errorf("got %+v", op)
	}
	if !strings.Contains(string(op.Input), `"ship":{"type":"string"`) {
		t.Errorf("its input is %s", op.Input)
	}
}

// FuzzDescriptors holds that no descriptor set, however damaged, is more than an error.
func FuzzDescriptors(f *testing.F) {
	f.Add(marshal(f, setOf(f, "fleet", "fleet/v1/fleet.proto")))
	f.Add(marshal(f, setOf(f, "acme", "acme/reports/v1/reports.proto")))
	f.Add([]byte(`{"file":[{"name":"a.proto","service":[{"name":"S","method":[{"name":"M","inputType":".A","outputType":".A"}]}],"messageType":[{"name":"A"}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		reading, err := fromBytes("x", raw).Read(t.Context())
		if err != nil {
			return
		}
		if _, err := twodoor.NewCatalog(reading); err != nil {
			t.Errorf("no catalog of what was read: %v", err)
		}
	})
}

// TestDamaged reads sets of which some bytes are wrong: an error or a reading, never a crash.
func TestDamaged(t *testing.T) {
	seeds := [][]byte{marshal(t, setOf(t, "fleet", "fleet/v1/fleet.proto")), marshal(t, setOf(t, "acme", "acme/reports/v1/reports.proto"))}
	dice := rand.New(rand.NewPCG(3, 4))
	refused := 0
	for i := range 600 {
		raw := slices.Clone(seeds[i%2])
		for range 1 + dice.IntN(4) {
			raw[dice.IntN(len(raw))] = byte(dice.IntN(256))
		}
		reading, err := fromBytes("x", raw).Read(t.Context())
		if err != nil {
			refused++
			continue
		}
		if _, err := twodoor.NewCatalog(reading); err != nil {
			t.Errorf("no catalog of what was read: %v", err)
		}
	}
	if refused == 0 || refused == 600 {
		t.Errorf("%d of 600 are refused", refused)
	}
}
