package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/bundle"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/diff"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi"
)

func (r *run) diffCommand() cli.Command {
	return cli.Command{
		Name: "diff", Args: "OLD [NEW]", Short: "Tell what changed between two descriptions, and whom it breaks",
		Long:    "OLD and NEW are descriptions (files or URLs), bundles, names of sources, git revisions (all OpenAPI sources of the configuration as it was there), or REVISION:FILE. Without NEW it is the configuration as it is now. Each change says whether a command line or a call of a tool that worked may fail now, and which guides, cards and profiles it reaches.",
		Example: "twodoor diff HEAD~1 --changelog",
		Flags: []cli.Flag{
			{Name: "breaking", Kind: cli.FlagSwitch, Usage: "only what breaks a caller; exits 7 where something does"},
			{Name: "changelog", Kind: cli.FlagSwitch, Usage: "write a pending note into " + diff.NotesFolder + "/, of what no note there tells yet, and show it"},
		},
		Run: r.diff,
	}
}

func (r *run) diff(ctx context.Context, in *cli.Invocation) error {
	s, err := r.find()
	if err != nil {
		return err
	}
	changes, err := r.changes(ctx, s, in.Args)
	if err != nil {
		return err
	}
	breaking := diff.Breaking(changes)
	if in.Switch("breaking") {
		changes = breaking
	}
	diff.Surfaces{Guides: r.library(), Profiles: profilesOf(s), Cards: true}.Reach(changes)
	text, told := changesText(changes), map[string]any{"changes": append([]diff.Change{}, changes...), "breaking": len(breaking)}
	if in.Switch("changelog") {
		file := ""
		if text, file, err = r.writeNote(s, changes); err != nil {
			return err
		}
		told["note"] = file
		in.Say("%s", orElse(file, "nothing is to be told"))
	}
	if err := in.PrintLines(text, told); err != nil {
		return err
	}
	if in.Switch("breaking") && len(breaking) > 0 {
		return cli.Exit(twodoor.CodeChecksFailed.Exit())
	}
	return nil
}

// changes are those between what two arguments mean. Without a second one it is what is configured now.
func (r *run) changes(ctx context.Context, s *site, args []string) ([]diff.Change, error) {
	name := "api"
	for _, arg := range args {
		if _, ok := s.Sources[arg]; ok {
			name = arg
		}
	}
	before, lock, err := r.catalogAt(ctx, s, args[0], name, twodoor.Lock{})
	if err != nil {
		return nil, err
	}
	after := before
	if len(args) > 1 {
		after, _, err = r.catalogAt(ctx, s, args[1], name, lock)
	} else {
		after, err = r.described(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	return diff.Between(before, after)
}

// writeNote writes a pending note of what no note tells yet, and returns its text and where it is.
func (r *run) writeNote(s *site, changes []diff.Change) (text, file string, err error) {
	dir := r.notesHome(s)
	notes, err := notesIn(filepath.Join(dir, diff.NotesFolder))
	if err != nil {
		return "", "", err
	}
	changes = diff.Untold(slices.Collect(maps.Values(notes)), changes)
	if len(changes) == 0 {
		return "", "", nil
	}
	name := diff.NoteName(changes, func(name string) bool { return isFile(filepath.Join(dir, name)) })
	file, text = filepath.Join(dir, name), diff.Changelog(changes)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", "", fmt.Errorf("make the folder of the notes: %w", err)
	}
	return text, r.near(file), config.WriteFile(file, []byte(text), 0o644)
}

// notesHome is the folder that the folder of notes lies in.
func (r *run) notesHome(s *site) string {
	if s.File == "" || s.demo {
		return r.Dir
	}
	return s.Dir()
}

// notesIn are the notes in a folder, by the name of their file.
func notesIn(dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, fmt.Errorf("list the notes: %w", err)
	}
	notes := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a note: %w", err)
		}
		notes[filepath.Base(file)] = string(text)
	}
	return notes, nil
}

