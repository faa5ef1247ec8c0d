package typed

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Convert writes a text as a value of the type. A text that the schema allows stays a text, whatever
// it looks like.
func (t *Type) Convert(text string) (json.RawMessage, error) {
	if t.IsFree(Bool) && !t.IsFree(Text) && (text == "true" || text == "false") {
		return json.RawMessage(text), nil
	}
	for _, value := range t.Values {
		if Plain(value) == text {
			return value, nil
		}
	}
	switch {
	case t.Kinds == 0 || t.IsFree(Text):
		return rawjson.Quote(text), nil
	case t.Is(Null) && text == "null":
		return json.RawMessage("null"), nil
	}
	if value, ok := t.number(text); ok {
		return value, nil
	}
	if yes, ok := Truth(text); ok && t.IsFree(Bool) {
		return fmt.Append(nil, yes), nil
	}
	if t.Is(Object|Array) && rawjson.Check([]byte(text)) == nil && t.fits([]byte(text)) {
		return json.RawMessage(text), nil
	}
	return nil, t.refuse(text)
}

// number is a text as a JSON number with all its digits.
func (t *Type) number(text string) (json.RawMessage, bool) {
	if !t.IsFree(Integer | Number) {
		return nil, false
	}
	sign := ""
	digits := strings.TrimPrefix(text, "+")
	if strings.HasPrefix(digits, "-") && digits == text {
		sign, digits = "-", digits[1:]
	}
	for len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		digits = digits[1:]
	}
	if strings.HasPrefix(digits, ".") {
		digits = "0" + digits
	}
	if digits == "" || digits[0] < '0' || digits[0] > '9' || rawjson.Check([]byte(digits)) != nil {
		return nil, false
	}
	if !t.IsFree(Number) && strings.ContainsAny(digits, ".eE") {
		return nil, false
	}
	return json.RawMessage(sign + strings.TrimRight(digits, " \t\r\n")), true
}

func (t *Type) refuse(text string) error {
	switch {
	case t.Values != nil:
		return NotOneOf(text, t.ValueTexts())
	case t.Is(Object) && t.Kinds&^Object != 0:
		return fmt.Errorf("%q is not %s; write an object with --set or --data", text, t.name())
	case t.Is(Object):
		return errors.New("takes an object; write it with --set or --data instead")
	}
	return fmt.Errorf("%q is not %s", text, t.name())
}

// TakesList reports whether a text is a whole JSON list of elements of this type.
func (t *Type) TakesList(text string) bool {
	raw := []byte(text)
	if rawjson.KindOf(raw) != rawjson.KindArray || rawjson.Check(raw) != nil {
		return false
	}
	for element := range rawjson.Elements(raw) {
		if t.Kinds != 0 && !t.fits(element) {
			return false
		}
	}
	return true
}

// fits reports whether a JSON value is of one of the types.
func (t *Type) fits(raw json.RawMessage) bool {
	kind := kindNamed(rawjson.KindOf(raw).String())
	return t.Is(kind) || kind == Number && t.Is(Integer)
}

// Truth reads a boolean as people write it.
func Truth(text string) (yes, ok bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	}
	return false, false
}

// NotOneOf says that a text is none of the values, which they are, and which one is near.
func NotOneOf(text string, values []string) error {
	shown := values
	more := ""
	if len(shown) > 20 {
		shown, more = shown[:20], fmt.Sprintf(" and %d more", len(values)-20)
	}
	says := fmt.Sprintf("%q is none of %s%s", text, strings.Join(shown, ", "), more)
	if near := rawjson.Nearest(values, text, 1); len(near) > 0 {
		says += fmt.Sprintf("; did you mean %s?", near[0])
	}
	return errors.New(says)
}

// name says in words what a value is.
func (t *Type) name() string {
	var names []string
	for _, k := range []struct {
		kind Kinds
		name string
	}{{Text, "text"}, {Integer, "a whole number"}, {Number, "a number"}, {Bool, "true or false"}, {Array, "a list"}, {Object, "an object"}} {
		if t.Is(k.kind) {
			names = append(names, k.name)
		}
	}
	if len(names) == 0 {
		return "a value"
	}
	return strings.Join(names, " or ")
}
