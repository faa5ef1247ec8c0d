package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
)

// decode turns the line of an operation into a call. Every misfit is told at once.
func (r *run) decode(op *twodoor.Operation, argv []string) (twodoor.Call, error) {
	l := &args.Line{In: args.Of(op), Reader: &r.reader, Set: r.opts.set}
	l.Scan(argv)
	if r.opts.help || r.opts.version {
		return twodoor.Call{Operation: op.ID}, nil
	}
	call := twodoor.Call{
		Operation: op.ID, Arguments: l.Arguments(), Projection: r.opts.want,
		Principal: r.door.Principal, Profile: r.profile(), Session: r.door.Session,
		Door: twodoor.DoorCLI, Client: strings.TrimSpace(r.door.name() + " " + r.door.Version),
		Account: r.opts.account, Timeout: r.opts.timeout,
	}
	if r.opts.yes {
		call.Confirm = twodoor.ConfirmYes
	}
	if r.opts.dryRun {
		call.Mode = twodoor.DryRun
	}
	return call, r.misfit(l)
}

// misfit is one error of all misfits.
func (r *run) misfit(l *args.Line) error {
	if len(l.Problems) == 0 {
		return nil
	}
	command := r.door.command(l.In.Op.ID)
	fault := &twodoor.Error{
		Code: twodoor.CodeInvalid, Message: "the line does not fit " + command, Fields: l.Problems, Try: l.Try,
		Hint: "this fits: " + r.door.exampleOf(l.In),
	}
	r.unknown = l.Unknown
	if len(l.Problems) == 1 {
		fault.Message = l.Problems[0].Problem
		if l.Problems[0].Path == "" {
			fault.Fields = nil // it would say the same again
		}
	}
	return fault
}

// searched adds to a fault of a flag that there is not which other operations the words lead to: who
// invents a flag may mean another command.
func (r *run) searched(ctx context.Context, op *twodoor.Operation, err error) error {
	fault, ok := errors.AsType[*twodoor.Error](err)
	if !ok || r.door.Find == nil || len(r.unknown) == 0 {
		return err
	}
	told := *fault
	words := append(twodoor.Spell(op.ID, "").CLI[1:], r.unknown...)
	for _, id := range r.door.Find(ctx, strings.ReplaceAll(strings.Join(words, " "), "-", " "), 3) {
		if id != op.ID {
			told.Try = appendNew(told.Try[:len(told.Try):len(told.Try)], r.door.command(id))
		}
	}
	return &told
}

// inputsOf are the inputs of an operation, for where "args" is another word.
func inputsOf(op *twodoor.Operation) *args.Inputs { return args.Of(op) }
