package shape

import (
	"context"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Program is a jq program that annotations carry: it runs on many answers, so a
// plain path and a comparison with a literal are answered without the interpreter.
type Program string

// Check reports why it is no program.
func (p Program) Check() error {
	query, err := gojq.Parse(string(p))
	if err != nil {
		return misparsed(string(p), err)
	}
	if _, err := gojq.Compile(query); err != nil {
		return &Error{Message: "jq: " + err.Error(), Hint: "there are no modules and no input"}
	}
	return nil
}

// Run is what the program puts out for a value: null where a plain path leads
// nowhere.
func (p Program) Run(ctx context.Context, raw []byte) ([]byte, error) {
	if path, ok := plainPath(string(p)); ok {
		return follow(raw, path), nil
	}
	return runJQ(ctx, raw, string(p))
}

// Holds reports whether the program's output is true: anything but false, null
// and nothing at all. A program that fails does not hold.
func (p Program) Holds(ctx context.Context, raw []byte) bool {
	if left, right, found := strings.Cut(string(p), "=="); found {
		path, plain := plainPath(strings.TrimSpace(left))
		literal := []byte(strings.TrimSpace(right))
		if plain && rawjson.Check(literal) == nil {
			return rawjson.Equal(follow(raw, path), literal)
		}
	}
	out, err := p.Run(ctx, raw)
	if err != nil {
		return false
	}
	switch string(out) {
	case "", "null", "false", "[]":
		return false
	}
	return true
}

func follow(raw []byte, path []string) []byte {
	if value, found := rawjson.GetPath(raw, path...); found {
		return value
	}
	return []byte("null")
}

// plainPath takes .a.b[0].c apart; false where the program is anything more.
func plainPath(program string) (steps []string, ok bool) {
	rest, dotted := strings.CutPrefix(strings.TrimSpace(program), ".")
	if !dotted {
		return nil, false
	}
	for rest != "" {
		n := strings.IndexFunc(rest, func(r rune) bool { return !isWord(r) })
		if n < 0 {
			n = len(rest)
		}
		word := rest[:n]
		if word == "" || word[0] >= '0' && word[0] <= '9' {
			return nil, false
		}
		steps = append(steps, word)
		if rest, ok = cutIndexes(rest[n:], &steps); !ok {
			return nil, false
		}
	}
	return steps, true
}

// cutIndexes takes [0][1] and the dot after it off.
func cutIndexes(rest string, steps *[]string) (string, bool) {
	for strings.HasPrefix(rest, "[") {
		index, after, closed := strings.Cut(rest[1:], "]")
		if !closed || index == "" || strings.Trim(index, "0123456789") != "" {
			return "", false
		}
		*steps = append(*steps, index)
		rest = after
	}
	if rest == "" {
		return "", true
	}
	after, dotted := strings.CutPrefix(rest, ".")
	return after, dotted && after != ""
}

func isWord(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
