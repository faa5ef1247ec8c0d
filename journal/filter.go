package journal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/sqldb"
)

// Filter picks records: all of its terms must hold. The zero value picks all.
type Filter struct {
	terms []term
}

type term struct {
	condition string
	args      []any
}

// Filter words and what they look at. A * stands for any text.
var filterColumns = map[string]string{
	"op": "operation", "operation": "operation", "code": "code", "door": "door", "client": "client",
	"principal": "principal", "session": "session", "call": "call_id", "kind": "kind",
}

var filterWords = []string{"op", "code", "door", "client", "principal", "session", "call", "kind", "dur", "since", "until"}

// ParseFilter reads a filter: words of the form key:value, and words that the record must contain.
//
//	op:harbor.* code:timeout door:mcp client:cursor dur:>500ms session:s1 since:1h disk "two words" -door:cli
//
// A * in a value stands for any text; client:x means that the name contains x; code:error is every
// code but ok. since and until take a span (1h, 7d), a date, or RFC 3339. A minus before a word
// turns it round. Upper and lower case are one.
func ParseFilter(text string, now time.Time) (Filter, error) {
	var f Filter
	words, err := splitWords(text)
	if err != nil {
		return f, err
	}
	for _, word := range words {
		body, not := strings.CutPrefix(word, "-")
		t, err := termOf(body, now)
		if err != nil {
			return Filter{}, err
		}
		if not {
			t.condition = "NOT (" + t.condition + ")"
		}
		f.terms = append(f.terms, t)
	}
	return f, nil
}

func termOf(word string, now time.Time) (term, error) {
	key, value, has := strings.Cut(word, ":")
	if !has || strings.HasPrefix(word, `"`) || strings.ContainsAny(key, " /") {
		return like("record", "*"+strings.Trim(word, `"`)+"*"), nil
	}
	value = strings.Trim(value, `"`)
	switch {
	case key == "dur":
		return durTerm(value)
	case key == "since", key == "until":
		at, err := timeOf(value, now)
		if err != nil {
			return term{}, err
		}
		if key == "since" {
			return term{"at >= ?", []any{at.UnixMicro()}}, nil
		}
		return term{"at < ?", []any{at.UnixMicro()}}, nil
	case key == "code" && value == "error":
		return term{"code NOT IN ('ok', '')", nil}, nil
	case key == "code" && !strings.Contains(value, "*") && new(twodoor.Code).UnmarshalText([]byte(value)) != nil:
		return term{}, badFilter(fmt.Sprintf("there is no code %q", value), nearest(codeNames(), value)+"; error is any")
	case key == "client":
		value = "*" + value + "*"
	}
	column := filterColumns[key]
	if column == "" {
		return term{}, badFilter(fmt.Sprintf("there is no filter %q", key+":"), nearest(filterWords, key)+`; quote a text that has a colon: "a:b"`)
	}
	return like(column, value), nil
}

func like(column, glob string) term {
	glob = strings.ToLower(strings.ToValidUTF8(strings.ReplaceAll(glob, "\x00", ""), "?"))
	return term{"lower(" + column + `) LIKE ? ESCAPE '\'`, []any{strings.ReplaceAll(sqldb.Like(glob), "*", "%")}}
}

func durTerm(value string) (term, error) {
	op := ">="
	for _, sign := range []string{">=", "<=", ">", "<"} {
		if rest, ok := strings.CutPrefix(value, sign); ok {
			op, value = sign, rest
			break
		}
	}
	d, err := time.ParseDuration(value)
	if err != nil {
		return term{}, badFilter(fmt.Sprintf("%q is no duration", value), "write it like dur:>500ms or dur:<2s")
	}
	return term{"duration " + op + " ?", []any{d.Microseconds()}}, nil
}

// timeOf reads a moment: a span before now, a date, or RFC 3339.
func timeOf(value string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(value, "d"); ok {
		var n int
		if _, err := fmt.Sscanf(days, "%d", &n); err == nil && fmt.Sprint(n) == days {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(value); err == nil {
		return now.Add(-max(d, -d)), nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, value, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, badFilter(fmt.Sprintf("%q is no time", value), "write it like since:1h, since:7d, since:2026-01-31 or since:2026-01-31T08:00:00Z")
}

func codeNames() []string {
	names := []string{"ok", "error"}
	for _, c := range twodoor.Codes() {
		names = append(names, c.String())
	}
	return names
}

// nearest tells the words that are meant perhaps, else all that there are.
func nearest(words []string, to string) string {
	if near := rawjson.Nearest(words, to, 3); len(near) > 0 {
		return "the nearest are " + strings.Join(near, ", ")
	}
	return "there are " + strings.Join(words, ", ")
}

func badFilter(message, hint string) error {
	return &twodoor.Error{Code: twodoor.CodeInvalid, Message: message, Hint: hint}
}

// splitWords splits at spaces outside of double quotes, which stay.
func splitWords(text string) ([]string, error) {
	var words []string
	quoted, begun := false, -1
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ' ' && !quoted:
			if begun >= 0 {
				words = append(words, text[begun:i])
			}
			begun = -1
			continue
		}
		if begun < 0 {
			begun = i
		}
	}
	if quoted {
		return nil, badFilter("a quote is not closed", `write "two words"`)
	}
	if begun >= 0 {
		words = append(words, text[begun:])
	}
	return slices.DeleteFunc(words, func(w string) bool { return strings.Trim(w, `-"`) == "" }), nil
}

// sql is the filter as conditions, each after an AND.
func (f Filter) sql() (where string, args []any) {
	for _, t := range f.terms {
		where += " AND " + t.condition
		args = append(args, t.args...)
	}
	return where, args
}
