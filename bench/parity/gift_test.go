package parity

import (
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/schema"
)

// gift is a set of arguments.
type gift struct {
	args map[string]any
	most bool // made to hold everything that the operation takes
	all  bool // and it does
}

// gifts are the arguments with which an operation is called: what it requires, everything that it
// takes, that again with other branches of its unions, and the first example of its description.
func (h *house) gifts(op *twodoor.Operation) []gift {
	all := []gift{h.gift(op, false, 0), h.gift(op, true, 0), h.gift(op, true, 1)}
	if equal(all[1].args, all[2].args) {
		all = all[:2]
	}
	for _, e := range op.Examples {
		if len(e.Arguments) > 0 {
			return append(all, gift{args: object(json2any(e.Arguments))})
		}
	}
	return all
}

// gift makes arguments from the schema of an operation. An input whose schema no value can meet is
// left out; where that does not help either, what the product gives as an example is taken.
func (h *house) gift(op *twodoor.Operation, most bool, turn int) gift {
	input, check := json2any(op.Input), h.check(op)
	for try := range 4 {
		m := &maker{resolve: h.definition, most: most, turn: turn + try, plain: try > 1}
		v, ok := m.value(input, 0)
		args := object(v)
		if ok && check.Accepts(jsonOf(args)) {
			return gift{args, most, most && try == 0}
		}
		for _, misfit := range check.Check(jsonOf(args)) {
			name, _, _ := strings.Cut(misfit.Path, ".")
			name, _, _ = strings.Cut(name, "[")
			delete(args, name)
		}
		if ok && len(args) > 0 && check.Accepts(jsonOf(args)) {
			return gift{args: args, most: most}
		}
	}
	return gift{args: object(json2any(schema.Example(op.InputSchema())))}
}

func (h *house) check(op *twodoor.Operation) *schema.Schema {
	s, err := schema.Compile(op.InputSchema())
	if err != nil {
		return &schema.Schema{}
	}
	return s
}
