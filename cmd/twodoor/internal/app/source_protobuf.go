package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/source/protobuf"
)

// readProtobuf reads a source of annotated Protobuf.
func (r *run) readProtobuf(ctx context.Context, s *site, name string, kept config.SourceLock) (*twodoor.Reading, error) {
	source, err := r.protobuf(s, name)
	if err != nil {
		return nil, err
	}
	source.Kept = twodoor.Lock{Names: kept.Names}
	return source.Read(ctx)
}

// protobuf is a source of the configuration, as its room takes it.
func (r *run) protobuf(s *site, name string) (*protobuf.Source, error) {
	c := s.Sources[name]
	p, err := c.ProtobufOf()
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("sources.%s: %v", name, err), Cause: err}
	}
	source := &protobuf.Source{
		Name: name, Descriptors: s.Place(p.Descriptors), Reflection: p.Reflection, Services: p.Services, Export: twodoor.Export(p.Export),
		Target: c.Target, Wire: c.Wire, Prefix: c.Prefix, Operations: annotationsOf(s), Fetch: r.fetcher(s, name), Doer: r.outbound(s),
	}
	for _, file := range p.Files {
		source.Files = append(source.Files, s.Place(file))
	}
	for _, folder := range p.ImportPaths {
		source.ImportPaths = append(source.ImportPaths, s.Place(folder))
	}
	return source, nil
}

// protobufKey is the key of protobuf: that a file belongs under, by its name; empty: it is none.
func protobufKey(place string) string {
	switch filepath.Ext(place) {
	case ".proto":
		return "files"
	case ".binpb", ".protoset", ".pb":
		return "descriptors"
	}
	return ""
}

// protobufFiles are the files that a source names, for telling when one that could not be read is mended.
func (s *site) protobufFiles(c config.Source) []string {
	if c.Kind() != protobuf.Kind {
		return nil
	}
	p, err := c.ProtobufOf()
	if err != nil {
		return nil
	}
	files := []string{s.Place(p.Descriptors)}
	for _, file := range p.Files {
		files = append(files, s.Place(file))
	}
	return files
}

// exportProtobuf writes the public cut of Protobuf files: a single one as text, several below a folder.
func (r *run) exportProtobuf(ctx context.Context, in *cli.Invocation, s *site, name string) error {
	source, err := r.protobuf(s, name)
	if err != nil {
		return err
	}
	texts, err := source.Publish(ctx)
	if err != nil {
		return err
	}
	paths, dir := config.Sorted(texts), in.Text("out")
	switch {
	case dir == "" && len(paths) == 1:
		_, err := fmt.Fprint(in.Stdout, texts[paths[0]])
		return err
	case dir == "":
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("the public cut of %s has %d files", name, len(paths)), Hint: "name the folder that they are written into: --out DIR"}
	case !filepath.IsAbs(dir):
		dir = filepath.Join(r.Dir, dir)
	}
	written := []string{}
	for _, path := range paths {
		place := filepath.Join(dir, filepath.FromSlash(path))
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%q leads out of the folder", path)}
		}
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			return fmt.Errorf("make the folder of %s: %w", place, err)
		}
		if err := config.WriteFile(place, []byte(texts[path]), 0o644); err != nil {
			return err
		}
		written = append(written, r.near(place))
	}
	return in.PrintText(strings.Join(written, "\n")+"\n", map[string][]string{"written": written})
}
