package rawjson

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// SyntaxError tells where a text stops being JSON.
type SyntaxError struct {
	Line   int // from 1
	Column int // from 1, in characters
	Offset int // from 0, in bytes
	Msg    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// Check tells whether raw is one JSON value by RFC 8259: UTF-8, no byte order
// mark, nesting at most [MaxDepth]. A fault is a *[SyntaxError].
func Check(raw []byte) error {
	s := scanner{data: raw}
	if err := s.encoding(); err != nil {
		return err
	}
	if err := s.value(0); err != nil {
		return err
	}
	return s.end()
}

// scanner reads tokens strictly. line counts from 0 and is kept by space.
type scanner struct {
	data []byte
	pos  int
	line int
}

func (s *scanner) fault(at int, msg string) error {
	before := s.data[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return &SyntaxError{
		Line:   bytes.Count(before, []byte{'\n'}) + 1,
		Column: utf8.RuneCount(before[start:]) + 1,
		Offset: at,
		Msg:    msg,
	}
}

// unexpected is the fault at the current position.
func (s *scanner) unexpected(wanted string) error {
	if s.pos >= len(s.data) {
		return s.fault(len(s.data), "the text ends where "+wanted+" should be")
	}
	r, _ := utf8.DecodeRune(s.data[s.pos:])
	return s.fault(s.pos, fmt.Sprintf("%q where %s should be", r, wanted))
}

func (s *scanner) encoding() error {
	if isUTF16(s.data) {
		return s.fault(0, "the text is UTF-16; save it as UTF-8")
	}
	if utf8.Valid(s.data) {
		return nil
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(s.data[at:])
		if r == utf8.RuneError && size == 1 {
			return s.fault(at, fmt.Sprintf("byte 0x%02x is not UTF-8; save the text as UTF-8", s.data[at]))
		}
		at += size
	}
}

// isUTF16 looks for a byte order mark, or a zero byte beside the first
// character, which UTF-8 JSON never has.
func isUTF16(data []byte) bool {
	if len(data) < 2 {
		return false
	}
	a, b := data[0], data[1]
	return a == 0xFE && b == 0xFF || a == 0xFF && b == 0xFE || a == 0 || a < utf8.RuneSelf && b == 0
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case '\n':
			s.line++
		case ' ', '\t', '\r':
		default:
			return
		}
		s.pos++
	}
}

// peek skips white space and returns the byte there, 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// end checks that only white space is left.
func (s *scanner) end() error {
	if s.peek(); s.pos < len(s.data) {
		return s.unexpected("the end of the text")
	}
	return nil
}

func (s *scanner) value(depth int) error {
	switch s.peek() {
	case '{':
		return s.object(depth + 1)
	case '[':
		return s.array(depth + 1)
	default:
		_, err := s.scalar()
		return err
	}
}

func (s *scanner) object(depth int) error {
	if err := s.open(depth); err != nil {
		return err
	}
	if s.peek() == '}' {
		s.pos++
		return nil
	}
	for {
		if err := s.key(); err != nil {
			return err
		}
		if err := s.value(depth); err != nil {
			return err
		}
		if more, err := s.next('}'); !more {
			return err
		}
	}
}

func (s *scanner) array(depth int) error {
	if err := s.open(depth); err != nil {
		return err
	}
	if s.peek() == ']' {
		s.pos++
		return nil
	}
	for {
		if err := s.value(depth); err != nil {
			return err
		}
		if more, err := s.next(']'); !more {
			return err
		}
	}
}

// open steps over an opening bracket.
func (s *scanner) open(depth int) error {
	if depth > MaxDepth {
		return s.fault(s.pos, fmt.Sprintf("nested deeper than %d", MaxDepth))
	}
	s.pos++
	return nil
}

// key steps over a member's key and colon.
func (s *scanner) key() error {
	if s.peek() != '"' {
		return s.unexpected("a key in double quotes")
	}
	if err := s.text(); err != nil {
		return err
	}
	if s.peek() != ':' {
		return s.unexpected("a colon after the key")
	}
	s.pos++
	return nil
}

// next steps over a comma (more is true) or the closing bracket.
func (s *scanner) next(closing byte) (more bool, err error) {
	switch s.peek() {
	case ',':
		s.pos++
		return true, nil
	case closing:
		s.pos++
		return false, nil
	}
	if closing == '}' {
		return false, s.unexpected("a comma or } after the member")
	}
	return false, s.unexpected("a comma or ] after the element")
}

// scalar steps over a string, number, true, false or null.
func (s *scanner) scalar() (Kind, error) {
	if s.pos >= len(s.data) {
		return KindInvalid, s.unexpected("a value")
	}
	switch c := s.data[s.pos]; c {
	case '"':
		return KindString, s.text()
	case 't':
		return KindBool, s.word("true")
	case 'f':
		return KindBool, s.word("false")
	case 'n':
		return KindNull, s.word("null")
	default:
		if c == '-' || isDigit(c) {
			return KindNumber, s.number()
		}
		return KindInvalid, s.unexpected("a value")
	}
}

func (s *scanner) word(word string) error {
	if !bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
		return s.unexpected("a value")
	}
	s.pos += len(word)
	return nil
}

// text steps over a string.
func (s *scanner) text() error {
	start := s.pos
	for at := s.pos + 1; at < len(s.data); {
		switch c := s.data[at]; {
		case c == '"':
			s.pos = at + 1
			return nil
		case c == '\\':
			size := escapeLen(s.data[at:])
			if size == 0 {
				return s.fault(at, "a bad escape in a string; known are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX")
			}
			at += size
		case c < ' ':
			return s.fault(at, fmt.Sprintf("%q inside a string; write it as an escape", rune(c)))
		default:
			at++
		}
	}
	return s.fault(start, "a string without its closing quote")
}

func escapeLen(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	}
	if hex4(text) < 0 {
		return 0
	}
	return 6
}

// number steps over a number.
func (s *scanner) number() error {
	if s.data[s.pos] == '-' {
		s.pos++
	}
	if s.pos < len(s.data) && s.data[s.pos] == '0' {
		s.pos++
		if s.pos < len(s.data) && isDigit(s.data[s.pos]) {
			return s.fault(s.pos-1, "a number with a leading zero")
		}
	} else if err := s.digits(); err != nil {
		return err
	}
	if s.pos < len(s.data) && s.data[s.pos] == '.' {
		s.pos++
		if err := s.digits(); err != nil {
			return err
		}
	}
	if s.pos < len(s.data) && s.data[s.pos]|0x20 == 'e' {
		s.pos++
		if s.pos < len(s.data) && (s.data[s.pos] == '+' || s.data[s.pos] == '-') {
			s.pos++
		}
		return s.digits()
	}
	return nil
}

func (s *scanner) digits() error {
	start := s.pos
	for s.pos < len(s.data) && isDigit(s.data[s.pos]) {
		s.pos++
	}
	if s.pos == start {
		return s.unexpected("a digit")
	}
	return nil
}
