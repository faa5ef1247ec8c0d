package app

import (
	"context"
	"fmt"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
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
