package rawjson

import (
	"bytes"
	"strconv"
	"strings"
)

// decimal is a number as digits × 10^exp, digits without zeros at either end;
// zero has no digits.
type decimal struct {
	negative    bool
	whole, rest []byte // the digits, in two parts around the decimal point
	digits      int
	exp         int
}

// IsInteger tells whether a JSON number has no fraction: 1, 1.0 and 1e2 are
// integers, as in JSON Schema.
func IsInteger(number []byte) bool {
	if isShortInteger(number) {
		return true
	}
	return newDecimal(number).exp >= 0
}

// CompareNumbers orders two JSON numbers by value, however many digits they
// have: -1, 0 or 1.
func CompareNumbers(a, b []byte) int {
	if isShortInteger(a) && isShortInteger(b) {
		return compareInts(shortInteger(a), shortInteger(b))
	}
	x, y := newDecimal(a), newDecimal(b)
	switch {
	case x.sign() != y.sign():
		return compareInts(int64(x.sign()), int64(y.sign()))
	case x.digits == 0:
		return 0
	}
	return x.sign() * x.compareSize(y)
}

// isShortInteger tells digits, with or without a minus, that fit an int64.
func isShortInteger(number []byte) bool {
	if len(number) > 0 && number[0] == '-' {
		number = number[1:]
	}
	if len(number) == 0 || len(number) > 18 {
		return false
	}
	for _, c := range number {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

func shortInteger(number []byte) int64 {
	var v int64
	for _, c := range number {
		if c != '-' {
			v = v*10 + int64(c-'0')
		}
	}
	if number[0] == '-' {
		return -v
	}
	return v
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func newDecimal(number []byte) decimal {
	var d decimal
	if len(number) > 0 && number[0] == '-' {
		d.negative, number = true, number[1:]
	}
	if at := bytes.IndexAny(number, "eE"); at >= 0 {
		d.exp = exponent(number[at+1:])
		number = number[:at]
	}
	d.whole, d.rest, _ = bytes.Cut(number, []byte{'.'})
	d.exp -= len(d.rest)
	d.trim()
	return d
}

// exponent reads the digits after e. One beyond a billion counts as a billion,
// which no bound comes near.
func exponent(text []byte) int {
	v, err := strconv.Atoi(string(text))
	const most = 1_000_000_000
	if err != nil && strings.HasPrefix(string(text), "-") {
		return -most
	}
	if err != nil {
		return most
	}
	return max(-most, min(v, most))
}

// trim drops zeros at both ends.
func (d *decimal) trim() {
	d.whole = bytes.TrimLeft(d.whole, "0")
	if len(d.whole) == 0 {
		d.rest = bytes.TrimLeft(d.rest, "0")
	}
	before := len(d.rest)
	d.rest = bytes.TrimRight(d.rest, "0")
	d.exp += before - len(d.rest)
	if len(d.rest) == 0 {
		before = len(d.whole)
		d.whole = bytes.TrimRight(d.whole, "0")
		d.exp += before - len(d.whole)
	}
	if d.digits = len(d.whole) + len(d.rest); d.digits == 0 {
		d.exp, d.negative = 0, false
	}
}

func (d decimal) sign() int {
	switch {
	case d.digits == 0:
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d decimal) digit(i int) byte {
	if i < len(d.whole) {
		return d.whole[i]
	}
	if i -= len(d.whole); i < len(d.rest) {
		return d.rest[i]
	}
	return '0'
}

// compareSize compares two numbers other than zero without their signs.
func (d decimal) compareSize(e decimal) int {
	if order := compareInts(int64(d.digits+d.exp), int64(e.digits+e.exp)); order != 0 {
		return order
	}
	for i := range max(d.digits, e.digits) {
		if order := compareInts(int64(d.digit(i)), int64(e.digit(i))); order != 0 {
			return order
		}
	}
	return 0
}

// Equal tells whether two values are the same: numbers by value, strings
// decoded, objects whatever the order of their members.
func Equal(a, b []byte) bool {
	a, b = Trim(a), Trim(b)
	if bytes.Equal(a, b) {
		return true
	}
	kind := KindOf(a)
	if kind != KindOf(b) {
		return false
	}
	switch kind {
	case KindNumber:
		return CompareNumbers(a, b) == 0
	case KindString:
		x, _ := String(a)
		y, _ := String(b)
		return x == y
	case KindArray:
		return equalArrays(a, b)
	case KindObject:
		return equalObjects(a, b)
	}
	return false
}

func equalArrays(a, b []byte) bool {
	if Len(a) != Len(b) {
		return false
	}
	others := make([][]byte, 0, 8)
	for v := range Elements(b) {
		others = append(others, v)
	}
	i := 0
	for v := range Elements(a) {
		if !Equal(v, others[i]) {
			return false
		}
		i++
	}
	return true
}

func equalObjects(a, b []byte) bool {
	others := make(map[string][]byte)
	for key, v := range Members(b) {
		others[key] = v
	}
	mine := make(map[string][]byte, len(others))
	for key, v := range Members(a) {
		mine[key] = v
	}
	if len(mine) != len(others) {
		return false
	}
	for key, v := range mine {
		if other, found := others[key]; !found || !Equal(v, other) {
			return false
		}
	}
	return true
}
