package typed

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// IsTime reports whether values of the type are points in time.
func (t *Type) IsTime() bool {
	switch t.Format {
	case "date-time", "date", "unix-time", "unix-time-ms":
		return t.Is(Text|Integer|Number) && t.Values == nil
	}
	return false
}

// milliseconds begin here: as seconds, it would be the year 5138.
const milliseconds = 100_000_000_000

// Time writes a point in time as the API wants it. A text that already has that form goes as it is.
func (t *Type) Time(text string, now time.Time) (json.RawMessage, error) {
	if t.Is(Text) && t.written(text) {
		return rawjson.Quote(text), nil
	}
	if t.Format == "date-time" {
		now = now.Truncate(time.Second) // many an API takes no fractions, and who writes 24h means none
	}
	at, err := when(text, now)
	if err != nil {
		return nil, err
	}
	switch t.Format {
	case "date":
		return rawjson.Quote(at.Format(time.DateOnly)), nil
	case "date-time":
		return rawjson.Quote(at.UTC().Format(time.RFC3339Nano)), nil
	}
	n := at.Unix()
	if t.Format == "unix-time-ms" {
		n = at.UnixMilli()
	}
	if t.Is(Integer | Number) {
		return strconv.AppendInt(nil, n, 10), nil
	}
	return rawjson.Quote(strconv.FormatInt(n, 10)), nil
}

// written reports whether a text has the form of the format already.
func (t *Type) written(text string) bool {
	var err error
	switch t.Format {
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	default:
		return false
	}
	return err == nil
}

// when reads a point in time: a span back ("24h" or "-24h") or ahead ("+7d"), "now", a date, RFC
// 3339 with or without zone and seconds, or seconds or milliseconds since 1970.
func when(text string, now time.Time) (time.Time, error) {
	if text == "now" {
		return now, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && text[0] != '+' {
		if n >= milliseconds || n <= -milliseconds {
			return time.UnixMilli(n), nil
		}
		return time.Unix(n, 0), nil
	}
	if d, ok := span(strings.TrimLeft(text, "+-")); ok && len(text)-len(strings.TrimLeft(text, "+-")) <= 1 {
		if text[0] == '+' {
			return now.Add(d), nil
		}
		return now.Add(-d), nil
	}
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: write 24h (ago), +7d (ahead), now, 2026-01-31, an RFC 3339 time, or seconds", text)
}

// span reads a length of time with the units w, d, h, m, s.
func span(text string) (time.Duration, bool) {
	var sum time.Duration
	for len(text) > 0 {
		end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
		if end <= 0 {
			return 0, false
		}
		n, err := strconv.ParseInt(text[:end], 10, 32)
		unit, ok := units[text[end]]
		if err != nil || !ok {
			return 0, false
		}
		sum += time.Duration(n) * unit
		text = text[end+1:]
	}
	return sum, sum != 0
}

var units = map[byte]time.Duration{
	's': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
}
