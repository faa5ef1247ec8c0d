package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/pack"
	"github.com/twodoor/twodoor/door/cli"
)

// App is the program, with what the process around it has.
type App struct {
	Dir        string                      // required; the present folder, absolute
	LookupEnv  func(string) (string, bool) // required
	Environ    []string                    // what programs that are started may see a part of
	Executable string                      // path of this program, for lines that people copy
	Version    Version
	Pack       *pack.Pack // what this program carries; nil: it reads a configuration

	Stdin     io.Reader // required
	Stdout    io.Writer // required
	Stderr    io.Writer // required
	StdinTTY  bool
	StdoutTTY bool
	StderrTTY bool
}

// run is one command line on its way through the program.
type run struct {
	*App
	early   cli.Early
	folders config.Folders
	engine  *twodoor.Engine
	site    *site   // nil until found
	opened  *opened // nil until opened
	anew    bool    // descriptions are read, whatever the bundle says
	quiet   bool
	held    *[]string // what is said is held here; nil: it is told at once
	fetched sync.Map  // URL → hash of what was read there
	memory  *memory
	far     *far
	staying bool // another run's program: it asks far sides by itself, and nobody waits for them
}

// Run carries out a command line, given without the program's name, and returns the exit status.
func (a *App) Run(ctx context.Context, argv []string) int {
	r := &run{
		App: a, early: cli.Peek(argv), folders: config.FoldersOf(a.getenv), engine: &twodoor.Engine{},
		quiet: slices.Contains(argv[:flagsEnd(argv)], "--quiet"), far: &far{}, memory: newMemory(),
	}
	defer r.close()
	if err := r.unpack(ctx); err != nil {
		return r.fail(ctx, argv, err)
	}
	door, argv := r.door(), r.ownFirst(argv)
	if r.needsCatalog(argv) {
		r.memory.shelf = lateShelf{r}
		if err := r.serve(ctx); err != nil && !r.asksWhatThereIs() {
			return r.fail(ctx, argv, err)
		} else if !r.completes() {
			r.start(err)
		}
		r.engine.Keeper, r.engine.Observer = nil, &recorder{run: r} // answers of a line are whole: nothing is kept
	}
	return door.Run(ctx, argv)
}

// ownFirst puts the name of an own command before the flags that stand in front of it.
func (r *run) ownFirst(argv []string) []string {
	if len(r.early.Words) == 0 || !r.owns(r.early.Words[0]) {
		return argv
	}
	at := positionOf(argv, 0)
	out := append([]string{argv[at]}, argv[at+1:]...)
	return slices.Insert(out, flagsEnd(out), argv[:at]...)
}

// positionOf is where the n-th word of a line stands that is neither a flag nor the value of one; -1:
// there is none.
func positionOf(argv []string, n int) int {
	for i := range argv {
		if len(cli.Peek(argv[:i+1]).Words) > n {
			return i
		}
	}
	return -1
}

// flagsEnd is where flags can be added to a line: before its "--".
func flagsEnd(argv []string) int {
	if at := slices.Index(argv, "--"); at >= 0 {
		return at
	}
	return len(argv)
}

func (r *run) owns(word string) bool {
	return word == "completion" || slices.ContainsFunc(r.commands(), func(c cli.Command) bool { return c.Name == word })
}

// start tells, beside a list of what there is, why it is short.
func (r *run) start(err error) {
	switch {
	case err != nil:
		r.note("twodoor: " + lineOf(r.told(err)))
	case r.site.where == config.Nowhere:
		r.note("twodoor: there is no " + config.FileName + " here or above; make one with: twodoor up openapi.yaml; or look at the demo: twodoor demo")
	}
}

func (a *App) getenv(name string) string {
	value, _ := a.LookupEnv(name)
	return value
}

// door is the command line of this run.
func (r *run) door() *cli.Door {
	env := map[string]string{}
	for _, name := range []string{"TWODOOR_OUTPUT", "TWODOOR_BUDGET", "NO_COLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS"} {
		if value, set := r.LookupEnv(name); set {
			env[name] = value
		}
	}
	if _, set := env["COLUMNS"]; !set && r.StdoutTTY { // shells know it and do not export it
		if out, ok := r.Stdout.(*os.File); ok {
			env["COLUMNS"] = strconv.Itoa(widthOf(out))
		}
	}
	return &cli.Door{
		Engine: r.engine, Name: r.name(), Brand: r.brand(), Version: r.release(), Commands: r.commands(), Principal: twodoor.Operator,
		Profile: r.getenv("TWODOOR_PROFILE"),
		Stdin:   r.Stdin, Stdout: r.Stdout, Stderr: r.Stderr, StdinTTY: r.StdinTTY, StdoutTTY: r.StdoutTTY, StderrTTY: r.StderrTTY,
		Env: env, Find: r.nearest,
	}
}

// needsCatalog reports whether a line can be an operation's, or lists operations. Own commands open
// the catalog themselves, where they need it.
func (r *run) needsCatalog(argv []string) bool {
	if len(r.early.Words) == 0 {
		return !slices.Contains(argv, "--version")
	}
	word := r.early.Words[0]
	if word == "call" || word == "help" {
		return true
	}
	return !r.owns(word)
}

// asksWhatThereIs reports whether a line lists commands: it is answered as far as it can be.
func (r *run) asksWhatThereIs() bool {
	return len(r.early.Words) == 0 || r.early.Words[0] == "help" || r.completes()
}

// completes reports whether a shell asks for the next word.
func (r *run) completes() bool {
	return len(r.early.Words) > 0 && strings.HasPrefix(r.early.Words[0], "__complete")
}

