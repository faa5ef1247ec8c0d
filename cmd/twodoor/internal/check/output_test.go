package check

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/twodoor/twodoor/source/guide"
)

func TestOutputs(t *testing.T) {
	findings := []guide.Finding{
		{File: "a,b.md", Line: 3, Column: 2, Kind: guide.UnknownFlag, Message: "no\nsuch 5%", Fix: "--x"},
		{File: "c.md", Line: 1, Column: 1, Kind: guide.OldName, Note: true, Message: "old"},
	}
	if got, want := GitHub(findings), "::error file=a%2Cb.md,line=3,col=2,title=unknown-flag::no%0Asuch 5%25 → --x\n::notice file=c.md,line=1,col=1,title=old-name::old\n"; got != want {
		t.Errorf("%s", got)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID, Level string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(SARIF(findings, "1"), &log); err != nil {
		t.Fatal(err)
	}
	first := log.Runs[0].Results[0]
	if log.Version != "2.1.0" || len(log.Runs[0].Tool.Driver.Rules) != 2 || first.RuleID != "unknown-flag" || first.Level != "error" ||
		first.Locations[0].PhysicalLocation.ArtifactLocation.URI != "a,b.md" || first.Locations[0].PhysicalLocation.Region.StartColumn != 2 || log.Runs[0].Results[1].Level != "note" {
		t.Errorf("%+v", log)
	}
}

func TestGather(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"README.md", "docs/a.MD", "docs/b.txt", "node_modules/c.md", ".git/d.md", ".claude/e.md", "testdata/f.md", "x.md"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Gather([]string{dir, filepath.Join(dir, "x.md"), filepath.Join(dir, "testdata/f.md")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		rel, _ := filepath.Rel(dir, f.Path)
		got = append(got, rel)
	}
	want := []string{".claude/e.md", "README.md", "docs/a.MD", "testdata/f.md", "x.md"}
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%v", got)
		}
	}
	if _, err := Gather([]string{filepath.Join(dir, "nothing")}); err == nil {
		t.Error("a path that is not there is no error")
	}
}
