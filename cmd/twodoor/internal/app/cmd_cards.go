package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/check"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/openapi"
)

func (r *run) cardsCommand() cli.Command {
	var forms []string
	for _, v := range guide.Variants() {
		forms = append(forms, string(v))
	}
	return cli.Command{
		Name: "cards", Args: "[SOURCE]", Short: "Write a skill for coding agents: every command, with examples that fit",
		Long:    "The skill has two layers: an index by intent, in every language of translations:, and one card a group. What stands outside of the marks in a file is yours and is kept; what stands inside is written anew.",
		Example: "twodoor cards harbor --out ./skills",
		Flags: []cli.Flag{
			{Name: "out", Kind: cli.FlagText, Default: ".", Usage: "the folder that they are written into"},
			{Name: "form", Kind: cli.FlagText, Default: string(guide.Skill), Values: forms, Usage: "what is written"},
			{Name: "name", Kind: cli.FlagText, Usage: "name of the skill; default the source's"},
		},
		Run:      r.cards,
		Complete: r.completeSources,
	}
}

// cards writes the files of a set into a folder.
func (r *run) cards(ctx context.Context, in *cli.Invocation) error {
	set, err := r.cardSet(ctx, in.Args, in.Text("name"))
	if err != nil {
		return err
	}
	dir := in.Text("out")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Dir, dir)
	}
	old, err := keptFiles(dir)
	if err != nil {
		return err
	}
	written := []string{}
	for _, f := range set.Generate(guide.Variant(in.Text("form")), old) {
		if slices.ContainsFunc(old, func(o guide.File) bool { return o.Path == f.Path && string(o.Text) == string(f.Text) }) {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make the folder of %s: %w", path, err)
		}
		if err := config.WriteFile(path, f.Text, 0o644); err != nil {
			return err
		}
		written = append(written, r.near(path))
	}
	if len(written) == 0 {
		in.Say("nothing is to be changed: the cards are what would be written now")
	}
	text := ""
	if len(written) > 0 {
		text = strings.Join(written, "\n") + "\n"
	}
	return in.PrintText(text, map[string][]string{"written": written})
}

// keptFiles are the files in a folder that cards may stand in.
func keptFiles(dir string) ([]guide.File, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, nil
	}
	files, err := check.Gather([]string{dir})
	for i := range files {
		if rel, err := filepath.Rel(dir, filepath.FromSlash(files[i].Path)); err == nil {
			files[i].Path = filepath.ToSlash(rel)
		}
	}
	return files, err
}

// cardSet is what the cards of a source, or of all of them, are made of.
func (r *run) cardSet(ctx context.Context, sources []string, name string) (*guide.Set, error) {
	if err := r.serve(ctx); err != nil {
		return nil, err
	}
	for _, source := range sources {
		if _, ok := r.site.Sources[source]; !ok {
			return nil, &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no source %q", source), Try: config.Sorted(r.site.Sources)}
		}
	}
	checker, err := r.checker(ctx)
	if err != nil {
		return nil, err
	}
	set := &guide.Set{
		Name: name, Tree: checker.Tree, Catalog: checker.Catalog, Sources: sources, Guides: checker.Guides, Groups: map[string]string{}, Guesses: map[string][]string{},
		Fits: func(example string) bool { return len(checker.Check("", []byte(example))) == 0 },
	}
	for _, info := range checker.Catalog.Sources() {
		if info.Name == twodoor.OwnSource || len(sources) > 0 && !slices.Contains(sources, info.Name) {
			continue
		}
		for group, about := range info.Groups {
			set.Groups[info.Name+"."+group] = about
		}
		if set.Title == "" {
			set.Title, set.Description, set.Version = info.Title, info.Description, info.Version
			set.Name = orElse(set.Name, info.Name)
		}
	}
	return set, r.translate(ctx, set, sources)
}

// translate adds the languages that the sources are translated into, and the old names of operations.
func (r *run) translate(ctx context.Context, set *guide.Set, sources []string) error {
	readings := map[string][]*twodoor.Reading{}
	for _, name := range config.Sorted(r.site.Sources) {
		c := r.site.Sources[name]
		if c.Kind() != openapi.Kind || len(sources) > 0 && !slices.Contains(sources, name) {
			continue
		}
		for _, language := range config.Sorted(c.Translations) {
			source := r.openAPI(r.site, name, c)
			source.File, source.Translations, source.Overlays = r.site.Place(c.Translations[language]), nil, nil
			reading, err := source.Read(ctx)
			if err != nil {
				return fmt.Errorf("read the translation %s of %s: %w", language, name, err)
			}
			readings[language] = append(readings[language], reading)
		}
	}
	for _, language := range config.Sorted(readings) {
		l, err := r.language(ctx, language, readings[language])
		if err != nil {
			return err
		}
		set.Languages = append(set.Languages, l)
	}
	for i := range set.Catalog.Entries() {
		op, err := set.Catalog.At(i)
		if err != nil {
			return err
		}
		for _, alias := range op.Aliases {
			set.Guesses[op.ID] = append(set.Guesses[op.ID], alias[strings.LastIndexByte(alias, '.')+1:])
		}
	}
	return nil
}

func (r *run) language(ctx context.Context, code string, readings []*twodoor.Reading) (guide.Language, error) {
	l := guide.Language{Code: code, Groups: map[string]string{}}
	catalog, err := twodoor.NewCatalog(readings...)
	if err != nil {
		return l, clash(err)
	}
	engine := &twodoor.Engine{}
	engine.Serve(catalog)
	l.Tree, err = check.TreeOf(ctx, &cli.Door{Engine: engine, Principal: twodoor.Operator, Stdout: r.Stdout, Stderr: r.Stderr})
	for _, reading := range readings {
		for group, about := range reading.Groups {
			l.Groups[reading.Source+"."+group] = about
		}
	}
	return l, err
}
