package app

import (
	"context"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli"
)

func (r *run) callCommand() cli.Command {
	return cli.Command{
		Name: "call", Args: "ID [FLAGS…]", Short: "Make a call by its id, with the flags of its own command",
		Long:    "The id may be written in any spelling: harbor.incident.list, harbor_incident_list. See what it takes with: twodoor schema ID",
		Example: "twodoor call harbor.incident.list --data - <<'EOF'\nstatus: open\nEOF",
		Raw:     true,
		Run: func(ctx context.Context, in *cli.Invocation) error {
			at := positionOf(in.Args, 0)
			if at < 0 {
				return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "call needs the id of an operation", Hint: "list them with: twodoor --help"}
			}
			return in.Operate(ctx, in.Args[at], slices.Delete(slices.Clone(in.Args), at, at+1))
		},
		Complete: r.completeCall,
	}
}

// completeCall lists ids, and after an id what its own command takes.
func (r *run) completeCall(ctx context.Context, args []string, word string) []string {
	if len(args) == 0 {
		return r.completeIDs(ctx, args, word)
	}
	op := r.named(ctx, args[0])
	if op == nil {
		return nil
	}
	return cli.Complete(op, args[1:], word)
}

// completeIDs lists the ids that begin like a word, as the first operand.
func (r *run) completeIDs(ctx context.Context, args []string, word string) []string {
	if len(args) > 0 {
		return nil
	}
	o, err := r.open(ctx)
	if err != nil {
		return nil
	}
	var ids []string
	for _, entry := range o.catalog.Entries() {
		if strings.HasPrefix(entry.ID, word) {
			ids = append(ids, entry.ID)
		}
	}
	return ids
}

// named is the operation that a name leads to, or nil.
func (r *run) named(ctx context.Context, name string) *twodoor.Operation {
	o, err := r.open(ctx)
	if err != nil {
		return nil
	}
	op, _, err := o.catalog.Find(name)
	if err != nil {
		return nil
	}
	return op
}
