package bundle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// The layout: magic, then the directory (how many sections; of each its name, offset, length and
// checksum), then the checksum of all that, then the sections. Numbers are little-endian.
const (
	magic      = "2door\x00b1"
	maxSection = 1 << 30
	maxHeader  = 1 << 16
)

// ErrDamaged is the error of a file that is no bundle, an old one, or not what was written.
var ErrDamaged = errors.New("the bundle is damaged or from another version")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// span is where a piece of the file lies, and its checksum.
type span struct {
	at   int64
	size uint32
	sum  uint32
}

// read fetches a piece and checks it.
func (s span) read(file io.ReaderAt) ([]byte, error) {
	data := make([]byte, s.size)
	if _, err := file.ReadAt(data, s.at); err != nil || sum(data) != s.sum {
		return nil, ErrDamaged
	}
	return data, nil
}

// section is a named piece on its way to the file.
type section struct {
	name string
	data []byte
}

// writeFile writes sections to a file beside the path, and then puts it in the path's place: no
// reader ever sees half a bundle, and of two writers the later one stays.
func writeFile(path string, sections []section) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".bundle-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	if err := errors.Join(writeSections(file, sections), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

func writeSections(w io.Writer, sections []section) error {
	if _, err := w.Write(header(sections)); err != nil {
		return err
	}
	for _, s := range sections {
		if _, err := w.Write(s.data); err != nil {
			return err
		}
	}
	return nil
}

// header is the directory with its own checksum. Offsets count from the file's beginning.
func header(sections []section) []byte {
	at := int64(len(magic) + 4 + 4)
	for _, s := range sections {
		at += int64(1 + len(s.name) + 8 + 4 + 4)
	}
	head := append([]byte(magic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(head[len(magic):], uint32(at))
	for _, s := range sections {
		head = append(head, byte(len(s.name)))
		head = append(head, s.name...)
		head = binary.LittleEndian.AppendUint64(head, uint64(at))
		head = binary.LittleEndian.AppendUint32(head, uint32(len(s.data)))
		head = binary.LittleEndian.AppendUint32(head, sum(s.data))
		at += int64(len(s.data))
	}
	return binary.LittleEndian.AppendUint32(head, sum(head))
}

// readHeader reads the directory of a file.
func readHeader(file io.ReaderAt) (map[string]span, error) {
	start := make([]byte, len(magic)+4)
	if _, err := file.ReadAt(start, 0); err != nil || string(start[:len(magic)]) != magic {
		return nil, ErrDamaged
	}
	size := binary.LittleEndian.Uint32(start[len(magic):])
	if size < uint32(len(start)+4) || size > maxHeader {
		return nil, ErrDamaged
	}
	head := make([]byte, size)
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, ErrDamaged
	}
	body, check := head[:size-4], binary.LittleEndian.Uint32(head[size-4:])
	if sum(body) != check {
		return nil, ErrDamaged
	}
	return parseDirectory(body[len(start):])
}

func parseDirectory(body []byte) (map[string]span, error) {
	sections := map[string]span{}
	for len(body) > 0 {
		n := 1 + int(body[0])
		if len(body) < n+16 {
			return nil, ErrDamaged
		}
		s := span{
			at:   int64(binary.LittleEndian.Uint64(body[n:])),
			size: binary.LittleEndian.Uint32(body[n+8:]),
			sum:  binary.LittleEndian.Uint32(body[n+12:]),
		}
		if s.size > maxSection {
			return nil, fmt.Errorf("section %q claims %d bytes: %w", body[1:n], s.size, ErrDamaged)
		}
		sections[string(body[1:n])] = s
		body = body[n+16:]
	}
	return sections, nil
}
