package cobratree_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cobratree"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/twodoortest"
)

// TestMain: with any argument of its own the test binary is the program whose commands are served.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		root := program()
		options := cobratree.Options{Allow: []string{"output"}, Text: []string{"body"}, Environ: os.Environ()}
		if os.Getenv("APART") != "" {
			options.Apart = true
		}
		root.AddCommand(cobratree.Command(root, options))
		if root.Execute() != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// kept is what many programs do: they take stdout into a variable of their own.
var kept io.Writer = os.Stdout

// program is a program that does to its streams whatever programs do.
func program() *cobra.Command {
	root := &cobra.Command{Use: "desk", Short: "A desk", Version: "1.2.3"}
	root.PersistentFlags().Bool("verbose", false, "say more")
	root.PersistentFlags().String("config", "", "a file of settings")
	add := func(parent *cobra.Command, c *cobra.Command) *cobra.Command {
		parent.AddCommand(c)
		return c
	}
	issue := add(root, &cobra.Command{Use: "issue", Short: "Issues"})
	create := add(issue, &cobra.Command{
		Use: "create <title>", Short: "Create an issue", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags := map[string]any{"title": args[0]}
			flags["labels"], _ = cmd.Flags().GetStringSlice("label")
			flags["count"], _ = cmd.Flags().GetInt("count")
			flags["body"], _ = cmd.Flags().GetString("body")
			flags["verbose"], _ = cmd.Flags().GetBool("verbose")
			return json.NewEncoder(cmd.OutOrStdout()).Encode(flags)
		},
	})
	create.Flags().StringSlice("label", nil, "labels")
	create.Flags().Int("count", 7, "how many")
	create.Flags().String("body", "", "the text")
	create.Flags().String("output", "json", "how to print")
	create.Flags().String("exec", "", "what to run")
	add(issue, &cobra.Command{Use: "list [state]", Short: "List issues", ValidArgs: []string{"open", "closed"}, Run: func(cmd *cobra.Command, _ []string) {
		fmt.Println("direct") // not through cobra
		fmt.Fprintln(kept, "kept")
		child := exec.Command("echo", "child")
		child.Stdout = os.Stdout
		_ = child.Run()
		cmd.PrintErrln("not an answer")
		fmt.Fprintln(cmd.OutOrStdout(), "last")
	}})
	add(issue, &cobra.Command{Use: "purge NAME...", Short: "Purge", Annotations: map[string]string{cobratree.EffectKey: "writes"}, RunE: func(*cobra.Command, []string) error {
		fmt.Fprintln(os.Stdout, "some words")
		return errors.New("nothing is there")
	}})
	add(root, &cobra.Command{Use: "read", Short: "Reads its input", RunE: func(cmd *cobra.Command, _ []string) error {
		text, err := bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Printf("%q %v", text, err)
		return nil
	}})
	add(root, &cobra.Command{Use: "crash", RunE: func(*cobra.Command, []string) error { panic("on purpose") }})
	add(root, &cobra.Command{Use: "leave", Run: func(*cobra.Command, []string) { os.Exit(3) }})
	add(root, &cobra.Command{Use: "flood", Args: cobra.NoArgs, Run: func(*cobra.Command, []string) {
		fmt.Print(strings.Repeat("x", 9<<20))
	}})
	add(root, &cobra.Command{Use: "wait", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		time.Sleep(50 * time.Millisecond)
		fmt.Print("waited")
		return cmd.Context().Err()
	}})
	add(root, &cobra.Command{Use: "raw", DisableFlagParsing: true, Run: func(*cobra.Command, []string) {}})
	add(root, &cobra.Command{Use: "secret", Hidden: true, Run: func(*cobra.Command, []string) {}})
	return root
}

// served is an engine over the program, in this process.
func served(t *testing.T, options cobratree.Options) (*twodoor.Engine, *twodoor.Reading) {
	t.Helper()
	tree := cobratree.New(program(), options)
	reading := twodoortest.Sources(t, tree)
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{cobratree.Kind: tree}}
	engine.Serve(catalog)
	return engine, reading
}

func do(t *testing.T, engine *twodoor.Engine, id, args string) (string, *twodoor.Error) {
	t.Helper()
	result, err := engine.Do(t.Context(), twodoor.Call{Operation: id, Arguments: json.RawMessage(args), Principal: twodoor.Operator})
	if err != nil {
		return "", twodoor.AsError(err)
	}
	return string(result.Value), nil
}

