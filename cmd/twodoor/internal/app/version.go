package app

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/twodoor/twodoor/door/cli"
)

// Version is which build of the program this is.
type Version struct {
	Number  string   `json:"version"`
	Commit  string   `json:"commit,omitempty"`
	Date    string   `json:"date,omitempty"`
	Dirty   bool     `json:"dirty,omitempty"`
	Go      string   `json:"go"`
	MCP     []string `json:"mcp"`     // protocol revisions served
	OpenAPI []string `json:"openapi"` // versions read
}

// VersionOf completes the number that was linked in, if any, from what the toolchain recorded.
func VersionOf(linked string) Version {
	v := Version{
		Number: linked, Go: runtime.Version(), OpenAPI: []string{"2.0", "3.0", "3.1"},
		MCP: []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		v.Number = orElse(v.Number, "devel")
		return v
	}
	if v.Number == "" && info.Main.Version != "(devel)" {
		v.Number = info.Main.Version
	}
	v.Number = orElse(v.Number, "devel")
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Commit = setting.Value
		case "vcs.time":
			v.Date = setting.Value
		case "vcs.modified":
			v.Dirty = setting.Value == "true"
		}
	}
	return v
}

// String is the version in a word: "1.2.0", or "devel 1a2b3c4d5e6f".
func (v Version) String() string {
	if v.Number != "devel" || v.Commit == "" {
		return v.Number
	}
	return "devel " + v.Commit[:min(12, len(v.Commit))]
}

func (r *run) versionCommand() cli.Command {
	return cli.Command{
		Name: "version", Short: "Tell which build this is", Example: "twodoor version -o json",
		Run: func(_ context.Context, in *cli.Invocation) error {
			if _, asked := in.Output(); asked {
				return in.Print(r.carried())
			}
			if r.Pack != nil {
				fmt.Fprintf(in.Stdout, "%s %s, packed by\n", r.name(), r.release())
			}
			_, err := fmt.Fprintf(in.Stdout, "twodoor %s (%s, %s/%s)\n", r.Version, r.Version.Go, runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
