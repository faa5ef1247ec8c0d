package cli

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// value writes the texts of one flag or operand as the JSON that the schema wants: the type comes
// from the schema, never from the look of the text.
func (r *run) value(t *valueType, as string, texts []string) (json.RawMessage, error) {
	if t.is(isArray) {
		return r.list(t, as, texts)
	}
	for _, other := range texts[1:] {
		if other != texts[0] {
			return nil, fmt.Errorf("takes one value, and has two: %s and %s", texts[0], other)
		}
	}
	return r.scalar(t, as, texts[0])
}

// list takes a flag once with commas between the elements, or once for each element. Where the
// schema allows, a single one is the whole list in JSON; and it is a text where that is allowed too.
func (r *run) list(t *valueType, as string, texts []string) (json.RawMessage, error) {
	items := t.items
	if items == nil {
		items = &valueType{}
	}
	if len(texts) == 1 {
		text := texts[0]
		switch {
		case t.is(isText):
			return r.scalar(&valueType{kinds: t.kinds &^ isArray, values: t.values, free: t.free &^ isArray}, as, text)
		case text == "":
			return json.RawMessage(`[]`), nil
		case items.takes(text):
			return json.RawMessage(text), nil
		case items.kinds != 0 && !items.flat():
			return nil, errors.New("takes a list of objects; write it with --set or --data instead")
		}
		texts = strings.Split(text, ",")
		for i := range texts {
			texts[i] = strings.TrimSpace(texts[i])
		}
	}
	var out rawjson.Array
	for _, text := range texts {
		element, err := r.element(items, as, text)
		if err != nil {
			return nil, err
		}
		out.Add(element)
	}
	return out.Bytes(), nil
}

// element is one element of a list. A text element never reads stdin.
func (r *run) element(t *valueType, as, text string) (json.RawMessage, error) {
	if t.binary() || t.isTime() {
		return r.scalar(t, as, text)
	}
	return t.convert(text)
}

// takes reports whether a text is a whole JSON list of elements of this type.
func (t *valueType) takes(text string) bool {
	raw := []byte(text)
	if rawjson.KindOf(raw) != rawjson.KindArray || rawjson.Check(raw) != nil {
		return false
	}
	for element := range rawjson.Elements(raw) {
		if t.kinds != 0 && !t.fits(element) {
			return false
		}
	}
	return true
}

// fits reports whether a JSON value is of one of the types.
func (t *valueType) fits(raw json.RawMessage) bool {
	kind := kindNamed(rawjson.KindOf(raw).String())
	return t.is(kind) || kind == isNumber && t.is(isInteger)
}

func (r *run) scalar(t *valueType, as, text string) (json.RawMessage, error) {
	stdin := text == "-" && (t.kinds == 0 || t.is(isText|isObject))
	switch {
	case t.binary():
		return r.content(as, text)
	case stdin && !t.isTime():
		data, err := r.readStdin(as)
		if err != nil {
			return nil, err
		}
		if t.is(isObject) && !t.is(isText) {
			return structured(data)
		}
		return textOf(data)
	case t.isTime():
		return t.time(text, r.door.now())
	}
	return t.convert(text)
}

// convert writes a text as a value of the type. A text that the schema allows stays a text, whatever
// it looks like.
func (t *valueType) convert(text string) (json.RawMessage, error) {
	if t.isFree(isBool) && !t.isFree(isText) && (text == "true" || text == "false") {
		return json.RawMessage(text), nil
	}
	for _, value := range t.values {
		if plain(value) == text {
			return value, nil
		}
	}
	switch {
	case t.kinds == 0 || t.isFree(isText):
		return rawjson.Quote(text), nil
	case t.is(isNull) && text == "null":
		return json.RawMessage("null"), nil
	}
	if value, ok := t.number(text); ok {
		return value, nil
	}
	if yes, ok := truth(text); ok && t.isFree(isBool) {
		return fmt.Append(nil, yes), nil
	}
	if t.is(isObject|isArray) && rawjson.Check([]byte(text)) == nil && t.fits([]byte(text)) {
		return json.RawMessage(text), nil
	}
	return nil, t.refuse(text)
}

