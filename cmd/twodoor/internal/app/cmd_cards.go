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
	"github.com/twodoor/twodoor/source/find"
	"github.com/twodoor/twodoor/source/guide/cards"
)

func (r *run) cardsCommand() cli.Command {
	var forms []string
	for _, v := range cards.Variants() {
		forms = append(forms, string(v))
	}
	return cli.Command{
		Name: "cards", Args: "[SOURCE]", Short: "Write a skill for coding agents: every command, with examples that fit",
		Long:    "The skill has two layers: an index by intent, in every language of translations:, and one card a group. What stands outside of the marks in a file is yours and is kept; what stands inside is written anew.",
		Example: "twodoor cards harbor --out ./skills",
		Flags: []cli.Flag{
			{Name: "out", Kind: cli.FlagText, Default: ".", Usage: "the folder that they are written into"},
			{Name: "form", Kind: cli.FlagText, Default: string(cards.Skill), Values: forms, Usage: "what is written"},
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
	for _, f := range set.Generate(cards.Variant(in.Text("form")), old) {
		if slices.ContainsFunc(old, func(o cards.File) bool { return o.Path == f.Path && string(o.Text) == string(f.Text) }) {
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
func keptFiles(dir string) ([]cards.File, error) {
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
func (r *run) cardSet(ctx context.Context, sources []string, name string) (*cards.Set, error) {
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
	set := &cards.Set{
		Name: name, Tree: checker.Tree, Catalog: checker.Catalog, Sources: sources, Guides: checker.Guides, Groups: map[string]string{},
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
	return set, r.translate(set, sources)
}

// translate adds the languages that the sources are translated into, and other words for operations.
func (r *run) translate(set *cards.Set, sources []string) error {
	readings, err := r.opened.readings()
	if err != nil {
		return err
	}
	if set.Languages, err = check.Languages(set.Catalog, readings, sources...); err != nil {
		return err
	}
	for _, reading := range readings {
		if len(sources) > 0 && !slices.Contains(sources, reading.Source) {
			continue
		}
		for _, language := range config.Sorted(r.site.Sources[reading.Source].Translations) {
			if _, read := reading.Translations[language]; !read {
				return untranslated(reading, language)
			}
		}
	}
	index, err := r.opened.index(set.Catalog)
	if err != nil {
		return err
	}
	set.Guesses, err = check.Guesses(set.Catalog, func(words string, show func(id string) bool) string {
		hits := index.Search(find.Query{Text: words, Limit: 1, Topic: find.TopicOperation, Show: show}).Hits
		if len(hits) == 0 {
			return ""
		}
		return hits[0].ID
	})
	return err
}

// untranslated tells why the words of a language are not there: cards without them would drop files.
func untranslated(reading *twodoor.Reading, language string) error {
	fault := &twodoor.Error{
		Code: twodoor.CodeInvalid, Message: fmt.Sprintf("the translation %s of %s cannot be read", language, reading.Source),
		Hint: "mend it, or take it out of translations:",
	}
	for _, note := range reading.Notes {
		if strings.HasPrefix(note, "the translation "+language+" ") {
			fault.Message = reading.Source + ": " + note
		}
	}
	return fault
}