func TestCommandsBecomeOperations(t *testing.T) {
	_, reading := served(t, cobratree.Options{Allow: []string{"output"}})
	var got []string
	for _, op := range reading.Operations {
		got = append(got, fmt.Sprintf("%s %s %s %v", op.ID, op.Tool, op.Effect, op.Positional))
	}
	want := `desk.issue.create desk_issue_create writes [title]
desk.issue.list desk_issue_list reads [state]
desk.issue.purge desk_issue_purge writes [name]
desk.program.crash desk_crash writes [args]
desk.program.flood desk_flood writes []
desk.program.leave desk_leave writes [args]
desk.program.read desk_read writes [args]
desk.program.wait desk_wait writes []`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	input := `{"type":"object","properties":{"body":{"type":"string","description":"the text"},"count":{"type":"integer","description":"how many","default":7},
		"label":{"type":"array","items":{"type":"string"},"description":"labels"},"output":{"type":"string","description":"how to print","default":"json"},
		"verbose":{"type":"boolean","description":"say more"},"title":{"type":"string"}},"required":["title"],"additionalProperties":false}`
	if op := reading.Operations[0]; !rawjson.Equal(op.Input, []byte(input)) {
		t.Errorf("the input is %s", op.Input)
	}
	if state, _ := rawjson.GetPath(reading.Operations[1].Input, "properties", "state"); string(state) != `{"type":"string","enum":["open","closed"]}` {
		t.Errorf("words that the program knows: %s", state)
	}
	if len(reading.Exceptions) != 1 || reading.Exceptions[0].Operation != "raw" {
		t.Errorf("the exceptions are %v", reading.Exceptions)
	}
}

func TestChosenCommands(t *testing.T) {
	_, reading := served(t, cobratree.Options{Commands: []string{"issue list"}, Name: "d", Effects: map[string]twodoor.Effect{"issue list": twodoor.Destroys}})
	if len(reading.Operations) != 1 || reading.Operations[0].ID != "d.issue.list" || reading.Operations[0].Effect != twodoor.Destroys {
		t.Errorf("got %+v", reading.Operations)
	}
	if _, err := cobratree.New(program(), cobratree.Options{Commands: []string{"issue nothing"}}).Read(t.Context()); err == nil {
		t.Error("a command that there is not was chosen")
	}
}

// Flags of one call are not those of the next.
func TestACallLeavesNothingBehind(t *testing.T) {
	engine, _ := served(t, cobratree.Options{Text: []string{"body"}})
	for args, want := range map[string]string{
		`{"title":"a b","label":["x","y,z","\"q\""],"count":3,"verbose":true,"body":"-one\ntwo"}`: `{"body":"-one\ntwo","count":3,"labels":["x","y,z","\"q\""],"title":"a b","verbose":true}`,
		`{"title":"--"}`: "",
		`{"title":"b"}`:  `{"count":7,"labels":[],"title":"b","verbose":false}`,
	} {
		if got, fault := do(t, engine, "desk.issue.create", args); got != want || (fault != nil) != (want == "") {
			t.Errorf("%s became %s, %v", args, got, fault)
		}
	}
}

func TestInjectionsAreRefused(t *testing.T) {
	engine, _ := served(t, cobratree.Options{})
	for _, value := range []string{"--help", "-x", "--output=x", "@/etc/passwd", "a\nb", "a\x00b", strings.Repeat("a", 1<<20), "-", "--"} {
		for _, name := range []string{"title", "body", "label"} {
			if glued := name != "title" && strings.HasPrefix(value, "-") && value != "-"; glued {
				continue // --body=--help is a value
			}
			args := map[string]any{"title": "t", name: value}
			if name == "label" {
				args[name] = []string{value}
			}
			raw, _ := json.Marshal(args)
			if got, fault := do(t, engine, "desk.issue.create", string(raw)); fault == nil || fault.Code != twodoor.CodeInvalid || !strings.Contains(fault.Message, "nothing was run") {
				t.Errorf("%.20q in %s: %s, %v", value, name, got, fault)
			}
		}
	}
	for _, flag := range []string{"config", "exec", "output"} { // none of these is served unless it is allowed
		if _, fault := do(t, engine, "desk.issue.create", `{"title":"t","`+flag+`":"x"}`); fault == nil || fault.Code != twodoor.CodeInvalid {
			t.Errorf("the flag %s: %v", flag, fault)
		}
	}
}

