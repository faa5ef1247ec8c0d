// Command test runs every check of the house, in named groups. It needs only Go; groups that need
// more (the shared corpus, npm) are left out with their reason, or fail with -require.
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

var groups = []group{
	{"format", nil, format},
	{"vet", nil, command("go", "vet", "./...")},
	{"lint", needsNetwork, command("go", "run", "honnef.co/go/tools/cmd/staticcheck@v0.8.2", "./...")},
	{"unit", nil, command("go", "test", "./...")},
	{"race", needsC, command("go", "test", "-race", "-short", "./...")},
	{"node", needsNode, node},
	{"corpus", needsCorpus, command("go", "test", "-count=1", "-run", "Corpus|Parity|Golden|Budget", "./...")},
	{"fuzz", nil, fuzz},
	{"docs", nil, command("go", "test", "-count=1", "-run", "TestDocs|TestRouting|TestHouse", ".", "./cmd/...")},
	{"bench", nil, command("go", "test", "-run", "^$", "-bench", ".", "-benchtime", "10x", "-benchmem", "./...")},
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

// fuzz gives every fuzz target a few seconds.
func fuzz(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "test", "-list", "^Fuzz", "./...").Output()
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

// node installs the programs of other people that speak to us, and runs the tests that use them.
func node(ctx context.Context) error {
	if err := command("bash", "scripts/node-tools.sh")(ctx); err != nil {
		return fmt.Errorf("install the clients: %w", err)
	}
	return command("go", "test", "-count=1", "-run", "Conformance|Client", "./door/mcpserver/...")(ctx)
}

func needsCorpus() string {
	if os.Getenv("TWODOOR_CORPUS") == "" {
		return "TWODOOR_CORPUS does not name the folder of real API descriptions"
	}
	return ""
}

func needsNode() string {
	for _, program := range []string{"npm", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			return "there is no " + program + " on PATH"
		}
	}
	return ""
}

func needsC() string {
	if _, err := exec.LookPath("gcc"); err != nil {
		return "the race detector needs a C compiler, and there is no gcc on PATH"
	}
	return ""
}

func needsNetwork() string {
	if os.Getenv("GOFLAGS") == "-mod=vendor" || os.Getenv("GOPROXY") == "off" {
		return "staticcheck is fetched as a module, and the module proxy is off"
	}
	return ""
}