// serve opens the catalog and makes the engine carry calls to it.
func (r *run) serve(ctx context.Context) error {
	opened, err := r.open(ctx)
	if err != nil {
		return err
	}
	r.ready()
	r.engine.Serve(opened.catalog)
	return r.absent()
}

// absent says what is the matter where the first word cannot be a command for a plain reason.
func (r *run) absent() error {
	if r.asksWhatThereIs() {
		return nil
	}
	word := r.early.Words[0]
	for _, lost := range r.opened.lost {
		if lost.source == word {
			return lost.err
		}
	}
	if r.site.where == config.Nowhere {
		missing := "so there is no command " + word
		if r.owns(word) {
			missing = "so there is nothing to " + word
		}
		return &twodoor.Error{
			Code: twodoor.CodeUnknown, Message: "there is no " + config.FileName + " here or above, " + missing,
			Hint: "make one from a description, or look at the demo", Try: []string{"twodoor up openapi.yaml", "twodoor demo"},
		}
	}
	return nil
}

// fail tells an error that came before the command line could be carried out, as the door tells errors.
func (r *run) fail(ctx context.Context, argv []string, err error) int {
	door := r.door()
	door.Commands = []cli.Command{{
		Name: "fail", Short: "Tells an error", Run: func(context.Context, *cli.Invocation) error { return r.told(err) },
	}}
	return door.Run(ctx, append([]string{"fail"}, outputFlags(argv)...))
}

// outputFlags are the flags of a line that say how it is answered.
func outputFlags(argv []string) []string {
	for i, arg := range argv {
		switch {
		case arg == "--":
			return nil
		case (arg == "-o" || arg == "--output") && i+1 < len(argv):
			return argv[i : i+2]
		case strings.HasPrefix(arg, "--output=") || strings.HasPrefix(arg, "-o="):
			return argv[i : i+1]
		}
	}
	return nil
}

// told gives errors that the person at this machine can mend their code and their text: faults of the
// configuration, and what the system says of files and folders.
func (r *run) told(err error) error {
	if invalid, ok := errors.AsType[*config.Invalid](err); ok {
		return r.toldFaults(invalid)
	}
	var known *twodoor.Error
	var exit cli.Exit
	if err == nil || errors.As(err, &known) || errors.As(err, &exit) || twodoor.AsError(err).Code != twodoor.CodeInternal {
		return err
	}
	if place, ok := errors.AsType[*fs.PathError](err); ok { // the machine's state, and no bug of ours
		return &twodoor.Error{
			Code: twodoor.CodeInvalid, Message: err.Error(), Cause: err,
			Hint: fmt.Sprintf("look at %s: is its folder there, and may this user use it?", r.near(place.Path)),
		}
	}
	return &twodoor.Error{Code: twodoor.CodeInternal, Message: err.Error(), Cause: err}
}

func (r *run) toldFaults(invalid *config.Invalid) error {
	fault := &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the configuration has faults", Hint: "mend them, then look with: twodoor config validate", Cause: invalid}
	for _, f := range invalid.Faults {
		fault.Fields = append(fault.Fields, twodoor.Problem{Path: f.Path, Problem: r.short(f).String()})
	}
	if len(invalid.Faults) == 1 {
		fault.Message, fault.Fields = r.short(invalid.Faults[0]).String(), nil
	}
	return fault
}

// short tells a file's name as it is seen from the present folder.
func (r *run) short(f config.Fault) config.Fault {
	f.File = r.near(f.File)
	return f
}

// near is a path as one types it here.
func (r *run) near(path string) string {
	if rest, ok := strings.CutPrefix(path, r.Dir+"/"); ok {
		return rest
	}
	return path
}

// note writes a line to stderr, unless nothing but faults is wanted there.
func (r *run) note(text string) {
	if r.held != nil {
		*r.held = append(*r.held, text)
		return
	}
	if !r.quiet {
		_, _ = io.WriteString(r.Stderr, cli.Printable(text)+"\n")
	}
}

// tellHeld writes what was held back, and holds no more.
func (r *run) tellHeld() {
	held := r.held
	r.held = nil
	for _, text := range *held {
		r.note(text)
	}
}

// commands are the own commands of this program.
func (r *run) commands() []cli.Command {
	all := []cli.Command{
		r.upCommand(), r.demoCommand(), r.mcpCommand(),
		r.addCommand(), r.removeCommand(), r.sourcesCommand(), r.accountsCommand(),
		r.findCommand(), r.callCommand(), r.schemaCommand(), r.coverageCommand(), r.tokensCommand(),
		r.guidesCommand(), r.cardsCommand(), r.checkCommand(), r.snapshotCommand(), r.diffCommand(), r.refreshCommand(), r.initCommand(), r.exportCommand(),
		r.importCommand(), r.installCommand(), r.uninstallCommand(), r.pluginCommand(), r.packCommand(), r.callsCommand(), r.frictionCommand(), r.storeCommand(),
		r.smokeCommand(), r.doctorCommand(), r.configCommand(), r.docsCommand(), r.manCommand(), r.versionCommand(),
	}
	all = r.branded(all)
	r.tellAll(all)
	return all
}

// tellAll makes every command tell its errors.
func (r *run) tellAll(commands []cli.Command) {
	for i := range commands {
		r.tellAll(commands[i].Commands)
		if run := commands[i].Run; run != nil {
			commands[i].Run = func(ctx context.Context, in *cli.Invocation) error { return r.told(run(ctx, in)) }
		}
	}
}
