package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// event is one event of a stream (WHATWG HTML, "Server-sent events").
type event struct {
	name string
	data []byte // in memory of its own
}

// eventReader reads a stream of events.
type eventReader struct {
	r      *bufio.Reader
	max    int           // bytes of one event
	lastID string        // of the last event that had one
	retry  time.Duration // what the server asks for before a reconnect; 0: nothing
	skipLF bool          // the last line ended in CR
	begun  bool
}

func newEventReader(in io.Reader, longest int) *eventReader {
	return &eventReader{r: bufio.NewReaderSize(in, 8<<10), max: longest}
}

// next is the next event that has data or a name. The last one needs no blank line behind it.
func (e *eventReader) next() (*event, error) {
	ev, lines := &event{}, 0
	for {
		line, err := e.line(e.max - len(ev.data))
		if len(line) > 0 {
			lines += e.field(ev, line)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		done := len(line) == 0 || err != nil
		if done && (lines > 0 || ev.name != "") {
			return ev, nil
		}
		if err != nil {
			return nil, err
		}
		if done {
			*ev, lines = event{}, 0
		}
	}
}

// field takes one line; it counts lines of data.
func (e *eventReader) field(ev *event, line []byte) int {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		if ev.data != nil {
			ev.data = append(ev.data, '\n')
			ev.data = append(ev.data, value...)
		} else {
			ev.data = value
		}
		return 1
	case "event":
		ev.name = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			e.lastID = string(value)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			e.retry = time.Duration(ms) * time.Millisecond
		}
	}
	return 0
}

// line reads up to LF, CR or both, none of which is waited for longer than needed.
func (e *eventReader) line(longest int) (line []byte, err error) {
	line = []byte{}
	for {
		if _, err := e.r.Peek(1); err != nil {
			return line, err
		}
		ready, _ := e.r.Peek(e.r.Buffered())
		ready = e.strip(ready)
		end := bytes.IndexByte(ready, '\n')
		if cr := bytes.IndexByte(ready[:max(end, 0)], '\r'); cr >= 0 {
			end = cr
		} else if end < 0 {
			end = bytes.IndexByte(ready, '\r')
		}
		part := ready
		if end >= 0 {
			part = ready[:end]
		}
		if len(line)+len(part) > longest {
			return nil, ErrTooLarge
		}
		line = append(line, part...)
		if end >= 0 {
			e.skipLF = ready[end] == '\r'
			_, _ = e.r.Discard(end + 1)
			return line, nil
		}
		_, _ = e.r.Discard(len(ready))
	}
}

// strip leaves out the second half of a CRLF, and a byte order mark at the beginning.
func (e *eventReader) strip(ready []byte) []byte {
	cut := 0
	if e.skipLF && ready[0] == '\n' {
		cut = 1
	}
	if !e.begun && bytes.HasPrefix(ready, []byte("\xef\xbb\xbf")) {
		cut = 3
	}
	e.skipLF, e.begun = false, true
	_, _ = e.r.Discard(cut)
	return ready[cut:]
}
