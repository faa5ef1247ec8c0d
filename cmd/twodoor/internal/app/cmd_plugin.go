package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/clients"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
)

func (r *run) pluginCommand() cli.Command {
	return cli.Command{
		Name: "plugin", Short: "Write a Claude plugin, or an Agent Skill alone",
		Long:    "The plugin has the MCP server and a skill that says no more than how to ask the program for its guides and operations. Its folder is a marketplace of its own: claude plugin marketplace add DIR. A file that is there and says something else is left alone, unless --replace is given.",
		Example: "twodoor plugin --out ./shop-plugin --name shop",
		Flags: []cli.Flag{
			{Name: "out", Default: ".", Usage: "the folder that it is written into"},
			{Name: "name", Usage: "its name; default: the source's, where there is one"},
			{Name: "skill", Kind: cli.FlagSwitch, Usage: "write the skill alone, in a folder of its name"},
			{Name: "replace", Kind: cli.FlagSwitch, Usage: "write over files that are there"},
		},
		Run: r.plugin,
	}
}

func (r *run) plugin(ctx context.Context, in *cli.Invocation) error {
	p, err := r.pluginOf(ctx, in)
	if err != nil {
		return err
	}
	files := p.Files()
	if in.Switch("skill") {
		files = p.Skill()
	} else if err := r.temporary(); err != nil {
		return err
	}
	dir := in.Text("out")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Dir, dir)
	}
	if err := r.foreignFiles(dir, files, in.Switch("replace")); err != nil {
		return err
	}
	written := []string{}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = config.WriteFile(path, f.Text, 0o644)
		}
		if err != nil {
			return &twodoor.Error{Code: twodoor.CodeInvalid, Message: err.Error(), Cause: err}
		}
		written = append(written, r.near(path))
	}
	text := strings.Join(written, "\n") + "\n"
	if !in.Switch("skill") {
		text += fmt.Sprintf("try it: claude plugin marketplace add %s; then: claude plugin install %s@%s\n", dir, p.Name, p.Name)
	}
	return in.PrintLines(text, map[string]any{"name": p.Name, "written": written})
}

// foreignFiles refuses to write over what says something else.
func (r *run) foreignFiles(dir string, files []clients.Written, replace bool) error {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		old, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot read " + r.near(path) + ": " + plainCause(err).Error(), Cause: err}
		}
		if err == nil && !replace && !bytes.Equal(old, f.Text) {
			return &twodoor.Error{Code: twodoor.CodeConflict, Message: r.near(path) + " is there, and says something else; nothing was written", Hint: "choose another folder with --out, or write over it with --replace"}
		}
	}
	return nil
}

// pluginOf tells what the configuration serves.
func (r *run) pluginOf(ctx context.Context, in *cli.Invocation) (clients.Plugin, error) {
	if err := r.serve(ctx); err != nil {
		return clients.Plugin{}, err
	}
	if r.Pack == nil && (r.site.File == "" || r.site.demo) {
		return clients.Plugin{}, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no " + config.FileName + " here or above: a plugin would have nothing to start", Hint: "make one with: twodoor up openapi.yaml"}
	}
	infos := slices.DeleteFunc(slices.Clone(r.engine.Catalog().Sources()), func(i twodoor.SourceInfo) bool { return i.Name == twodoor.OwnSource })
	p := clients.Plugin{Name: in.Text("name"), Guides: r.own("guides"), Find: r.own("find"), Version: "1.0.0", Entry: r.started(r.site)}
	p.Entry.Args = append(p.Entry.Args, "--expose", string(twodoor.ExposeFull))
	if r.Pack != nil {
		p.Name, p.Version = orElse(p.Name, r.name()), r.release()
	}
	var titles []string
	for _, info := range infos {
		titles = append(titles, orElse(info.Title, info.Name))
	}
	p.Title = strings.Join(titles, ", ")
	if len(infos) == 1 {
		p.Name, p.About = orElse(p.Name, infos[0].Name), infos[0].Description
	}
	switch {
	case len(infos) == 0:
		return p, &twodoor.Error{Code: twodoor.CodeInvalid, Message: r.source(r.site) + " has no sources", Hint: "add one with: twodoor add openapi.yaml"}
	case p.Name == "":
		return p, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there are several sources, so the plugin needs a name", Hint: "give it one with --name"}
	}
	if problem := config.CheckName(p.Name); problem != "" || len(p.Name) > 64 {
		return p, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%q is no name for a plugin", p.Name), Hint: "lower-case letters, digits and single hyphens, at most 64, and no command of twodoor"}
	}
	return p, nil
}
