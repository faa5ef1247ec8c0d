package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi"
)

// Bounds of help, in estimated tokens.
const (
	sourceHelp  = 1000
	groupHelp   = 1500
	commandHelp = 1500
)

// TestCorpusHelpKeepsItsBudget holds the help of every source, every group and many commands of the
// corpus under its bound.
func TestCorpusHelpKeepsItsBudget(t *testing.T) {
	corpus := os.Getenv("TWODOOR_CORPUS")
	if corpus == "" {
		t.Skip("TWODOOR_CORPUS does not name the folder of real API descriptions")
	}
	files, err := filepath.Glob(filepath.Join(corpus, "openapi", "*.[jy]*"))
	if err != nil || len(files) < 8 {
		t.Fatalf("descriptions: %v %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			reading, err := (&openapi.Source{Name: "api", File: file}).Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			catalog, err := twodoor.NewCatalog(reading)
			if err != nil {
				t.Fatal(err)
			}
			engine := &twodoor.Engine{}
			engine.Serve(catalog)
			heaviest := map[int]int{}
			for _, words := range helps(catalog) {
				weight := weighHelp(t, engine, words)
				bound := []int{sourceHelp, groupHelp, commandHelp}[len(words)-1]
				if weight > bound {
					t.Errorf("%s --help weighs ≈%d tokens, at most %d are allowed", strings.Join(words, " "), weight, bound)
				}
				heaviest[len(words)] = max(heaviest[len(words)], weight)
			}
			t.Logf("heaviest: source %d, group %d, command %d", heaviest[1], heaviest[2], heaviest[3])
		})
	}
}

// helps are the words of the source, of all its groups, and of every fifth command.
func helps(catalog *twodoor.Catalog) [][]string {
	all := [][]string{{"api"}}
	last := ""
	for i, entry := range catalog.Entries() {
		words := twodoor.Spell(entry.ID, "").CLI
		if words[1] != last {
			all = append(all, words[:2])
			last = words[1]
		}
		if i%5 == 0 {
			all = append(all, words)
		}
	}
	return all
}

func weighHelp(t *testing.T, engine *twodoor.Engine, words []string) int {
	t.Helper()
	var out, fault bytes.Buffer
	door := &cli.Door{Engine: engine, Principal: twodoor.Operator, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &fault}
	if status := door.Run(t.Context(), append(words[:len(words):len(words)], "--help")); status != 0 || out.Len() == 0 {
		t.Fatalf("%v --help exits %d: %s", words, status, fault.Bytes())
	}
	return rawjson.Weigh(out.Bytes())
}
