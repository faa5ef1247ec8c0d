package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
)

// frames reads the lines of a stream, each of them in memory of its own.
type frames struct {
	r   *bufio.Reader
	max int // bytes of one line
}

func newFrames(in io.Reader, longest int) *frames {
	return &frames{r: bufio.NewReaderSize(in, 64<<10), max: longest}
}

// longLine is a line over the bound: it was skipped, and the next one can be read.
type longLine struct {
	id string // of the message, where its beginning or end shows one
}

func (*longLine) Error() string { return ErrTooLarge.Error() }
func (*longLine) Unwrap() error { return ErrTooLarge }

// next is the next line that is not blank, without its end. The last line needs no end.
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

func (f *frames) line() (line []byte, err error) {
	for {
		part, err := f.r.ReadSlice('\n')
		if len(line)+len(part) > f.max {
			return nil, f.skip(append(line[:min(len(line), edge):edge], part[:min(len(part), edge)]...), part, err)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// edge is how much of a line that is too long is looked at for its id, at either end.
const edge = 512

var idMember = regexp.MustCompile(`"id"\s*:\s*"?(\d+)"?\s*[,}]`)

// skip reads on to the end of the line. The ends of what it skipped are searched for the id.
func (f *frames) skip(head, part []byte, err error) error {
	tail := append([]byte{}, part[max(0, len(part)-edge):]...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = f.r.ReadSlice('\n')
		tail = append(tail, part[max(0, len(part)-edge):]...)
		tail = tail[max(0, len(tail)-edge):]
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	found := &longLine{}
	for _, end := range [][]byte{head[:min(len(head), 64)], tail[max(0, len(tail)-64):]} {
		if id := idMember.FindSubmatch(end); id != nil {
			found.id = string(id[1])
		}
	}
	return found
}