func changesText(changes []diff.Change) string {
	var out strings.Builder
	for _, c := range changes {
		mark := "  "
		if c.Breaks() {
			mark = "! "
		}
		fmt.Fprintf(&out, "%s%s: %s: %s\n", mark, c.ID, c.Kind, c.Message)
		if len(c.Reaches) > 0 && c.Breaks() {
			fmt.Fprintf(&out, "    reaches %s\n", strings.Join(c.Reaches, ", "))
		}
	}
	fmt.Fprintf(&out, "%d changes, %d of them breaking\n", len(changes), len(diff.Breaking(changes)))
	return out.String()
}

// catalogAt is the catalog of a source, a bundle, a description, or a git revision, and what was named in
// it. What was named before keeps its name, as it does in a configuration.
func (r *run) catalogAt(ctx context.Context, s *site, ref, name string, kept twodoor.Lock) (*twodoor.Catalog, twodoor.Lock, error) {
	source := &openapi.Source{Name: name, Fetch: r.fetcher(s, "")}
	if c, ok := s.Sources[ref]; ok && c.Kind() == openapi.Kind {
		source = r.openAPI(s, ref, c)
		source.Translations = nil
	} else {
		place, err := r.place(ref)
		if err != nil || !config.IsURL(place) && !isFile(place) {
			return r.catalogThen(ctx, s, ref, source, kept)
		}
		if b, err := bundle.Open(place); err == nil {
			return b.Catalog(), kept, nil
		}
		source.File = place
	}
	return catalogOf(ctx, source, kept)
}

func catalogOf(ctx context.Context, source *openapi.Source, kept twodoor.Lock) (*twodoor.Catalog, twodoor.Lock, error) {
	source.Kept = kept
	reading, err := source.Read(ctx)
	if err != nil {
		return nil, kept, err
	}
	catalog, err := twodoor.NewCatalog(reading)
	return catalog, reading.Lock, clash(err)
}

// snapshotName is the file in which a snapshot is kept beside the configuration.
const snapshotName = "twodoor.snapshot.json"

func (r *run) snapshotCommand() cli.Command {
	return cli.Command{
		Name: "snapshot", Args: "[FILE]", Short: "Keep what agents are shown as a file that can be reviewed",
		Long:    "Writes every tool, command, answer and weight to " + snapshotName + " beside the configuration, or to FILE. --verify writes nothing: it compares, as values, and exits 7 where something differs.",
		Example: "twodoor snapshot --verify",
		Flags:   []cli.Flag{{Name: "verify", Kind: cli.FlagSwitch, Usage: "compare with what was kept"}},
		Run:     r.snapshot,
	}
}

func (r *run) snapshot(ctx context.Context, in *cli.Invocation) error {
	checker, err := r.checker(ctx)
	if err != nil {
		return err
	}
	file := filepath.Join(r.Dir, snapshotName)
	if r.site.File != "" {
		file = filepath.Join(r.site.Dir(), snapshotName)
	}
	if len(in.Args) == 1 {
		if file = in.Args[0]; !filepath.IsAbs(file) {
			file = filepath.Join(r.Dir, file)
		}
	}
	now, err := diff.Snapshot(checker.Catalog, checker.Tree)
	if err != nil {
		return err
	}
	if !in.Switch("verify") {
		if err := config.WriteFile(file, now, 0o644); err != nil {
			return err
		}
		return in.PrintLines(r.near(file)+"\n", map[string]string{"written": r.near(file)})
	}
	return r.verify(in, file, now)
}

func (r *run) verify(in *cli.Invocation, file string, now json.RawMessage) error {
	kept, err := os.ReadFile(file)
	if err == nil {
		err = rawjson.Check(kept)
	}
	if err != nil {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s cannot be read: %v", r.near(file), plainCause(err)), Hint: "write it with: twodoor snapshot"}
	}
	list := diff.Mismatches(kept, now)
	var text strings.Builder
	for _, m := range list {
		fmt.Fprintf(&text, "%s: %s %s\n", m.ID, m.Part, m.Says)
	}
	if err := in.PrintLines(text.String(), map[string][]diff.Mismatch{"differs": append([]diff.Mismatch{}, list...)}); err != nil {
		return err
	}
	if len(list) > 0 {
		return cli.Exit(twodoor.CodeChecksFailed.Exit())
	}
	return nil
}