// number is a text as a JSON number with all its digits.
func (t *valueType) number(text string) (json.RawMessage, bool) {
	if !t.isFree(isInteger | isNumber) {
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
	if !t.isFree(isNumber) && strings.ContainsAny(digits, ".eE") {
		return nil, false
	}
	return json.RawMessage(sign + strings.TrimRight(digits, " \t\r\n")), true
}

func (t *valueType) refuse(text string) error {
	switch {
	case t.values != nil:
		return notOneOf(text, t.valueTexts())
	case t.is(isObject):
		return errors.New("takes an object; write it with --set or --data instead")
	}
	return fmt.Errorf("%q is not %s", text, t.name())
}

// content is a binary input: a file named by @path or stdin as a data: URL, or what is base64 already.
func (r *run) content(as, text string) (json.RawMessage, error) {
	var data []byte
	var err error
	name := ""
	switch {
	case text == "-":
		data, err = r.readStdin(as)
	case strings.HasPrefix(text, "@"):
		name = filepath.Base(text[1:])
		data, err = r.readFile(as, text[1:])
	default:
		return rawjson.Quote(text), nil
	}
	if err != nil {
		return nil, err
	}
	return rawjson.Quote(dataURL(name, data)), nil
}

// dataURL is content with its type and name (RFC 2397).
func dataURL(name string, data []byte) string {
	kind := mediaType(name, data)
	if name != "" {
		kind += ";name=" + url.PathEscape(name)
	}
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// mediaTypes are those that content cannot tell; the machine's own table would make the request
// depend on the machine.
var mediaTypes = map[string]string{
	".json": "application/json", ".yaml": "application/yaml", ".yml": "application/yaml", ".csv": "text/csv",
	".tsv": "text/tab-separated-values", ".md": "text/markdown", ".html": "text/html", ".css": "text/css",
	".js": "text/javascript", ".svg": "image/svg+xml", ".xml": "application/xml", ".txt": "text/plain", ".log": "text/plain",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}

func mediaType(name string, data []byte) string {
	if kind, ok := mediaTypes[strings.ToLower(filepath.Ext(name))]; ok {
		return kind
	}
	kind, _, _ := strings.Cut(http.DetectContentType(data), ";")
	return kind
}

// textOf is the content of a file or of stdin as a JSON string, untouched.
func textOf(data []byte) (json.RawMessage, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("is text, and what it reads is not UTF-8")
	}
	return rawjson.Quote(string(data)), nil
}

// stdin is read once, by whoever asks first.
type stdin struct{ owner string }

func (r *run) readStdin(as string) ([]byte, error) {
	if r.stdin.owner != "" {
		return nil, fmt.Errorf("reads stdin, and so does %s: only one can", r.stdin.owner)
	}
	r.stdin.owner = as
	if r.dry {
		r.unread = true
		return []byte("{}"), nil
	}
	if r.door.Stdin == nil {
		return nil, nil
	}
	data, err := io.ReadAll(r.door.Stdin)
	if err != nil {
		return nil, fmt.Errorf("read stdin: %w", err)
	}
	return data, nil
}

func (r *run) readFile(as, name string) ([]byte, error) {
	if name == "-" {
		return r.readStdin(as)
	}
	if r.dry {
		r.unread = true
		return []byte("{}"), nil
	}
	data, err := r.door.open(name)
	if err != nil {
		return nil, fmt.Errorf("reads a file: %w", err)
	}
	return data, nil
}

// name says in words what a value is.
func (t *valueType) name() string {
	var names []string
	for _, k := range []struct {
		kind kinds
		name string
	}{{isText, "text"}, {isInteger, "a whole number"}, {isNumber, "a number"}, {isBool, "true or false"}, {isArray, "a list"}, {isObject, "an object"}} {
		if t.is(k.kind) {
			names = append(names, k.name)
		}
	}
	if len(names) == 0 {
		return "a value"
	}
	return strings.Join(names, " or ")
}
