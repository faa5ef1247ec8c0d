package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/proc"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// process is a step that is ready to be started.
type process struct {
	proc.Command
	step  *step
	stdin []byte
	limit int64             // bytes that it may print
	watch func(line []byte) // sees each line as it comes; may be nil
}

// ran is a program that has ended.
type ran struct {
	step   *step
	stdout []byte
	stderr []string // its last lines
	status int      // -1: it was killed
	over   bool     // it printed more than the limit, and was killed for it
	limit  int64
}

// start runs a program to its end. An error means that it did not come to an end by itself.
func (v *Invoker) start(ctx context.Context, p *process) (*ran, error) {
	running, err := proc.Start(ctx, p.Command)
	if err != nil {
		return nil, v.unstarted(ctx, p, err)
	}
	defer running.Stdin.Close()
	go func() {
		_, _ = running.Stdin.Write(p.stdin) // a program need not read its input
		running.Stdin.Close()
	}()
	r := &ran{step: p.step, limit: p.limit}
	r.stdout, r.over = p.drain(running)
	r.status = proc.ExitCode(running.Wait())
	v.hide(r, running.Stderr())
	if ctx.Err() != nil && r.status < 0 {
		return nil, r.interrupted(ctx)
	}
	return r, nil
}

// hide takes the secrets that were used out of what a program said.
func (v *Invoker) hide(r *ran, stderr []string) {
	for _, line := range stderr {
		if line = printable(v.secret.Redact(line)); line != "" {
			r.stderr = append(r.stderr, line)
		}
	}
	if text := string(r.stdout); v.Expand != nil {
		r.stdout = []byte(v.secret.Redact(text))
	}
}

// lastWords is how long a program's output is still read when it is gone: one that it left behind in
// a session of its own may hold it open for ever.
const lastWords = time.Second

// drain reads what a program prints to its end. Above the limit the program is killed, and the rest
// read and dropped.
func (p *process) drain(running *proc.Process) (out []byte, over bool) {
	read := make(chan struct{})
	defer close(read)
	go func() {
		<-running.Done()
		select {
		case <-read:
		case <-time.After(lastWords):
		}
		running.Stdout.Close()
	}()
	chunk, seen := make([]byte, 32<<10), 0
	for {
		n, err := running.Stdout.Read(chunk)
		switch {
		case over:
		case int64(len(out)+n) > p.limit:
			over = true
			running.Kill()
		default:
			out = append(out, chunk[:n]...)
			seen += p.tell(out[seen:])
		}
		if err != nil {
			return out, over
		}
	}
}

// tell shows the whole lines of a text to whoever watches, and returns how much of it that is.
func (p *process) tell(text []byte) (told int) {
	if p.watch == nil {
		return 0
	}
	for {
		line, _, ok := bytes.Cut(text[told:], []byte{'\n'})
		if !ok {
			return told
		}
		p.watch(line)
		told += len(line) + 1
	}
}

// unstarted tells why a program could not be started.
func (v *Invoker) unstarted(ctx context.Context, p *process, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	fault := &twodoor.Error{Code: twodoor.CodeUnavailable, Cause: err}
	fault.Message = fmt.Sprintf("%s cannot be started: %v", p.step.name(), innermost(err))
	fault.Hint = "is it a program that this user may run?"
	if proc.NotFound(err) {
		fault.Message = fmt.Sprintf("there is no program %q on this machine", p.step.Program)
		fault.Hint = "install it, or write its whole path in the verbs file"
	}
	return fault
}

func innermost(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

const noTerminal = "it has no terminal: a program that waits for an answer needs the option that gives it"

// interrupted tells that a program was stopped because the call ended.
func (r *ran) interrupted(ctx context.Context) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	return &twodoor.Error{
		Code: twodoor.CodeTimeout, Message: r.step.name() + " was stopped at its deadline, with everything that it started" + r.said(": "),
		Hint: "ask for less, or give it more time; " + noTerminal, Cause: ctx.Err(),
	}
}

// fault is how a program ended where that is a fault.
func (r *ran) fault() error {
	switch {
	case r.over:
		return &twodoor.Error{
			Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("%s printed more than %d bytes and was stopped", r.step.name(), r.limit),
			Hint: "ask for less: the verb's parameters that narrow or limit",
		}
	case r.status == 0 && len(r.step.Success) == 0, slices.Contains(r.step.Success, r.status):
		return nil
	}
	fault := &twodoor.Error{Code: twodoor.CodeUpstream, Upstream: &twodoor.UpstreamFault{Status: max(r.status, 0), Told: true}}
	if name, ok := r.step.Faults[r.status]; ok {
		_ = fault.Code.UnmarshalText([]byte(name)) // checked when the file was read
	}
	how := fmt.Sprintf("ended with status %d", r.status)
	if r.status < 0 {
		how = "was killed"
	}
	said := r.said(": ")
	if said == "" {
		said = " and said nothing; " + noTerminal
	}
	fault.Message = r.step.name() + " " + how + said
	fault.Upstream.Body = rawjson.Quote(r.end(bodyLines, bodyBytes))
	return fault
}

// Bounds of what a fault repeats of a program's words.
const (
	saidLines, saidBytes = 5, 1000
	bodyLines, bodyBytes = 40, 4000
)

// said is the end of what a program said, after a mark; empty where it said nothing.
func (r *ran) said(mark string) string {
	if end := r.end(saidLines, saidBytes); end != "" {
		return mark + end
	}
	return ""
}

// end is the last lines of stderr, else of stdout.
func (r *ran) end(lines, size int) string {
	from := r.stderr
	if len(from) == 0 {
		for line := range strings.Lines(string(r.stdout[max(0, len(r.stdout)-size):])) {
			if line = printable(line); line != "" {
				from = append(from, line)
			}
		}
	}
	text := strings.Join(from[max(0, len(from)-lines):], "\n")
	if len(text) > size {
		text = "…" + strings.ToValidUTF8(text[len(text)-size:], "")
	}
	return text
}

// escapes are the sequences by which programs colour and move on a terminal (ECMA-48).
var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")

// printable is a line without what only a terminal understands.
func printable(line string) string {
	line = escapes.ReplaceAllString(line, "")
	line = strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' || c == 0x7f {
			return -1
		}
		return c
	}, strings.ToValidUTF8(line, "�"))
	return strings.TrimSpace(line)
}
