package draft_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/draft"
	"github.com/twodoor/twodoor/source/command"
)

// TestMain: with an argument of its own the test binary is a program made with cobra, or one whose help
// is written by hand.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-test."):
		os.Exit(m.Run())
	case strings.HasSuffix(os.Args[0], "byhand"):
		byHand(os.Args[1:])
	default:
		_ = desk().Execute()
	}
}

func desk() *cobra.Command {
	root := &cobra.Command{Use: "desk", Short: "A desk for issues"}
	issue := &cobra.Command{Use: "issue", Short: "Issues"}
	list := &cobra.Command{Use: "list [state]", Short: "List issues", ValidArgs: []string{"open", "closed"}, Run: func(*cobra.Command, []string) {}}
	list.Flags().Int("count", 20, "how many")
	list.Flags().StringSlice("label", nil, "only with these labels")
	list.Flags().Bool("json", false, "print JSON")
	list.Flags().StringP("output", "o", "", "a file to write")
	issue.AddCommand(list, &cobra.Command{Use: "delete <id>...", Short: "Delete issues", Run: func(*cobra.Command, []string) {}})
	root.AddCommand(issue, &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs, Run: func(*cobra.Command, []string) {}})
	return root
}

func byHand(args []string) {
	switch strings.Join(args, " ") {
	case "--help":
		fmt.Print("byhand - does things\n\nUsage: byhand COMMAND [OPTIONS]\n\nCommands:\n  put     Put a thing somewhere\n  get     Get it back\n\nOptions:\n  -v, --verbose  say more\n")
	case "put --help":
		fmt.Print("Usage: byhand put [--depth <n>] [-q | --quiet] <thing> [<place>]\n\n    -q, --[no-]quiet      be quiet\n    --depth <n>           how deep\n    --upload-pack <path>  what to run\n")
	case "get --help":
		fmt.Fprint(os.Stderr, "usage: byhand get (--all | <thing>...)\n")
		os.Exit(129)
	default:
		os.Exit(1)
	}
}

// drafted is the draft of a program, and what a strict reader makes of it.
func drafted(t *testing.T, program string) (*draft.Draft, *twodoor.Reading, string) {
	t.Helper()
	d, err := draft.Program(t.Context(), draft.Request{Program: program, Environ: os.Environ(), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	text := string(d.YAML())
	reading, err := (&command.Source{Name: "tool", File: "draft.yaml", Text: []byte(text)}).Read(t.Context())
	if err != nil {
		t.Fatalf("the draft cannot be read: %v %+v\n%s", err, twodoor.AsError(err).Fields, text)
	}
	return d, reading, text
}

// linked is this test binary under a name.
func linked(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/" + name
	if err := os.Symlink(self, path); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	return path
}

func TestACobraProgram(t *testing.T) {
	program := linked(t, "desk")
	d, reading, text := drafted(t, program)
	want := `# Drafted from the completion of ` + program + `. Keep five to ten verbs that agents need, give them names like
# commit.list, check every effect, and take out the parameters that nobody needs.
# What may stand in this file: twodoor docs verbs
title: "A desk for issues"
program: "` + program + `"
timeout: 60s
verbs:
  issue.delete:
    title: "Delete issues"
    effect: destroys # a guess, by the word "delete"
    argv: ["issue", "delete", "--", "{id...}"]
    params:
      id: {type: array, required: true}
  issue.list:
    title: "List issues"
    effect: reads # a guess, by the word "list"
    argv: ["issue", "list", "--count={count}", {if: json, args: ["--json"]}, "--label={label...}", "--", "{state}"]
    params:
      count: {type: integer, description: "how many (default 20)"}
      json: {type: boolean, description: "print JSON"}
      label: {type: array, description: "only with these labels"}
      state: {type: string}
    # left out, since programs write files, run others or read configuration by such: --output
    # it can print JSON: write --json in argv, and output: json
  run.version:
    title: "Print the version"
    effect: writes # not known: reads, writes or destroys?
    argv: ["version"]
`
	if text != want || d.Way != "completion" || d.Name != "desk" || len(reading.Operations) != 3 {
		t.Errorf("%s %s, %d operations, drafted\n%s\nwant\n%s", d.Name, d.Way, len(reading.Operations), text, want)
	}
}

func TestHelpThatIsWrittenByHand(t *testing.T) {
	d, _, text := drafted(t, linked(t, "byhand"))
	for _, want := range []string{
		"run.put:", `title: "Put a thing somewhere"`,
		`argv: ["put", {if: quiet, args: ["--quiet"]}, "--depth={depth}", "{thing}", "{place}"]`,
		`depth: {type: string, description: "how deep"}`, "thing: {type: string, required: true}", ": --upload-pack",
		`argv: ["get", "{args...}"]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in the draft\n%s", want, text)
		}
	}
	if d.Way != "help" || len(d.Commands) != 2 {
		t.Errorf("%s: %+v", d.Way, d.Commands)
	}
}

func TestGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git on PATH")
	}
	d, reading, text := drafted(t, "git")
	if len(reading.Operations) < 15 || !strings.Contains(text, "run.clone:") {
		t.Errorf("%d commands\n%.2000s", len(d.Commands), text)
	}
	at := slices.IndexFunc(d.Commands, func(c draft.Command) bool { return c.Path[0] == "clone" })
	if clone := d.Commands[at]; len(clone.Args) != 2 || !clone.Args[0].Required || clone.Args[1].Required || len(clone.Flags) < 20 || !slices.Contains(clone.Unsafe, "--upload-pack") {
		t.Errorf("clone is %+v", clone)
	}
}

func TestAProgramThatSaysNothing(t *testing.T) {
	for _, program := range []string{"true", "no-such-program-of-this-name"} {
		if d, err := draft.Program(t.Context(), draft.Request{Program: program, Environ: os.Environ()}); program != "true" && err == nil {
			t.Errorf("%s was drafted: %+v", program, d)
		}
	}
}
