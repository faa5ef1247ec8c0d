package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errLongLine is a line over the bound. It was skipped; the next one can be read.
var errLongLine = errors.New("line too long")

// frames reads the lines of a stream.
type frames struct {
	r   *bufio.Reader
	max int // bytes of one line
}

func newFrames(in io.Reader, longest int) *frames {
	return &frames{r: bufio.NewReaderSize(in, 64<<10), max: longest}
}

// next is the next line that is not blank, without its end, in memory of its own. The last line
// needs no end. The error is io.EOF at the end, errLongLine, or the reader's.
func (f *frames) next() ([]byte, error) {
	for {
		line, err := f.line()
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// line reads up to the end of a line, and fails after the whole of it where it is too long.
func (f *frames) line() (line []byte, err error) {
	tooLong := false
	for {
		part, err := f.r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > f.max; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLongLine
		}
		return line, err
	}
}
