package cli

import (
	"context"
	"fmt"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/schema"
)

// Parse reads a line into the call that it makes, and makes none. It reads stdin and files as Run
// does. A line that makes no call (help, an own command, a level) is an error.
func (d *Door) Parse(argv []string) (twodoor.Call, error) {
	r := d.newRun()
	to, err := d.route(argv)
	if err != nil {
		return twodoor.Call{}, r.astray(context.Background(), to, err)
	}
	if to.op == nil {
		return twodoor.Call{}, &twodoor.Error{Code: twodoor.CodeInvalid, Message: d.shell(argv) + " is no call of an operation"}
	}
	call, err := r.decode(to.op, to.rest)
	if err == nil && (r.opts.help || r.opts.version) {
		err = &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the line asks for help, it makes no call"}
	}
	return call, err
}

// Check reports what is wrong with a line, without making the call: unknown commands and flags, values
// outside their enum, required inputs that are missing, arguments that do not fit the schema. It reads
// neither stdin nor files; what would come from there is taken to fit.
func (d *Door) Check(argv []string) error {
	r := d.newRun()
	r.reader.Dry = true
	if len(argv) > 0 && d.owns(argv[0]) {
		return r.own(context.Background(), argv)
	}
	to, err := d.route(argv)
	switch {
	case err != nil:
		return r.astray(context.Background(), to, err)
	case to.op != nil:
		return r.checkOperation(to.name, to.rest)
	}
	if err := r.takeOptions(to.rest); err != nil || r.opts.help || r.opts.version {
		return err
	}
	return &twodoor.Error{Code: twodoor.CodeInvalid, Message: d.shell(argv) + " is no whole command"}
}

// checkOperation checks the line of an operation.
func (r *run) checkOperation(name string, argv []string) error {
	op, _, err := r.door.Engine.Catalog().Find(name)
	if err != nil {
		return err
	}
	if op == nil || !r.takes(twodoor.EntryOf(op)) {
		return r.refused(context.Background(), twodoor.Call{Operation: name})
	}
	call, err := r.decode(op, argv)
	if err != nil || r.opts.help || r.opts.version || r.reader.Unread {
		return err
	}
	return r.spell(op, misfits(op, call))
}

// misfits checks the arguments of a call as the engine will.
func misfits(op *twodoor.Operation, call twodoor.Call) error {
	check, err := schema.Compile(op.InputSchema())
	if err != nil {
		return fmt.Errorf("compile the input schema of %s: %w", op.ID, err)
	}
	problems := check.Check(check.Default(check.Fit(call.Arguments)))
	if len(problems) == 0 {
		return nil
	}
	fault := &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the arguments do not fit " + op.ID}
	for _, p := range problems {
		fault.Fields = append(fault.Fields, twodoor.Problem{Path: p.Path, Problem: p.Message})
	}
	return fault
}
