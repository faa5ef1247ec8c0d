package args

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/twodoor/twodoor/door/cli/internal/typed"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Reader reads the values of a line, and what they name: stdin and files.
type Reader struct {
	Stdin io.Reader                         // nil: empty
	Open  func(name string) ([]byte, error) // nil: os.ReadFile
	Now   func() time.Time                  // nil: time.Now
	Dry   bool                              // nothing is read

	Owner  string // the flag that has taken stdin; only one can
	Unread bool   // something was not read, because of Dry
}

// maxRead bounds what one flag reads from stdin or a file, in bytes.
const maxRead = 128 << 20

func (r *Reader) open(name string) ([]byte, error) {
	if r.Open != nil {
		return r.Open(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll reads to the end, or to the bound: a pipe or a device need not have an end.
func readAll(from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, maxRead+1))
	if err == nil && len(data) > maxRead {
		return nil, fmt.Errorf("it is larger than the bound of %d MiB", maxRead>>20)
	}
	return data, err
}

func (r *Reader) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// value writes the texts of one flag or operand as the JSON that the schema wants: the type comes
// from the schema, never from the look of the text.
func (r *Reader) value(t *typed.Type, as string, texts []string) (json.RawMessage, error) {
	if t.Is(typed.Array) {
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
func (r *Reader) list(t *typed.Type, as string, texts []string) (json.RawMessage, error) {
	items := t.Items
	if items == nil {
		items = &typed.Type{}
	}
	if len(texts) == 1 {
		text := texts[0]
		switch {
		case t.Is(typed.Text):
			return r.scalar(&typed.Type{Kinds: t.Kinds &^ typed.Array, Values: t.Values, Free: t.Free &^ typed.Array}, as, text)
		case text == "":
			return json.RawMessage(`[]`), nil
		case items.TakesList(text):
			return json.RawMessage(text), nil
		case items.Kinds != 0 && !items.Flat():
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
func (r *Reader) element(t *typed.Type, as, text string) (json.RawMessage, error) {
	if t.Binary() || t.IsTime() {
		return r.scalar(t, as, text)
	}
	return t.Convert(text)
}

func (r *Reader) scalar(t *typed.Type, as, text string) (json.RawMessage, error) {
	stdin := text == "-" && (t.Kinds == 0 || t.Is(typed.Text|typed.Object))
	switch {
	case t.Binary():
		return r.content(as, text)
	case stdin && !t.IsTime():
		data, err := r.readStdin(as)
		if err != nil {
			return nil, err
		}
		if t.Is(typed.Object) && !t.Is(typed.Text) {
			return structured(data)
		}
		return textOf(data)
	case t.IsTime():
		return t.Time(text, r.now())
	}
	return t.Convert(text)
}

// content is a binary input: a file named by @path or stdin as a data: URL, or what is base64 already.
func (r *Reader) content(as, text string) (json.RawMessage, error) {
	var data []byte
	var err error
	name := ""
	unread := r.Unread
	defer func() { r.Unread = unread }() // whatever a file holds, it is content of the right type
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

func (r *Reader) readStdin(as string) ([]byte, error) {
	if r.Owner != "" {
		return nil, fmt.Errorf("reads stdin, and so does %s: only one can", r.Owner)
	}
	r.Owner = as
	if r.Dry {
		r.Unread = true
		return []byte("{}"), nil
	}
	if r.Stdin == nil {
		return nil, nil
	}
	data, err := readAll(r.Stdin)
	if err != nil {
		return nil, fmt.Errorf("reads stdin: %w", err)
	}
	return data, nil
}

func (r *Reader) readFile(as, name string) ([]byte, error) {
	if name == "-" {
		return r.readStdin(as)
	}
	if r.Dry {
		r.Unread = true
		return []byte("{}"), nil
	}
	data, err := r.open(name)
	if err != nil {
		return nil, fmt.Errorf("reads a file: %w", err)
	}
	return data, nil
}
