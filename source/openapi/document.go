package openapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/rawyaml"
)

// document is one file of a description, read into a tree.
type document struct {
	location string // absolute path or URL: what references are relative to
	shown    string // as people write it
	root     *rawjson.Node
	anchors  map[string]*rawjson.Node // built on first use
}

// at is the place of a node, as file:line.
func (d *document) at(n *rawjson.Node) string {
	if n == nil || n.Line == 0 {
		return d.shown
	}
	return fmt.Sprintf("%s:%d", d.shown, n.Line)
}

// library loads the files of one description, each once. It lives as long as one Read.
type library struct {
	ctx       context.Context
	fetch     func(ctx context.Context, url string) ([]byte, error)
	left      int64 // bytes that may still be read
	max       int64
	documents map[string]*document
	faults    map[string]error
	files     []string // locations in the order of reading
}

func isURL(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// open loads a file that the configuration names.
func (l *library) open(name string) (*document, error) {
	if isURL(name) {
		return l.load(name, name)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", name, err)
	}
	return l.load(path, name)
}

// follow loads the file that a reference in another one names. Nothing is loaded from a host but
// that of the document which refers to it.
func (l *library) follow(from *document, file string) (*document, error) {
	if isURL(from.location) {
		return l.followURL(from, file)
	}
	if scheme, _, found := strings.Cut(file, "://"); found {
		return nil, fmt.Errorf("%q is a %s address, and a description on disk loads nothing from elsewhere: put a copy beside it", file, scheme)
	}
	if plain, err := url.PathUnescape(file); err == nil {
		file = plain
	}
	path, shown := filepath.FromSlash(file), filepath.FromSlash(file)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(from.location), path)
		shown = filepath.Join(filepath.Dir(from.shown), shown)
	}
	return l.load(path, shown)
}

func (l *library) followURL(from *document, file string) (*document, error) {
	base, err := url.Parse(from.location)
	if err != nil {
		return nil, fmt.Errorf("read the address %q: %w", from.location, err)
	}
	to, err := base.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("read the reference %q: %w", file, err)
	}
	if to.Scheme != base.Scheme || to.Host != base.Host {
		return nil, fmt.Errorf("%q is not on the host of %s, and no other host is asked", file, from.shown)
	}
	return l.load(to.String(), to.String())
}

// load reads a file once; a file that could not be read is not tried again.
func (l *library) load(location, shown string) (*document, error) {
	if d, known := l.documents[location]; known {
		return d, l.faults[location]
	}
	d := &document{location: location, shown: shown}
	err := l.read(d)
	l.documents[location], l.faults[location] = d, err
	return d, err
}

func (l *library) read(d *document) error {
	read := l.readFile
	if isURL(d.location) {
		read = l.readURL
	}
	data, err := read(d)
	if err != nil {
		return err
	}
	l.left -= int64(len(data))
	l.files = append(l.files, d.location)
	d.root, err = parseDocument(data)
	if err == nil {
		return nil
	}
	fault := &twodoor.Error{Code: twodoor.CodeInvalid, Message: d.shown + ": " + err.Error(), Hint: "name the file or address of the description itself", Cause: err}
	if syntax, ok := errors.AsType[*rawjson.SyntaxError](err); ok {
		fault.Message = fmt.Sprintf("%s:%d:%d: %s", d.shown, syntax.Line, syntax.Column, syntax.Msg)
		fault.Hint = "mend the file there, or fetch it again if it was cut off"
	}
	return fault
}

func (l *library) readFile(d *document) ([]byte, error) {
	file, err := os.Open(d.location)
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot open " + d.shown + ": " + reasonOf(err),
			Hint: "check the path; it is relative to where the configuration lies", Cause: err}
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("look at %s: %w", d.shown, err)
	case !info.Mode().IsRegular():
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: d.shown + " is no regular file", Hint: "name the file of the description itself"}
	case info.Size() > l.left:
		return nil, l.tooLarge(d)
	}
	data := make([]byte, info.Size(), info.Size()+1)
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, fmt.Errorf("read %s: %w", d.shown, err)
	}
	return data, nil
}

func (l *library) readURL(d *document) ([]byte, error) {
	if l.fetch == nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: d.shown + " is a URL, and nothing is fetched here", Hint: "download it and name the file"}
	}
	data, err := l.fetch(l.ctx, d.location)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", d.shown, err)
	}
	if int64(len(data)) > l.left {
		return nil, l.tooLarge(d)
	}
	return data, nil
}

func (l *library) tooLarge(d *document) error {
	return &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("%s: the description is larger than %d bytes in all", d.shown, l.max),
		Hint: "split off what is not needed, or raise the bound of the source"}
}

// reasonOf is an error of the file system without the path, which the caller words.
func reasonOf(err error) string {
	if fault, ok := errors.AsType[*os.PathError](err); ok {
		return fault.Err.Error()
	}
	return err.Error()
}

// parseDocument reads JSON as JSON, and anything else as YAML.
func parseDocument(data []byte) (*rawjson.Node, error) {
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
	switch {
	case len(text) == 0:
		return nil, errors.New("it is empty")
	case text[0] == '<':
		return nil, errors.New("it is an HTML or XML page, not an OpenAPI description")
	case text[0] != '{' && text[0] != '[':
		return rawyaml.Parse(data, rawyaml.Limits{})
	}
	root, err := rawjson.Parse(data)
	if err == nil {
		return root, nil
	}
	if cut, changed := cutDeep(data); changed {
		if root, err := rawjson.Parse(cut); err == nil {
			return root, nil
		}
	}
	if text[0] == '{' {
		if root, yamlErr := rawyaml.Parse(data, rawyaml.Limits{}); yamlErr == nil {
			return root, nil
		}
	}
	return nil, err
}

// Values that nest deeper than deepest, where a document nests deeper than the parser takes, are
// replaced by an object of this one key, so that only what holds them is lost.
const (
	deepest    = rawjson.MaxDepth / 2
	tooDeepKey = "x-twodoor-too-deep"
)

// cutDeep replaces the values of a JSON text that nest too deep. Lines keep their numbers.
func cutDeep(data []byte) (cut []byte, changed bool) {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		c := data[i]
		keep := depth <= deepest
		switch {
		case inString && c == '\\' && i+1 < len(data):
			if keep {
				cut = append(cut, c, data[i+1])
			}
			i++
			continue
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth == deepest+1 {
				cut, changed = append(cut, `{"`+tooDeepKey+`":true}`...), true
			}
			keep = depth <= deepest
		case c == '}' || c == ']':
			depth--
		case c == '\n':
			keep = true
		}
		if keep {
			cut = append(cut, c)
		}
	}
	return cut, changed
}
