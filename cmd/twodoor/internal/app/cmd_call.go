package app

import (
	"context"
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
			id, rest := operand(in.Args)
			if id == "" {
				return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "call needs the id of an operation", Hint: "list them with: twodoor --help"}
			}
			return in.Operate(ctx, id, rest)
		},
		Complete: r.completeIDs,
	}
}

// operand takes the first argument that is no flag out of a line.
func operand(args []string) (first string, rest []string) {
	for i, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			return arg, append(args[:i:i], args[i+1:]...)
		}
	}
	return "", args
}

func (r *run) completeIDs(ctx context.Context, _ []string, word string) []string {
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
