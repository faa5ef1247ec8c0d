package send

import (
	"encoding/json"
	"fmt"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// argument is one input of a call.
type argument struct {
	name  string
	value []byte
	taken bool // a parameter: the body leaves it
}

// inBody reports whether an argument is a field of the body, with a value.
func (a argument) inBody() bool { return !a.taken && rawjson.KindOf(a.value) != rawjson.KindNull }

// callArgs are the arguments of a call, in the order in which they came.
type callArgs struct {
	list []argument
	raw  []byte // the whole object, where the list is just that; else nil
}

func readArgs(raw json.RawMessage, fixed []argument) *callArgs {
	in := &callArgs{raw: raw, list: make([]argument, 0, 8)}
	for name, value := range rawjson.Members(raw) {
		in.put(name, value)
	}
	for _, fix := range fixed {
		in.put(fix.name, fix.value)
		in.raw = nil
	}
	return in
}

// put adds an input. The last of a name wins, and keeps the place of the first.
func (in *callArgs) put(name string, value []byte) {
	for i := range in.list {
		if in.list[i].name == name {
			in.list[i].value, in.raw = value, nil
			return
		}
	}
	in.list = append(in.list, argument{name: name, value: value})
}

// take is the value of an input that is no field of the body; nil: there is none, or it is null.
func (in *callArgs) take(name string) []byte {
	for i := range in.list {
		if in.list[i].name != name {
			continue
		}
		in.list[i].taken, in.raw = true, nil
		if value := in.list[i].value; rawjson.KindOf(value) != rawjson.KindNull {
			return value
		}
		return nil
	}
	return nil
}

func misfit(arg, problem string) error {
	return &twodoor.Error{
		Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s %s", arg, problem),
		Fields: []twodoor.Problem{{Path: arg, Problem: problem}},
	}
}
