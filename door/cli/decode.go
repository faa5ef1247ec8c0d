package cli

import (
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
	if len(l.Problems) == 1 {
		fault.Message = l.Problems[0].Problem
		if l.Problems[0].Path == "" {
			fault.Fields = nil // it would say the same again
		}
	}
	return fault
}

// inputsOf are the inputs of an operation, for where "args" is another word.
func inputsOf(op *twodoor.Operation) *args.Inputs { return args.Of(op) }
