package wire

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/twodoor/twodoor/internal/proc"
)

// Stdio is a server in a child process: one message a line on stdin and stdout. What else it prints
// on stdout is counted and left out.
type Stdio struct {
	*mux
	process *proc.Process
	queue   chan []byte
	closing sync.Once

	noise struct {
		sync.Mutex
		count int
		first string
	}
}

// maxNoise is how much is kept of the first line that is no protocol.
const maxNoise = 200

// StartStdio starts a program and speaks to it. The context is the life of the program.
func StartStdio(ctx context.Context, c proc.Command, longest int, in Inbound) (*Stdio, error) {
	process, err := proc.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	s := &Stdio{process: process, queue: make(chan []byte, 16)}
	s.mux = newMux(in, s.write)
	go s.writeAll()
	go s.read(longest)
	return s, nil
}

// write hands a line to the writer: a program that reads nothing blocks its own callers only.
func (s *Stdio) write(ctx context.Context, line []byte) error {
	select {
	case s.queue <- append(line, '\n'):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return s.Err()
	}
}

func (s *Stdio) writeAll() {
	for {
		select {
		case line := <-s.queue:
			if _, err := s.process.Stdin.Write(line); err != nil {
				return // the reader learns why
			}
		case <-s.done:
			return
		}
	}
}

func (s *Stdio) read(longest int) {
	lines := newFrames(s.process.Stdout, longest)
	for {
		line, err := lines.next()
		if long, ok := errors.AsType[*longLine](err); ok {
			s.fail(long.id, ErrTooLarge)
			continue
		}
		if err != nil {
			s.ended()
			return
		}
		if s.take(line) != nil {
			s.stray(line)
		}
	}
}

func (s *Stdio) stray(line []byte) {
	s.noise.Lock()
	defer s.noise.Unlock()
	if s.noise.count++; s.noise.count == 1 {
		s.noise.first = string(line[:min(len(line), maxNoise)])
	}
}

// Noise is how many lines of stdout were no protocol, and the first of them.
func (s *Stdio) Noise() (count int, first string) {
	s.noise.Lock()
	defer s.noise.Unlock()
	return s.noise.count, s.noise.first
}

// lastWords is how long a program that closed its stdout may go on before it is killed.
const lastWords = time.Second

// ended takes the program's status and its last words.
func (s *Stdio) ended() {
	select {
	case <-s.process.Done():
	case <-time.After(lastWords):
		s.process.Kill()
	}
	err := s.process.Wait()
	_, _ = s.process.Stdin.Close(), s.process.Stdout.Close()
	s.die(&EndedError{Exit: proc.ExitCode(err), Stderr: s.process.Stderr()})
}

// Stderr is the last lines that the program wrote to stderr.
func (s *Stdio) Stderr() []string { return s.process.Stderr() }

// Close ends the program and everything it started.
func (s *Stdio) Close(grace time.Duration) {
	s.closing.Do(func() {
		s.die(ErrClosed)
		_ = s.process.Close(grace)
		_ = s.process.Stdout.Close() // one that left the group may hold its other end for ever
	})
}
