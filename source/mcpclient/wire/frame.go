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
			head := append(append([]byte{}, line[:min(len(line), edge)]...), part[:min(len(part), edge)]...)
			return nil, f.skip(head, part, err)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// edge is how much of a line that is too long is looked at for its id, at either end.
const edge = 512

// Where the id of a message stands, if at either end of it: nothing of what it carries is taken for it.
var (
	idFirst = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*"?(\d+)"?\s*,`)
	idLast  = regexp.MustCompile(`,\s*"id"\s*:\s*"?(\d+)"?\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

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
	id := idFirst.FindSubmatch(head)
	if id == nil {
		id = idLast.FindSubmatch(tail)
	}
	if id == nil {
		return &longLine{}
	}
	return &longLine{string(id[1])}
}
