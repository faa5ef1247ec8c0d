package app

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/source/openapi"
	"github.com/twodoor/twodoor/source/protobuf"
)

func (r *run) exportCommand() cli.Command {
	return cli.Command{
		Name: "export", Args: "SOURCE", Short: "Write the public cut of a description, for publishing",
		Long:    "The description with its overlays, as one OpenAPI document; of Protobuf the .proto files, into the folder --out: operations whose export is none are left out, with what only they use, and so are all annotations.",
		Example: "twodoor export shop --out public.json",
		Flags:   []cli.Flag{{Name: "out", Kind: cli.FlagText, Usage: "the file that it is written into; of Protobuf the folder"}},
		Run:     r.export, Complete: r.completeSources,
	}
}

func (r *run) export(ctx context.Context, in *cli.Invocation) error {
	s, err := r.find()
	if err != nil {
		return err
	}
	name := in.Args[0]
	c, known := s.Sources[name]
	switch {
	case !known:
		return &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no source %q", name), Try: config.Sorted(s.Sources)}
	case c.Kind() != openapi.Kind && c.Kind() != protobuf.Kind:
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s is of the kind %s: OpenAPI and Protobuf are exported", name, c.Kind())}
	}
	if err := r.trust(ctx, s, s.Claims()); err != nil {
		return err
	}
	if c.Kind() == protobuf.Kind {
		return r.exportProtobuf(ctx, in, s, name)
	}
	source := r.openAPI(s, name, c)
	source.Translations = nil
	text, err := source.Export(ctx)
	if err != nil {
		return err
	}
	file := in.Text("out")
	if file == "" {
		return in.Print(text)
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(r.Dir, file)
	}
	if err := config.WriteFile(file, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return in.PrintLines(r.near(file)+"\n", map[string]string{"written": r.near(file)})
}
