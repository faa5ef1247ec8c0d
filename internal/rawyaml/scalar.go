package rawyaml

import (
	"math/big"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"go.yaml.in/yaml/v4"
)

func (b *builder) scalar(y *yaml.Node) (*rawjson.Node, error) {
	kind, text := rawjson.KindString, ""
	if !quoted(y) {
		kind, text = resolve(y.Value)
	}
	if y.Style&yaml.TaggedStyle != 0 {
		var err error
		if kind, text, err = tagged(y, kind, text); err != nil {
			return nil, err
		}
	}
	n := b.newNode(y, kind)
	if kind == rawjson.KindString {
		n.Text = b.slab(func(dst []byte) []byte { return rawjson.AppendString(dst, y.Value) }, len(y.Value))
		return n, nil
	}
	n.Text = b.slab(func(dst []byte) []byte { return append(dst, text...) }, len(text))
	return n, nil
}

func quoted(y *yaml.Node) bool {
	const styles = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return y.Style&styles != 0
}

// slab appends a text of about size bytes to the current slab of texts.
func (b *builder) slab(write func([]byte) []byte, size int) []byte {
	const slab = 16 << 10
	if cap(b.textSlab)-len(b.textSlab) < size+2 {
		b.textSlab = make([]byte, 0, max(size+2, min(slab, max(256, 2*cap(b.textSlab)))))
	}
	from := len(b.textSlab)
	b.textSlab = write(b.textSlab)
	return b.textSlab[from:len(b.textSlab):len(b.textSlab)]
}

// tagged obeys an explicit tag of the core schema; other tags say nothing.
func tagged(y *yaml.Node, kind rawjson.Kind, text string) (rawjson.Kind, string, error) {
	wanted := kind
	switch y.ShortTag() {
	case "!!str", "!!binary", "!!timestamp":
		return rawjson.KindString, "", nil
	case "!!int", "!!float":
		wanted = rawjson.KindNumber
	case "!!bool":
		wanted = rawjson.KindBool
	case "!!null":
		wanted = rawjson.KindNull
	}
	if kind != wanted {
		kind, text = resolve(y.Value)
	}
	if kind != wanted {
		return kind, text, at(y, "%q is tagged %s but is none", y.Value, y.ShortTag())
	}
	return kind, text, nil
}

// resolve finds the kind of a plain scalar by the core schema (YAML 1.2.2,
// §10.3.2) and, unless it is a string, its JSON text.
func resolve(value string) (rawjson.Kind, string) {
	switch value {
	case "", "~", "null", "Null", "NULL":
		return rawjson.KindNull, "null"
	case "true", "True", "TRUE":
		return rawjson.KindBool, "true"
	case "false", "False", "FALSE":
		return rawjson.KindBool, "false"
	}
	if text, ok := number(value); ok {
		return rawjson.KindNumber, text
	}
	return rawjson.KindString, ""
}

// number returns the JSON text of a number of the core schema.
func number(value string) (string, bool) {
	if c := value[0]; c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') {
		return "", false
	}
	if based, ok := basedInteger(value); ok {
		return based, true
	}
	rest, sign := value, ""
	if rest[0] == '-' || rest[0] == '+' {
		sign, rest = strings.TrimPrefix(rest[:1], "+"), rest[1:]
	}
	whole, rest := cutDigits(rest)
	fraction := ""
	if strings.HasPrefix(rest, ".") {
		fraction, rest = cutDigits(rest[1:])
	}
	if whole == "" && fraction == "" {
		return "", false
	}
	exponent, ok := exponentOf(rest)
	if !ok {
		return "", false
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction + exponent, true
}

// basedInteger reads 0o17 and 0x1F, which have no sign in the core schema.
func basedInteger(value string) (string, bool) {
	base := 0
	switch {
	case strings.HasPrefix(value, "0o"):
		base = 8
	case strings.HasPrefix(value, "0x"):
		base = 16
	default:
		return "", false
	}
	digits := value[2:]
	if digits == "" || strings.ContainsAny(digits, "_+-") || len(digits) > 1000 {
		return "", false
	}
	n, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return "", false
	}
	return n.String(), true
}

func cutDigits(s string) (digits, rest string) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:]
}

// exponentOf reads the end of a number: nothing, or e with digits.
func exponentOf(rest string) (string, bool) {
	if rest == "" {
		return "", true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return "", false
	}
	unsigned := rest[1:]
	if unsigned != "" && (unsigned[0] == '-' || unsigned[0] == '+') {
		unsigned = unsigned[1:]
	}
	digits, left := cutDigits(unsigned)
	return rest, digits != "" && left == ""
}
