package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
)

// callLog is told of every call, and of what goes wrong beside them. What comes from outside is quoted:
// nobody writes lines into it.
type callLog struct {
	mu   sync.Mutex
	errs io.Writer
	file *os.File // nil: calls are not logged
	last string
}

func openLog(path string, errs io.Writer) (*callLog, error) {
	l := &callLog{errs: errs}
	if path == "" {
		return l, nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open MCP_BRIDGE_LOG: %w", err)
	}
	l.file = file
	return l, nil
}

// Observe logs a call that ended.
func (l *callLog) Observe(e twodoor.Event) {
	if l.file == nil {
		return
	}
	line := fmt.Sprintf("call %s tool=%q outcome=%s took=%s bytes=%d", e.CallID, e.Operation, e.Code, e.Duration.Round(time.Microsecond), e.BytesOut)
	if e.Fault != nil {
		line += fmt.Sprintf(" fault=%q", e.Fault.Message)
	}
	l.write(line)
}

// note tells what goes wrong beside the calls, once as long as it stays the same.
func (l *callLog) note(err error) {
	text := err.Error()
	if fault := twodoor.AsError(err); fault.Hint != "" {
		text += "; " + fault.Hint
	}
	l.mu.Lock()
	again := l.last == text
	l.last = text
	l.mu.Unlock()
	if again {
		return
	}
	fmt.Fprintf(l.errs, "mcpbridge: %s\n", text)
	if l.file != nil {
		l.write(fmt.Sprintf("note %q", text))
	}
}

func (l *callLog) write(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = fmt.Fprintf(l.file, "%s %s\n", time.Now().UTC().Format(time.RFC3339Nano), line) // a full disk stops no call
}

func (l *callLog) close() {
	if l.file != nil {
		l.file.Close()
	}
}
