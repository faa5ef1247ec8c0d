package draft

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/twodoor/twodoor/internal/proc"
)

// Bounds of asking a program, and of what it may answer.
const (
	MaxCommands = 200
	maxDepth    = 4
	askTime     = 10 * time.Second
	maxHelp     = 256 << 10
)

// Request is a program to ask.
type Request struct {
	Program string   // required; a name on PATH, or a path
	Dir     string   // where it runs
	Environ []string // this process's environment: the program sees its everyday variables
}

// Draft is what a program says of itself.
type Draft struct {
	Name     string    `json:"name"`
	Program  string    `json:"program"`
	Title    string    `json:"title,omitempty"`
	Way      string    `json:"way"` // completion, or help
	Commands []Command `json:"commands"`
	Short    bool      `json:"short,omitempty"` // there are more commands than MaxCommands
}

// Command is one command of a program.
type Command struct {
	Path   []string `json:"path"` // without the program
	Title  string   `json:"title,omitempty"`
	Usage  string   `json:"usage,omitempty"`
	Args   []Arg    `json:"args,omitempty"`
	Flags  []Flag   `json:"flags,omitempty"`
	Unsafe []string `json:"left_out,omitempty"` // options by which programs write files, run others or read configuration
}

// Arg is a word that a command takes.
type Arg struct {
	Name     string `json:"name"`
	Required bool   `json:"required,omitempty"`
	Rest     bool   `json:"rest,omitempty"` // it and all that follow
}

// Flag is an option of a command.
type Flag struct {
	Name string `json:"name"` // with its dashes
	Type string `json:"type"` // of a parameter: boolean, string, integer, number, array
	Help string `json:"help,omitempty"`
}

// Program asks a program for its commands. An error means that it tells of none.
func Program(ctx context.Context, r Request) (*Draft, error) {
	a := &asker{request: r, draft: &Draft{Program: r.Program, Name: nameOf(r.Program), Way: "help"}}
	top, err := a.help(ctx, nil)
	if err != nil {
		return nil, err
	}
	a.draft.Title = titleOf(top)
	listed := commandsIn(top)
	if subs, ok := a.complete(ctx, nil); ok {
		a.draft.Way, listed = "completion", subs
	}
	for _, sub := range listed {
		if err := a.visit(ctx, []string{sub.name}, sub.about); err != nil {
			return nil, err
		}
	}
	if len(listed) == 0 { // a program without commands is one command
		a.add(nil, a.draft.Title, top)
	}
	return a.draft, nil
}

// nameOf is the name of a source that is a program's.
func nameOf(program string) string {
	base := filepath.Base(program)
	base = strings.TrimSuffix(base, ".exe")
	return strings.Trim(strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' {
			return c
		}
		return '-'
	}, strings.ToLower(base)), "-0123456789")
}

// asker asks one program.
type asker struct {
	request Request
	draft   *Draft
	asked   int
}

// listed is a command as a list names it.
type listed struct{ name, about string }

// ignored are commands that say something about the program itself, or are not for agents.
var ignored = map[string]bool{"help": true, "completion": true, "mcp": true}

// visit asks a command for what it has, and goes on to those below it.
func (a *asker) visit(ctx context.Context, path []string, about string) error {
	if ignored[path[len(path)-1]] {
		return nil
	}
	if len(a.draft.Commands) >= MaxCommands || a.asked > 2*MaxCommands {
		a.draft.Short = true
		return ctx.Err()
	}
	help, err := a.help(ctx, path)
	if err != nil {
		return ctx.Err() // one command that says nothing of itself is left out
	}
	var below []listed
	if len(path) < maxDepth {
		below = a.below(ctx, path, help)
	}
	for _, sub := range below {
		if err := a.visit(ctx, append(path[:len(path):len(path)], sub.name), sub.about); err != nil {
			return err
		}
	}
	if len(below) == 0 {
		a.add(path, about, help)
	}
	return ctx.Err()
}

// below lists the commands below one, where its help tells that it has some.
func (a *asker) below(ctx context.Context, path []string, help string) []listed {
	subs := commandsIn(help)
	if len(subs) == 0 || a.draft.Way == "help" {
		return subs
	}
	if told, ok := a.complete(ctx, path); ok && len(told) > 0 {
		return told
	}
	return subs
}

func (a *asker) add(path []string, about, help string) {
	c := Command{Path: path, Title: about, Usage: usageOf(help, path)}
	if c.Title == "" {
		c.Title = titleOf(help)
	}
	c.Args = argsIn(c.Usage)
	c.Flags, c.Unsafe = flagsIn(help)
	a.draft.Commands = append(a.draft.Commands, c)
}

// help is what a program says of a command of its.
func (a *asker) help(ctx context.Context, path []string) (string, error) {
	var said string
	for _, flag := range []string{"--help", "-h"} {
		out, status, err := a.ask(ctx, append(path[:len(path):len(path)], flag)...)
		if err != nil {
			return "", err
		}
		if looksLikeHelp(out) && (status == 0 || flag == "-h" || said == "") {
			said = out
		}
		if looksLikeHelp(out) && status == 0 {
			return out, nil
		}
	}
	if said == "" {
		return "", fmt.Errorf("%s says nothing of itself with --help or -h", strings.Join(append([]string{a.request.Program}, path...), " "))
	}
	return said, nil
}

// complete asks the completion protocol of cobra. ok is false where the program does not speak it.
func (a *asker) complete(ctx context.Context, path []string) (subs []listed, ok bool) {
	out, status, err := a.ask(ctx, append(append([]string{"__complete"}, path...), "")...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err != nil || status != 0 || !strings.HasPrefix(lines[len(lines)-1], ":") && !strings.Contains(out, "\n:") {
		return nil, false
	}
	for _, line := range lines {
		if strings.HasPrefix(line, ":") {
			break
		}
		if name, about, _ := strings.Cut(line, "\t"); commandName.MatchString(name) {
			subs = append(subs, listed{name, about})
		}
	}
	return subs, true
}

// ask runs the program once and gives what it printed, on either stream.
func (a *asker) ask(ctx context.Context, args ...string) (out string, status int, err error) {
	a.asked++
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	env := append(proc.Environment(a.request.Environ), "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "MANPAGER=cat", "GIT_PAGER=cat", "COLUMNS=200")
	p, err := proc.Start(ctx, proc.Command{Path: a.request.Program, Args: args, Dir: a.request.Dir, Env: env})
	if err != nil {
		return "", 0, err
	}
	p.Stdin.Close()
	text, _ := io.ReadAll(io.LimitReader(p.Stdout, maxHelp)) // what came is what there is
	p.Kill()
	_, _ = io.Copy(io.Discard, p.Stdout)
	status = proc.ExitCode(p.Wait())
	p.Stdout.Close()
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte(strings.Join(p.Stderr(), "\n"))
	}
	return string(text), status, nil
}
