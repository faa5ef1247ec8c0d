package rawjson

// Kind is the type of a JSON value.
type Kind uint8

// The kinds. KindInvalid is the zero value: no JSON value at all.
const (
	KindInvalid Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

var kindNames = [...]string{"invalid", "null", "boolean", "number", "string", "array", "object"}

// String returns the name that JSON Schema uses for the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "invalid"
}

// KindOf tells the kind of a value by its first byte, white space aside.
func KindOf(raw []byte) Kind {
	pos := skipSpace(raw, 0)
	if pos == len(raw) {
		return KindInvalid
	}
	switch c := raw[pos]; c {
	case '{':
		return KindObject
	case '[':
		return KindArray
	case '"':
		return KindString
	case 't', 'f':
		return KindBool
	case 'n':
		return KindNull
	default:
		if c == '-' || isDigit(c) {
			return KindNumber
		}
		return KindInvalid
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
