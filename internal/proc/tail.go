package proc

import (
	"bytes"
	"strings"
	"sync"
)

// Bounds of what is kept of stderr.
const (
	// TailLines is how many of the last lines are kept.
	TailLines = 200
	maxLine   = 4 << 10 // bytes kept of a line
)

// tail keeps the last lines of what is written to it.
type tail struct {
	mu   sync.Mutex
	ring []string // at most TailLines, the oldest at head
	head int
	part []byte // of a line without its end yet
}

// Write takes text apart into lines; it never fails.
func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(text)
	for {
		line, rest, ended := bytes.Cut(text, []byte{'\n'})
		t.part = append(t.part, line[:min(len(line), maxLine-len(t.part))]...)
		if !ended {
			return n, nil
		}
		t.keep(string(t.part))
		t.part, text = t.part[:0], rest
	}
}

func (t *tail) keep(line string) {
	line = strings.TrimSuffix(line, "\r")
	if len(t.ring) < TailLines {
		t.ring = append(t.ring, line)
		return
	}
	t.ring[t.head] = line
	t.head = (t.head + 1) % TailLines
}

func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := append([]string{}, t.ring[t.head:]...)
	lines = append(lines, t.ring[:t.head]...)
	if len(t.part) > 0 {
		lines = append(lines, string(t.part))
	}
	return lines[max(0, len(lines)-TailLines):]
}
