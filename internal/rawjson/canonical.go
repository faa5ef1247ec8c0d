package rawjson

import (
	"slices"
	"strconv"
)

// AppendCanonical appends a text that is the same for all values that are
// [Equal]: members sorted by key, numbers as digits and exponent, strings with
// the same escapes. Of a repeated key the last member counts.
func AppendCanonical(dst, raw []byte) []byte {
	raw = Trim(raw)
	switch KindOf(raw) {
	case KindString:
		text, _ := String(raw)
		return AppendString(dst, text)
	case KindNumber:
		return newDecimal(raw).append(dst)
	case KindArray:
		dst = append(dst, '[')
		first := true
		for v := range Elements(raw) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = AppendCanonical(dst, v)
		}
		return append(dst, ']')
	case KindObject:
		return appendSorted(dst, raw)
	}
	return append(dst, raw...)
}

func appendSorted(dst, raw []byte) []byte {
	values := make(map[string][]byte)
	var keys []string
	for key, v := range Members(raw) {
		if _, known := values[key]; !known {
			keys = append(keys, key)
		}
		values[key] = v
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, key)
		dst = append(dst, ':')
		dst = AppendCanonical(dst, values[key])
	}
	return append(dst, '}')
}

// append writes the digits as an integer and the exponent after e; an exponent
// of 0 is left out.
func (d decimal) append(dst []byte) []byte {
	if d.digits == 0 {
		return append(dst, '0')
	}
	if d.negative {
		dst = append(dst, '-')
	}
	for i := range d.digits {
		dst = append(dst, d.digit(i))
	}
	if d.exp != 0 {
		dst = append(dst, 'e')
		dst = strconv.AppendInt(dst, int64(d.exp), 10)
	}
	return dst
}
