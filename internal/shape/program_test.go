package shape_test

import (
	"context"
	"testing"

	"github.com/twodoor/twodoor/internal/shape"
)

// TestProgram holds that what is answered without the interpreter is what the interpreter answers.
func TestProgram(t *testing.T) {
	const value = `{"id":1152921504606846977,"status":"open","items":[{"id":"a","n":[1,2]},{"id":"b"}],"none":null,"big":[]}`
	for _, test := range []struct {
		program, out string
		holds        bool
	}{
		{".", value, true}, {".id", "1152921504606846977", true}, {".items[1].id", `"b"`, true}, {".items[0].n[1]", "2", true},
		{".items[7].id", "null", false}, {".none", "null", false}, {".lost.deep", "null", false}, {".big", "[]", false},
		{`.status == "open"`, "true", true}, {`.status=="shut"`, "false", false}, {`.items[0].id == "a"`, "true", true},
		{`.status == .id`, "false", false}, {`.id == 1152921504606846977`, "true", true}, {`.items | length == 2`, "true", true},
		{`[.items[].id]`, `["a","b"]`, true}, {`.items[] | select(.id=="z")`, "[]", false},
	} {
		p := shape.Program(test.program)
		out, err := p.Run(context.Background(), []byte(value))
		if err != nil || string(out) != test.out {
			t.Errorf("%s: %s %v, want %s", p, out, err, test.out)
		}
		applied, _, err := shape.Apply(context.Background(), []byte(value), shape.Want{JQ: test.program})
		if err != nil || string(applied) != test.out {
			t.Errorf("%s: the interpreter says %s %v, want %s", p, applied, err, test.out)
		}
		if p.Holds(context.Background(), []byte(value)) != test.holds {
			t.Errorf("%s holds: %v", p, !test.holds)
		}
	}
	for _, bad := range []string{".[", "input", "nope(1)"} {
		if shape.Program(bad).Check() == nil {
			t.Errorf("%s passes for a program", bad)
		}
	}
}