func TestFaults(t *testing.T) {
	engine, _ := served(t, cobratree.Options{})
	if _, fault := do(t, engine, "desk.issue.purge", `{"name":["a"]}`); fault == nil || fault.Code != twodoor.CodeUpstream || fault.Message != "nothing is there" {
		t.Errorf("a command that fails: %v", fault)
	}
	if _, fault := do(t, engine, "desk.program.crash", `{}`); fault == nil || !strings.Contains(fault.Message, "on purpose") {
		t.Errorf("a command that panics: %v", fault)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := engine.Do(ctx, twodoor.Call{Operation: "desk.program.wait", Principal: twodoor.Operator}); twodoor.AsError(err).Code != twodoor.CodeTimeout {
		t.Errorf("a command that is late: %v", err)
	}
	if got, fault := do(t, engine, "desk.issue.create", `{"title":"after"}`); fault != nil || !strings.Contains(got, "after") {
		t.Errorf("the call after it: %s, %v", got, fault)
	}
}

func TestConcurrentCalls(t *testing.T) {
	for name, options := range map[string]cobratree.Options{"one tree": {}, "a tree each": {New: program}} {
		engine, _ := served(t, options)
		var wait sync.WaitGroup
		for i := range 100 {
			wait.Go(func() {
				want := fmt.Sprintf(`{"count":%d,"labels":[],"title":"call %d","verbose":false}`, i, i)
				if got, fault := do(t, engine, "desk.issue.create", fmt.Sprintf(`{"title":"call %d","count":%d}`, i, i)); got != want {
					t.Errorf("%s: %s, %v", name, got, fault)
				}
			})
		}
		wait.Wait()
	}
}

// session runs the program's mcp command over a whole input, and gives its answers by id.
func session(t *testing.T, env []string, calls ...string) map[string]string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var input strings.Builder
	for i, call := range calls {
		fmt.Fprintf(&input, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n", i, call)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "mcp")
	cmd.Stdin, cmd.Env = strings.NewReader(input.String()), append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("the program ended with %v", err)
	}
	answers := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if err := rawjson.Check([]byte(line)); err != nil {
			t.Errorf("something else stands between the answers: %q", line)
			continue
		}
		id, _ := rawjson.Get([]byte(line), "id")
		text, _ := rawjson.GetPath([]byte(line), "result", "content", "0", "text")
		answers[string(id)], _ = rawjson.String(text)
	}
	return answers
}

// The protocol owns stdin and stdout, whatever a command does to them, and what is under way at the end
// of the input is finished.
func TestTheProtocolOwnsTheStreams(t *testing.T) {
	for _, apart := range []string{"", "yes"} {
		answers := session(t, []string{"APART=" + apart},
			`"name":"desk_issue_list","arguments":{"state":"open"}`, `"name":"desk_read"`, `"name":"desk_issue_purge","arguments":{"name":["x"]}`,
			`"name":"desk_flood"`, `"name":"desk_wait"`, `"name":"desk_issue_create","arguments":{"title":"t"}`)
		for id, want := range []string{"direct\nkept\nchild\nlast", `"" EOF`, "nothing is there", "printed more than 8388608 bytes", "waited", `{"count":7,`} {
			if got := answers[fmt.Sprint(id)]; !strings.Contains(got, want) {
				t.Errorf("apart %q: call %d answered %q, want %q", apart, id, got, want)
			}
		}
	}
}

func TestAHundredCallsOfOneProcess(t *testing.T) {
	var calls []string
	for i := range 100 {
		calls = append(calls, fmt.Sprintf(`"name":"desk_issue_create","arguments":{"title":"call %d"}`, i))
	}
	answers := session(t, nil, calls...)
	for i := range calls {
		if got := answers[fmt.Sprint(i)]; !strings.Contains(got, fmt.Sprintf(`"title":"call %d"`, i)) {
			t.Errorf("call %d answered %q", i, got)
		}
	}
}

// A command that ends its process takes the server along, unless it runs apart.
func TestApartSurvivesAnExit(t *testing.T) {
	answers := session(t, []string{"APART=yes"}, `"name":"desk_leave"`, `"name":"desk_wait"`)
	if !strings.Contains(answers["0"], "ended with status 3") || answers["1"] != "waited" {
		t.Errorf("answered %q", answers)
	}
}
