package shape

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// The bounds of one jq program.
const (
	jqTime    = 5 * time.Second
	jqSteps   = 5_000_000
	jqOutput  = 64 << 20 // bytes
	jqOutputs = 1_000_000
	jqMemory  = 512 << 20 // growth of the process's heap, bytes
)

// runJQ runs a program on a value. Integers of any size and numbers that only
// pass through keep their digits; a fraction that is calculated with is a
// float64. Objects that pass through keep their order, those that the program
// builds have the order of the program. There is no environment, no input, no
// module and no file.
func runJQ(ctx context.Context, raw []byte, program string) ([]byte, error) {
	query, err := gojq.Parse(program)
	if err != nil {
		return nil, misparsed(program, err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, &Error{Message: "jq: " + err.Error(), Hint: "the program is checked before it runs; there are no modules and no input"}
	}
	bounded, stop := newWatch(ctx)
	defer stop()
	orders := newOrders(query)
	outputs, err := gather(code.RunWithContext(bounded, orders.decode(raw, 0)), orders)
	if err != nil {
		return nil, bounded.explain(ctx, err)
	}
	return outputs, nil
}

// gather writes what a program puts out: one output as it is, several as an array.
func gather(outputs gojq.Iter, orders *orders) ([]byte, error) {
	var list []byte
	count := 0
	for value, more := outputs.Next(); more; value, more = outputs.Next() {
		if err, failed := value.(error); failed {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				break
			}
			return nil, err
		}
		if count > 0 {
			list = append(list, ',')
		}
		list = orders.encode(list, value)
		if count++; count > jqOutputs || len(list) > jqOutput {
			return nil, &Error{Message: fmt.Sprintf("jq: the output is over its bound of %d MB or %d values", jqOutput>>20, jqOutputs), Hint: "let the program select less"}
		}
	}
	if count == 1 {
		return list, nil
	}
	return append(append([]byte{'['}, list...), ']'), nil
}

// misparsed shows where a program stops being jq.
func misparsed(program string, err error) error {
	var parse *gojq.ParseError
	if !errors.As(err, &parse) {
		return &Error{Message: "jq: " + err.Error(), Hint: "mend the program"}
	}
	at := min(max(parse.Offset-len(parse.Token), 0), len(program))
	if parse.Token == "" {
		return &Error{Message: fmt.Sprintf("jq: the program ends too early: %s", program), Hint: "close what is open, or say what comes after " + lastWord(program)}
	}
	return &Error{
		Message: fmt.Sprintf("jq: %q is not expected at character %d: %s", parse.Token, at+1, program[:at]+" ▶ "+program[at:]),
		Hint:    `names with - or spaces are written ."like-this"; strings take double quotes; steps are joined by |`,
	}
}

func lastWord(program string) string {
	words := strings.Fields(program)
	if len(words) == 0 {
		return "nothing"
	}
	return words[len(words)-1]
}

// watch is a context that ends by itself when a program takes too many steps,
// too long, or too much memory. gojq asks Done before each step.
type watch struct {
	context.Context
	cancel context.CancelCauseFunc
	steps  int
	looked time.Time
	before uint64
}

func newWatch(ctx context.Context) (*watch, context.CancelFunc) {
	timed, stop := context.WithTimeoutCause(ctx, jqTime, &Error{Message: fmt.Sprintf("jq: the program ran longer than %s", jqTime), Hint: "select less before you calculate"})
	inner, cancel := context.WithCancelCause(timed)
	return &watch{Context: inner, cancel: cancel, looked: time.Now(), before: heap()}, func() { cancel(nil); stop() }
}

// Done counts a step.
func (w *watch) Done() <-chan struct{} {
	w.steps++
	if w.steps > jqSteps {
		w.cancel(&Error{Message: fmt.Sprintf("jq: the program took more than %d steps", jqSteps), Hint: "select less before you calculate, and look for an endless recurse"})
	}
	if w.steps%8 == 0 {
		w.look()
	}
	return w.Context.Done()
}

// look measures memory, at most every five milliseconds.
func (w *watch) look() {
	now := time.Now()
	if now.Sub(w.looked) < 5*time.Millisecond {
		return
	}
	w.looked = now
	if used := heap(); used > w.before && used-w.before > jqMemory {
		w.cancel(&Error{Message: fmt.Sprintf("jq: the program needs more than %d MB", jqMemory>>20), Hint: "select less before you build"})
	}
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// explain tells a fault of the run: the caller's end, a bound, or the program.
func (w *watch) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var bound *Error
	if errors.As(err, &bound) || errors.As(context.Cause(w.Context), &bound) {
		return bound
	}
	return &Error{Message: "jq: " + err.Error(), Hint: "look at the answer's shape first: run jq 'keys' or ask without jq"}
}
