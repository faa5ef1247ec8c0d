// Command test runs every check of the house, in named groups. It needs only Go; groups that need
// more (npm, a C compiler, apt, the shared corpus) are left out with their reason, or fail with
// -require.
//
//	go run ./cmd/test                 everything that can run here
//	go run ./cmd/test -only unit,lint
//	go run ./cmd/test -require        a group left out is a failure (CI)
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// group is a set of checks that stands or falls together.
type group struct {
	name  string
	needs func() string // why it cannot run here; empty or nil: it can
	run   func(context.Context) error
}

// The order matters where one group installs what the next one uses.
var groups = []group{
	{"format", nil, format},
	{"vet", nil, command("go", "vet", "./...")},
	{"lint", needsProxy, command("go", "run", "honnef.co/go/tools/cmd/staticcheck@v0.8.2", "./...")},
	{"node", needsNode, command("sh", "scripts/node-tools.sh")}, // clients and servers that the unit tests talk to
	{"corpus", needsCorpus, command("go", "test", "-run", "TestCorpusRead", "./source/openapi")},
	{"unit", nil, command("go", "test", "-timeout", "20m", "./...")},
	{"race", needsC, race},
	{"postgres", needsPostgres, command("sh", "scripts/postgres.sh", "go", "test", "-count=1", "./internal/sqldb", "./shelf", "./journal", "./auth/session", "./cmd/twodoor/internal/app")},
	{"fuzz", nil, fuzz},
	{"bench", nil, command("go", "test", "-run", "^$", "-bench", ".", "-benchtime", "20x", "-benchmem", "./...")},
}

func main() {
	only := flag.String("only", "", "comma list of groups to run: "+strings.Join(names(), ", "))
	require := flag.Bool("require", false, "a group that is left out is a failure")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *require {
		os.Setenv("TWODOOR_REQUIRE", "1")
	}
	os.Exit(runAll(ctx, *only, *require))
}

func names() []string {
	var all []string
	for _, g := range groups {
		all = append(all, g.name)
	}
	return all
}

// runAll runs the chosen groups one after the other and sums up.
func runAll(ctx context.Context, only string, require bool) (status int) {
	var passed, failed, left []string
	for _, g := range groups {
		if only != "" && !slices.Contains(strings.Split(only, ","), g.name) {
			continue
		}
		if g.needs != nil {
			if why := g.needs(); why != "" {
				fmt.Printf("--- left out: %s: %s\n", g.name, why)
				left = append(left, g.name)
				continue
			}
		}
		fmt.Printf("=== %s\n", g.name)
		begun := time.Now()
		if err := g.run(ctx); err != nil {
			fmt.Printf("--- failed: %s: %v\n", g.name, err)
			failed = append(failed, g.name)
			continue
		}
		fmt.Printf("--- passed: %s in %s\n", g.name, time.Since(begun).Round(time.Second))
		passed = append(passed, g.name)
	}
	fmt.Printf("\ngroups passed: %s\n", list(passed))
	fmt.Printf("groups left out: %s\n", list(left))
	fmt.Printf("groups failed: %s\n", list(failed))
	if len(passed) == 0 || len(failed) > 0 || require && len(left) > 0 {
		return 1
	}
	return 0
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// command runs a program with this terminal as its own.
func command(name string, args ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return cmd.Run()
	}
}

// format demands that gofmt has nothing to change.
func format(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "gofmt", "-l", ".").CombinedOutput()
	if err != nil || len(out) > 0 {
		return fmt.Errorf("gofmt -w would change: %s", strings.Join(strings.Fields(string(out)), " "))
	}
	return nil
}

// readers are the rooms that read what comes from outside: their fuzz targets get a few seconds each
// time. TWODOOR_FUZZ=./... fuzzes everything.
var readers = []string{
	"./internal/rawjson", "./internal/rawyaml", "./internal/secret", "./cmd/twodoor/internal/clients", "./cmd/twodoor/internal/config", "./door/cli/internal/args",
	"./door/mcpserver", "./source/guide", "./source/guide/cards", "./source/guide/shelltext", "./source/command", "./source/mcpclient/wire", "./source/openapi", "./source/openapi/jsonpath", "./source/openapi/send",
}

// fuzz gives the fuzz targets a few seconds each.
func fuzz(ctx context.Context) error {
	rooms := readers
	if more := os.Getenv("TWODOOR_FUZZ"); more != "" {
		rooms = strings.Fields(more)
	}
	out, err := exec.CommandContext(ctx, "go", append([]string{"test", "-list", "^Fuzz"}, rooms...)...).Output()
	if err != nil {
		return fmt.Errorf("list the fuzz targets: %w", err)
	}
	var targets []string
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Fuzz") {
			targets = append(targets, line)
		}
		if pkg, ok := strings.CutPrefix(line, "ok "); ok {
			for _, target := range targets {
				if err := fuzzOne(ctx, strings.Fields(pkg)[0], target); err != nil {
					return err
				}
			}
			targets = nil
		}
	}
	return nil
}

func fuzzOne(ctx context.Context, pkg, target string) error {
	err := command("go", "test", "-run", "^$", "-fuzz", "^"+target+"$", "-fuzztime", "3s", pkg)(ctx)
	if err != nil {
		return fmt.Errorf("%s in %s: %w", target, pkg, err)
	}
	return nil
}

// race runs the shorter tests under the race detector. The corpus is left to the unit group: it is
// about what is read, not about who reads at once.
func race(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-race", "-short", "-timeout", "20m", "./...")
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "TWODOOR_") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

func needsCorpus() string {
	if os.Getenv("TWODOOR_CORPUS") == "" {
		return "TWODOOR_CORPUS does not name the folder of real API descriptions"
	}
	return ""
}

func needsNode() string {
	for _, program := range []string{"npm", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			return "there is no " + program + " on PATH"
		}
	}
	return ""
}

func needsPostgres() string {
	for _, program := range []string{"apt-get", "initdb"} {
		if _, err := exec.LookPath(program); err == nil {
			return ""
		}
	}
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) > 0 {
		return ""
	}
	return "there is neither PostgreSQL nor apt to install it"
}

func needsC() string {
	if _, err := exec.LookPath("gcc"); err != nil {
		return "the race detector needs a C compiler, and there is no gcc on PATH"
	}
	return ""
}

func needsProxy() string {
	if os.Getenv("GOFLAGS") == "-mod=vendor" || os.Getenv("GOPROXY") == "off" {
		return "staticcheck is fetched as a module, and the module proxy is off"
	}
	return ""
}
