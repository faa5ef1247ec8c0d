package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Process is a running program with everything that it started. Its methods are safe for
// concurrent use.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser // stays readable after the program has ended, until its end

	cmd  *exec.Cmd
	tail *tail
	done chan struct{} // closed when the tree is gone
	err  error         // how the program ended; read after done

	mu   sync.Mutex
	gone bool // guarded by mu; the group's number may belong to somebody else by now
}

// Start runs a program. The end of the context ends it and everything it started.
func Start(ctx context.Context, c Command) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &Process{cmd: exec.Command(c.Path, c.Args...), tail: &tail{}, done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = c.Dir, append([]string{}, c.Env...)
	isolate(p.cmd)
	stderr, err := p.start()
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", c.Path, err)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(p.tail, stderr)
		stderr.Close()
	}()
	go p.watch(drained)
	stop := context.AfterFunc(ctx, func() { p.Stop(c.Grace) })
	go func() {
		<-p.done
		stop()
	}()
	return p, nil
}

// start opens the three pipes and hands the child its ends. The parent keeps the others as files:
// what the program wrote before it ended stays readable afterwards.
func (p *Process) start() (stderr *os.File, err error) {
	var files []*os.File
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
			files = append(files, r, w)
		}
		return r, w
	}
	inR, inW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	if err == nil {
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, errW
		err = p.cmd.Start()
	}
	if err != nil {
		for _, f := range files {
			f.Close()
		}
		return nil, err
	}
	for _, f := range []*os.File{inR, outW, errW} {
		f.Close()
	}
	p.Stdin, p.Stdout = inW, outR
	return errR, nil
}

// lastWords is how long stderr is still read when the program is gone: one that escaped its group
// may hold it open for ever.
const lastWords = time.Second

// watch waits for the program, and takes with it what it left running.
func (p *Process) watch(drained <-chan struct{}) {
	err := p.cmd.Wait()
	p.mu.Lock()
	killGroup(p.cmd.Process)
	p.gone = true
	p.mu.Unlock()
	select {
	case <-drained:
	case <-time.After(lastWords):
	}
	p.err = err
	close(p.done)
}

// Kill ends the program and everything it started, at once. It does not wait.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		killGroup(p.cmd.Process)
	}
}

// Done is closed when the program and everything it started are gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits until the program and everything it started are gone. It is nil for exit status 0.
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// Close ends the program the polite way, as MCP asks of a client (spec 2026-07-28, transports,
// stdio): its input ends, after the grace it is asked to terminate, after another grace it is
// killed. It returns what Wait returns.
func (p *Process) Close(grace time.Duration) error {
	_ = p.Stdin.Close()
	if !p.within(grace) {
		p.Stop(grace)
	}
	return p.Wait()
}

// Stop asks the program and everything it started to end, and kills what is left after the grace.
func (p *Process) Stop(grace time.Duration) {
	if grace > 0 {
		p.terminate()
		p.within(grace)
	}
	p.Kill()
}

func (p *Process) terminate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		terminateGroup(p.cmd.Process)
	}
}

func (p *Process) within(grace time.Duration) bool {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}

// ExitCode is the exit status that an error of Wait tells of: 0 for nil, -1 where the program was
// killed or the error is another one.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return -1
}

// NotFound reports whether an error of Start means that there is no such program.
func NotFound(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist)
}

// Stderr is the last lines that the program wrote to stderr: at most TailLines.
func (p *Process) Stderr() []string { return p.tail.lines() }
