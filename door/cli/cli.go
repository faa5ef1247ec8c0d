package cli

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
	"github.com/twodoor/twodoor/door/cli/internal/typed"
)

// Door is the command line of one program. Its fields are set once, before the first Run.
type Door struct {
	Engine    *twodoor.Engine   // required
	Name      string            // the program's name as it is typed; empty: "twodoor"
	Version   string            // what --version prints
	Brand     string            // the source whose level is left out of the commands; empty: none
	Commands  []Command         // own commands
	Principal twodoor.Principal // on whose behalf
	Profile   string            // where the line names none
	Session   string

	Stdin     io.Reader // nil: empty
	Stdout    io.Writer // required
	Stderr    io.Writer // required
	StdinTTY  bool      // they are terminals
	StdoutTTY bool
	StderrTTY bool
	Env       map[string]string // TWODOOR_OUTPUT, TWODOOR_BUDGET, NO_COLOR, CLICOLOR_FORCE, TERM, COLUMNS, as far as they are set

	Open func(name string) ([]byte, error)                       // reads what @file names; nil: os.ReadFile
	Now  func() time.Time                                        // nil: time.Now; its zone is that of dates without one
	Find func(ctx context.Context, words string, n int) []string // operations that fit a wish in words, best first; may be nil
}

// Run carries out one command line, given without the program's name, and returns the exit status.
// When the context ends, the call under way is canceled and the status is 130.
func (d *Door) Run(ctx context.Context, argv []string) int {
	r := d.newRun()
	return r.finish(ctx, r.do(ctx, argv))
}

// Exit is the error of an own command that has said all there is to say and wants this exit status.
type Exit int

func (e Exit) Error() string { return "exit" }

// run is one command line on its way.
type run struct {
	door   *Door
	opts   options
	reader args.Reader

	unknown []string // flags of the line that there are not
}

func (d *Door) newRun() *run {
	r := &run{door: d, reader: args.Reader{Stdin: d.Stdin, Open: d.Open, Now: d.Now}}
	r.opts.output, r.opts.asked = d.preset()
	return r
}

func (r *run) do(ctx context.Context, argv []string) error {
	if mode := r.door.Env["TWODOOR_OUTPUT"]; mode != "" && !r.opts.asked {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "TWODOOR_OUTPUT: " + typed.NotOneOf(mode, args.Modes).Error(), Hint: "unset it, or set it to one of these"}
	}
	if len(argv) > 0 && argv[0] == "help" && !r.door.owns("help") {
		argv = append(argv[1:len(argv):len(argv)], "--help")
	}
	if len(argv) > 0 && r.door.owns(argv[0]) {
		return r.own(ctx, argv)
	}
	to, err := r.door.route(argv)
	switch {
	case err != nil:
		return r.astray(ctx, to, err)
	case to.op != nil:
		return r.operation(ctx, to.op, to.name, to.rest)
	}
	return r.level(to)
}

// operation makes the call of a generated command and writes its answer. The name is the id of the
// operation or an old one.
func (r *run) operation(ctx context.Context, op *twodoor.Operation, name string, argv []string) error {
	call, err := r.decode(op, argv)
	call.Operation = name
	switch {
	case !r.takes(twodoor.EntryOf(op)):
		return r.refused(ctx, call)
	case r.opts.help:
		return r.printHelp(op)
	case r.opts.version:
		return r.printVersion()
	case err != nil:
		return r.searched(ctx, op, err)
	}
	out, err := r.openOut()
	if err != nil {
		return err
	}
	defer out.abort()
	if err := r.confirm(ctx, op, &call); err != nil {
		return err
	}
	progress := r.progress()
	call.Progress = progress.tell
	result, err := r.door.Engine.Do(ctx, call)
	progress.end()
	if err != nil {
		return r.spell(op, err)
	}
	return r.encode(op, result, out)
}

// refused is what the engine says of an operation that is not for this profile or principal: a line
// for it learns nothing else, whatever is wrong with it.
func (r *run) refused(ctx context.Context, call twodoor.Call) error {
	_, err := r.door.Engine.Do(ctx, twodoor.Call{
		Operation: call.Operation, Principal: r.door.Principal, Profile: r.profile(), Door: twodoor.DoorCLI, Client: call.Client, Mode: twodoor.DryRun,
	})
	return r.spell(&twodoor.Operation{ID: call.Operation}, err)
}

// finish tells the fault, if there is one, and gives the exit status.
func (r *run) finish(ctx context.Context, err error) int {
	if err == nil {
		return 0
	}
	if exit, ok := errors.AsType[Exit](err); ok {
		return int(exit)
	}
	fault := twodoor.AsError(err)
	if fault.Code == twodoor.CodeInternal && ctx.Err() != nil {
		fault = twodoor.AsError(context.Cause(ctx))
	}
	r.tellFault(fault)
	return fault.Code.Exit()
}

// stdout is where answers go: nowhere, while a line is only checked.
func (r *run) stdout() io.Writer {
	if r.reader.Dry {
		return io.Discard
	}
	return r.door.Stdout
}

func (r *run) stderr() io.Writer {
	if r.reader.Dry {
		return io.Discard
	}
	return r.door.Stderr
}

func (d *Door) name() string {
	if d.Name == "" {
		return "twodoor"
	}
	return d.Name
}

func (d *Door) now() time.Time {
	if d.Now == nil {
		return time.Now()
	}
	return d.Now()
}
