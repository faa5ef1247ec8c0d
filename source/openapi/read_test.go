package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
	"github.com/twodoor/twodoor/internal/schema/hosts"
	"github.com/twodoor/twodoor/source/openapi/plan"
	"golang.org/x/tools/txtar"
)

// rewrite writes what was read into the archives of testdata/read: review the difference like code.
var rewrite = flag.Bool("update", false, "rewrite the archives of testdata/read")

// setting is the file config.json of an archive: how the source is configured there.
type setting struct {
	File       string                     `json:"file"`
	Overlays   []string                   `json:"overlays"`
	Target     string                     `json:"target"`
	Variables  map[string]string          `json:"variables"`
	Naming     string                     `json:"naming"`
	Prefix     string                     `json:"prefix"`
	Kept       twodoor.Lock               `json:"kept"`
	MaxBytes   int64                      `json:"max_bytes"`
	Operations map[string]json.RawMessage `json:"operations"`
}

// got is what an archive's want.json holds.
type got struct {
	Error       string                     `json:"error,omitempty"`
	Hint        string                     `json:"hint,omitempty"`
	Operations  []twodoor.Operation        `json:"operations,omitempty"`
	Definitions map[string]json.RawMessage `json:"definitions,omitempty"`
	Exceptions  []twodoor.Exception        `json:"exceptions,omitempty"`
	Skipped     []twodoor.Exception        `json:"skipped,omitempty"`
	Groups      map[string]string          `json:"groups,omitempty"`
	Notes       []string                   `json:"notes,omitempty"`
	Origins     []string                   `json:"origins,omitempty"`
}

// TestRead reads every archive of testdata/read: the document in, the operations out.
func TestRead(t *testing.T) {
	archives, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { readArchive(t, path) })
	}
}

func readArchive(t *testing.T, path string) {
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	reading, failure := unpack(t, archive).Read(context.Background())
	out := got{}
	if failure != nil {
		out.Error = failure.Error()
		if fault, ok := errors.AsType[*twodoor.Error](failure); ok {
			out.Hint = fault.Hint
		}
	} else {
		out = got{Operations: reading.Operations, Definitions: reading.Definitions, Exceptions: reading.Exceptions, Skipped: reading.Skipped,
			Groups: reading.Groups, Origins: reading.Origins}
		for _, note := range reading.Notes {
			if !strings.HasPrefix(note, "named by ") {
				out.Notes = append(out.Notes, note)
			}
		}
		checkReading(t, reading)
	}
	text := encodeGot(t, out)
	for i, file := range archive.Files {
		if file.Name != "want.json" {
			continue
		}
		if *rewrite {
			archive.Files[i].Data = text
			break
		}
		if !rawjson.Equal(text, file.Data) {
			t.Errorf("got:\n%s\nwant:\n%s", text, file.Data)
		}
		return
	}
	if !*rewrite {
		t.Fatal("no want.json in it: run with -update and review it")
	}
	if archive.Files[len(archive.Files)-1].Name != "want.json" {
		archive.Files = append(archive.Files, txtar.File{Name: "want.json", Data: text})
	}
	if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
		t.Fatal(err)
	}
}

// encodeGot writes what was read, paths of this machine left out.
func encodeGot(t *testing.T, out got) []byte {
	t.Helper()
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// unpack writes an archive's files and makes the source of its config.json. The test runs in the
// folder of the files, so that places are told as people see them.
func unpack(t *testing.T, archive *txtar.Archive) *Source {
	t.Helper()
	t.Chdir(t.TempDir())
	set := setting{File: archive.Files[0].Name}
	for _, file := range archive.Files {
		switch file.Name {
		case "config.json":
			if err := json.Unmarshal(file.Data, &set); err != nil {
				t.Fatal(err)
			}
			continue
		case "want.json":
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file.Name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file.Name, file.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if set.File == "config.json" {
		set.File = archive.Files[1].Name
	}
	return &Source{Name: "api", File: set.File, Overlays: set.Overlays, Target: set.Target, Variables: set.Variables, Naming: set.Naming,
		Prefix: set.Prefix, Kept: set.Kept, MaxBytes: set.MaxBytes, Operations: set.Operations}
}

// checkReading holds what is true of every reading: its catalog builds, its schemas compile, hosts
// take them, its examples fit.
func checkReading(t *testing.T, r *twodoor.Reading) {
	t.Helper()
	catalog, err := twodoor.NewCatalog(r)
	if err != nil {
		t.Fatal(err)
	}
	var shared, whole rawjson.Object
	for _, name := range slices.Sorted(maps.Keys(r.Definitions)) {
		shared.Put(name, r.Definitions[name])
	}
	whole.Put("$defs", shared.Bytes())
	if _, err := schema.Compile(whole.Bytes()); err != nil {
		t.Errorf("the shared schemas do not compile: %v", err)
	}
	for i := range catalog.Len() {
		op, err := catalog.At(i)
		if err != nil {
			t.Fatal(err)
		}
		checkOperation(t, op)
	}
}

func checkOperation(t *testing.T, op *twodoor.Operation) {
	t.Helper()
	if name := op.Spelling().MCP; len(name) > twodoor.MaxToolName {
		t.Errorf("%s: the tool name %s is longer than %d", op.ID, name, twodoor.MaxToolName)
	}
	check, err := schema.Compile(op.InputSchema())
	if err != nil {
		t.Errorf("%s: its input does not compile: %v", op.Origin, err)
		return
	}
	listed := hosts.Rewrite(op.InputSchema())
	for _, host := range hosts.All() {
		for _, v := range hosts.Check(listed, host) {
			t.Errorf("%s: %s refuses its input at %s: %s", op.Origin, v.Host, v.Path, v.Message)
		}
	}
	if len(op.Output) > 0 { // its definitions are compiled once for all operations
		if _, err := schema.Compile(schema.Close(op.Output, func(string) []byte { return nil })); err != nil {
			t.Errorf("%s: its output does not compile: %v", op.Origin, err)
		}
	}
	for _, example := range op.Examples {
		if problems := check.Check(check.Fit(example.Arguments)); len(problems) > 0 {
			t.Errorf("%s: its example does not fit: %v", op.Origin, problems)
		}
	}
	var p plan.Plan
	if err := json.Unmarshal(op.Plan, &p); err != nil {
		t.Errorf("%s: its plan: %v", op.Origin, err)
	}
}
