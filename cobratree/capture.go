package cobratree

import (
	"bytes"
	"crypto/rand"
	"io"
	"os"
	"sync"
)

// capturer catches what is written while something runs, one run at a time.
type capturer interface {
	during(limit int, run func(stdout io.Writer)) (text []byte, over bool)
}

// byWriter catches what goes through cobra's output alone.
type byWriter struct{}

func (byWriter) during(limit int, run func(io.Writer)) ([]byte, bool) {
	w := &limited{limit: limit}
	run(w)
	return w.take()
}

// limited keeps the beginning of what is written to it, up to its limit.
type limited struct {
	mu    sync.Mutex
	limit int
	text  []byte
	over  bool
}

func (l *limited) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := text[:min(len(text), l.limit-len(l.text))]
	l.text, l.over = append(l.text, kept...), l.over || len(kept) < len(text)
	return len(text), nil
}

func (l *limited) take() ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text, over := l.text, l.over
	l.text, l.over = nil, false
	return text, over
}

// streams are stdin and stdout taken for the protocol: everybody else who reads stdin finds its end,
// and whatever is written to stdout goes into a pipe.
type streams struct {
	in  io.ReadCloser  // the protocol's
	out io.WriteCloser // the protocol's

	stdout *os.File // the pipe that is stdout to everybody else
	mark   []byte   // tells where in the pipe a run begins and ends
	marks  chan struct{}
	held   *limited
}

// newStreams begins to read the pipe that stands for stdout.
func newStreams(in, out, pipe, stdout *os.File, limit int) *streams {
	s := &streams{in: in, out: out, stdout: stdout, mark: make([]byte, 32), marks: make(chan struct{}), held: &limited{limit: limit}}
	_, _ = rand.Read(s.mark) // never fails: crypto/rand ends the program instead
	go s.pump(pipe)
	return s
}

// pump reads the pipe for as long as the program lives. At each mark it waits until somebody has taken
// what came before it.
func (s *streams) pump(pipe *os.File) {
	chunk, rest := make([]byte, 64<<10), []byte(nil)
	for {
		n, err := pipe.Read(chunk)
		if err != nil {
			close(s.marks)
			return
		}
		rest = append(rest, chunk[:n]...)
		for {
			before, after, ok := bytes.Cut(rest, s.mark)
			if !ok {
				break
			}
			_, _ = s.held.Write(before)
			s.marks <- struct{}{}
			<-s.marks
			rest = append([]byte(nil), after...)
		}
		whole := max(0, len(rest)-len(s.mark)+1) // a mark may have begun in what is left
		_, _ = s.held.Write(rest[:whole])
		rest = append(rest[:0], rest[whole:]...)
	}
}

// taken is everything that was written up to now.
func (s *streams) taken() ([]byte, bool) {
	if _, err := s.stdout.Write(s.mark); err != nil {
		return s.held.take()
	}
	if _, ok := <-s.marks; !ok {
		return s.held.take()
	}
	text, over := s.held.take()
	s.marks <- struct{}{}
	return text, over
}

func (s *streams) during(_ int, run func(io.Writer)) ([]byte, bool) {
	s.taken() // what was written between the runs is nobody's
	run(s.stdout)
	return s.taken()
}
