package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
)

// confirm sees to the yes that an operation which destroys needs: asked for on a terminal, --yes
// elsewhere. What the profile does not show is left to the engine to refuse.
func (r *run) confirm(ctx context.Context, op *twodoor.Operation, call *twodoor.Call) error {
	if op.Effect != twodoor.Destroys || call.Confirm != "" || call.Mode == twodoor.DryRun || !r.shows(twodoor.EntryOf(op)) {
		return nil
	}
	if r.asks() {
		if !Ask(ctx, r.door.Stdin, r.door.Stderr, r.door.command(op.ID)+" destroys something. Go on?") {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return &twodoor.Error{Code: twodoor.CodeConfirm, Message: "not confirmed: nothing was called"}
		}
		call.Confirm = twodoor.ConfirmYes
		return nil
	}
	return &twodoor.Error{
		Code:    twodoor.CodeConfirm,
		Message: op.ID + " destroys something and needs a yes; nothing was called",
		Hint:    "ask the person; after a yes give the same line again with --yes, or look at it first with --dry-run",
	}
}

// asks reports whether there is a person to ask.
func (r *run) asks() bool {
	return r.door.StdinTTY && r.door.StderrTTY && !r.opts.noInput && r.reader.Owner == ""
}

// Ask puts a question to the person at the terminal. Whatever is no yes is a no; so is a context that
// ends before the answer has come.
func Ask(ctx context.Context, in io.Reader, out io.Writer, question string) bool {
	fmt.Fprint(out, Printable(question)+" [y/N] ")
	answered := make(chan string, 1)
	go func() { // it stays behind where nobody answers: a read from a terminal cannot be called off
		answer, err := bufio.NewReader(in).ReadString('\n')
		if err != nil {
			fmt.Fprintln(out)
		}
		answered <- answer
	}()
	select {
	case answer := <-answered:
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return true
		}
	case <-ctx.Done():
		fmt.Fprintln(out)
	}
	return false
}

// progress is the line that tells how far a long call is, on a terminal only.
type progress struct {
	run   *run
	begun time.Time
	last  time.Time
	shown bool
}

// Progress is told for work that takes longer than this, and so often.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

func (r *run) progress() *progress { return &progress{run: r, begun: r.door.now()} }

func (p *progress) tell(at twodoor.Progress) {
	r := p.run
	now := r.door.now()
	if !r.door.StderrTTY || r.opts.quiet || r.door.Env["TERM"] == "dumb" || now.Sub(p.begun) < progressAfter || now.Sub(p.last) < progressEvery {
		return
	}
	p.last, p.shown = now, true
	text := at.Message
	if at.Total > 0 {
		text = fmt.Sprintf("%3.0f%% %s", 100*at.Done/at.Total, text)
	}
	fmt.Fprintf(r.door.Stderr, "\r\x1b[K%s", oneLine(Printable(text), r.width()-1))
}

func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.run.door.Stderr, "\r\x1b[K")
	}
}
