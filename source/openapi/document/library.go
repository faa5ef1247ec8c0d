package document

import (
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
	"github.com/twodoor/twodoor/internal/secret"
)

// Library loads the files of one description, each once. It lives as long as one Read.
type Library struct {
	ctx       context.Context
	fetch     func(ctx context.Context, url string) ([]byte, error)
	left      int64 // bytes that may still be read
	max       int64
	home      string // the folder of the description, where it is on disk
	documents map[string]*File
	faults    map[string]error
	Files     []string // locations in the order of reading
}

// New loads with fetch what is a URL (nil: URLs are refused), and at most max bytes in all.
func New(ctx context.Context, fetch func(ctx context.Context, url string) ([]byte, error), max int64) *Library {
	return &Library{ctx: ctx, fetch: fetch, left: max, max: max, documents: map[string]*File{}, faults: map[string]error{}}
}

// IsURL reports whether a text is an HTTP address.
func IsURL(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// Open loads a file that the configuration names.
func (l *Library) Open(name string) (*File, error) {
	if IsURL(name) {
		return l.load(name, name)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", name, err)
	}
	if l.home == "" {
		l.home = filepath.Dir(path)
	}
	return l.load(path, name)
}

// follow loads the file that a reference in another one names. Nothing is loaded from a host but
// that of the document which refers to it, and from disk nothing but what lies with the description:
// in its folder, beside that folder, or below. A description may have come from anywhere, and must
// not read what else this machine has.
func (l *Library) follow(from *File, file string) (*File, error) {
	if IsURL(from.Location) {
		return l.followURL(from, file)
	}
	if scheme, _, found := strings.Cut(file, "://"); found {
		return nil, fmt.Errorf("%q is a %s address, and a description on disk loads nothing from elsewhere: put a copy beside it", file, scheme)
	}
	if plain, err := url.PathUnescape(file); err == nil {
		file = plain
	}
	path := filepath.Join(filepath.Dir(from.Location), filepath.FromSlash(file))
	if filepath.IsAbs(filepath.FromSlash(file)) || !l.holds(path) {
		return nil, fmt.Errorf("%q lies outside of the folder of the description and those beside it: put a copy there", file)
	}
	return l.load(path, filepath.Join(filepath.Dir(from.Shown), filepath.FromSlash(file)))
}

// holds reports whether a path lies where references may lead. The first document that was opened
// says where that is.
func (l *Library) holds(path string) bool {
	around := filepath.Dir(l.home)
	if filepath.Dir(around) == around {
		around = l.home // beside a folder of the root lies the whole machine
	}
	within, err := filepath.Rel(around, path)
	return err == nil && within != ".." && !strings.HasPrefix(within, ".."+string(filepath.Separator))
}

func (l *Library) followURL(from *File, file string) (*File, error) {
	base, err := url.Parse(from.Location)
	if err != nil {
		return nil, fmt.Errorf("read the address %q: %w", from.Location, err)
	}
	to, err := base.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("read the reference %q: %w", file, err)
	}
	if to.Scheme != base.Scheme || to.Host != base.Host {
		return nil, fmt.Errorf("%q is not on the host of %s, and no other host is asked", file, from.Shown)
	}
	return l.load(to.String(), to.String())
}

// load reads a file once; a file that could not be read is not tried again.
func (l *Library) load(location, shown string) (*File, error) {
	if d, known := l.documents[location]; known {
		return d, l.faults[location]
	}
	if IsURL(location) {
		shown = string(secret.Hide([]byte(shown))) // an address may carry a key
	}
	d := &File{Location: location, Shown: shown}
	err := l.read(d)
	l.documents[location], l.faults[location] = d, err
	return d, err
}

func (l *Library) read(d *File) error {
	read := l.readFile
	if IsURL(d.Location) {
		read = l.readURL
	}
	data, err := read(d)
	if err != nil {
		return err
	}
	l.left -= int64(len(data))
	l.Files = append(l.Files, d.Location)
	d.Root, err = parseDocument(data)
	if err == nil {
		return nil
	}
	fault := &twodoor.Error{Code: twodoor.CodeInvalid, Message: d.Shown + ": " + err.Error(), Hint: "name the file or address of the description itself", Cause: err}
	if syntax, ok := errors.AsType[*rawjson.SyntaxError](err); ok {
		fault.Message = fmt.Sprintf("%s:%d:%d: %s", d.Shown, syntax.Line, syntax.Column, syntax.Msg)
		fault.Hint = "mend the file there, or fetch it again if it was cut off"
	}
	return fault
}

func (l *Library) readFile(d *File) ([]byte, error) {
	file, err := os.Open(d.Location)
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot open " + d.Shown + ": " + reasonOf(err),
			Hint: "check the path; it is relative to where the configuration lies", Cause: err}
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("look at %s: %w", d.Shown, err)
	case !info.Mode().IsRegular():
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: d.Shown + " is no regular file", Hint: "name the file of the description itself"}
	case info.Size() > l.left:
		return nil, l.tooLarge(d)
	}
	data := make([]byte, info.Size(), info.Size()+1)
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, fmt.Errorf("read %s: %w", d.Shown, err)
	}
	return data, nil
}

func (l *Library) readURL(d *File) ([]byte, error) {
	if l.fetch == nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: d.Shown + " is a URL, and nothing is fetched here", Hint: "download it and name the file"}
	}
	data, err := l.fetch(l.ctx, d.Location)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", d.Shown, err)
	}
	if int64(len(data)) > l.left {
		return nil, l.tooLarge(d)
	}
	return data, nil
}

func (l *Library) tooLarge(d *File) error {
	return &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("%s: the description is larger than %d bytes in all", d.Shown, l.max),
		Hint: "split off what is not needed, or raise the bound of the source"}
}

// reasonOf is an error of the file system without the path, which the caller words.
func reasonOf(err error) string {
	if fault, ok := errors.AsType[*os.PathError](err); ok {
		return fault.Err.Error()
	}
	return err.Error()
}
