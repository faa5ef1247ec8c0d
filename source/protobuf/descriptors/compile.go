package descriptors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/twodoor/twodoor"
)

// compilation is one compiling of .proto files.
type compilation struct {
	roots []string // import paths
	max   int64

	mu   sync.Mutex
	read map[string]string // import name → path on disk
	size int64
}

// compile compiles files in process.
func (in *Input) compile(ctx context.Context) (*Set, error) {
	c := &compilation{roots: slices.Clone(in.ImportPaths), max: in.maxBytes(), read: map[string]string{}}
	names, err := c.names(in.Files)
	if err != nil {
		return nil, err
	}
	files, err := c.run(ctx, names)
	if err != nil {
		return nil, err
	}
	set := &Set{placeOf: c.placeOf}
	set.Files = append(set.Files, files...)
	for _, place := range c.read {
		set.Read = append(set.Read, place)
	}
	slices.Sort(set.Read)
	return set, nil
}

func (c *compilation) run(ctx context.Context, names []string) (files []protoreflect.FileDescriptor, err error) {
	defer func() {
		if p := recover(); p != nil {
			files, err = nil, invalid(fmt.Sprintf("the files cannot be compiled: %v", p), "check them with buf lint or protoc")
		}
	}()
	compiler := protocompile.Compiler{Resolver: c, SourceInfoMode: protocompile.SourceInfoStandard}
	linked, err := compiler.Compile(ctx, names...)
	if err != nil {
		return nil, c.fault(ctx, err)
	}
	for _, f := range linked {
		files = append(files, f)
	}
	return files, nil
}

// names are the files as imports call them. A file outside of every import path is looked for in its
// own folder.
func (c *compilation) names(given []string) ([]string, error) {
	var names []string
	for _, place := range given {
		info, err := os.Stat(place)
		if err != nil {
			return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no file " + place, Hint: "correct protobuf.files", Cause: err}
		}
		if !info.IsDir() {
			names = append(names, c.nameOf(place, filepath.Dir(place)))
			continue
		}
		found, err := protosBelow(place)
		if err != nil {
			return nil, fmt.Errorf("list the files of %q: %w", place, err)
		}
		if len(found) == 0 {
			return nil, invalid("there is no .proto file in "+place, "correct protobuf.files")
		}
		for _, file := range found {
			names = append(names, c.nameOf(file, place))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func protosBelow(folder string) (found []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".proto") {
			found = append(found, path)
		}
		return err
	})
	return found, err
}

func (c *compilation) nameOf(place, fallback string) string {
	best := ""
	for _, root := range c.roots {
		name, err := filepath.Rel(root, place)
		if err == nil && filepath.IsLocal(name) && (best == "" || len(name) < len(best)) {
			best = name
		}
	}
	if best == "" {
		c.roots = append(c.roots, fallback)
		best, _ = filepath.Rel(fallback, place) // it is below it
	}
	return filepath.ToSlash(best)
}

// missing is an import that is nowhere.
type missing struct{ name string }

func (m *missing) Error() string { return fmt.Sprintf("%q is not found", m.name) }

// FindFileByPath finds what is imported: on the import paths, else among the bundled files.
func (c *compilation) FindFileByPath(name string) (protocompile.SearchResult, error) {
	if !strings.HasPrefix(name, "google/protobuf/") {
		if text, ok, err := c.source(name); ok || err != nil {
			return protocompile.SearchResult{Source: text}, err
		}
	}
	if slices.Contains(wellKnown, name) { // the library's own: options of a copy have to be translated one by one
		file, err := protoregistry.GlobalFiles.FindFileByPath(name)
		return protocompile.SearchResult{Desc: file}, err
	}
	files, err := bundled()
	if err != nil {
		return protocompile.SearchResult{}, err
	}
	if file := files[name]; file != nil {
		return protocompile.SearchResult{Proto: file}, nil
	}
	if text, ok, err := c.source(name); ok || err != nil {
		return protocompile.SearchResult{Source: text}, err
	}
	return protocompile.SearchResult{}, &missing{name}
}

// source reads a file from the first import path that has it.
func (c *compilation) source(name string) (io.Reader, bool, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, false, nil
	}
	for _, root := range c.roots {
		place := filepath.Join(root, filepath.FromSlash(name))
		text, err := os.ReadFile(place)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		return bytes.NewReader(text), true, c.note(name, place, len(text))
	}
	return nil, false, nil
}

func (c *compilation) note(name, place string, size int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read[name] = place
	if c.size += int64(size); c.size > c.max {
		return &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("the files are larger than the bound of %d MiB together", c.max>>20)}
	}
	return nil
}

func (c *compilation) placeOf(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if place := c.read[name]; place != "" {
		return place
	}
	return name
}

// fault tells what the compiler found, with the place on disk.
func (c *compilation) fault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if fault, ok := errors.AsType[*twodoor.Error](err); ok {
		return fault
	}
	fault := &twodoor.Error{Code: twodoor.CodeInvalid, Message: err.Error(), Hint: "check it with buf lint or protoc", Cause: err}
	at, placed := errors.AsType[reporter.ErrorWithPos](err)
	if placed {
		pos := at.GetPosition()
		fault.Message = fmt.Sprintf("%s:%d: %v", c.placeOf(pos.Filename), pos.Line, at.Unwrap())
	}
	if gap, ok := errors.AsType[*missing](err); ok {
		fault.Message = fmt.Sprintf("%q is imported and not found", gap.name)
		if placed {
			pos := at.GetPosition()
			fault.Message = fmt.Sprintf("%s:%d imports %q, which is not found", c.placeOf(pos.Filename), pos.Line, gap.name)
		}
		fault.Message += "; looked in " + strings.Join(c.roots, ", ") + " and among the bundled files"
		fault.Hint = "add the folder that it is relative to under protobuf.import_paths"
	}
	return fault
}
