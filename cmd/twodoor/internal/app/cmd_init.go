package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/diff"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/revision"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/openapi"
)

func (r *run) initCommand() cli.Command {
	return cli.Command{
		Name: "init", Args: "[FILE|URL]", Short: "Write what a project begins with: configuration, overlay, guides, CI recipe, a section of AGENTS.md",
		Long:    "Takes the description that is named, or openapi.yaml, openapi.json or swagger.json in this folder, in api/ or docs/. Nothing that is there is written over: run it again for what is missing.",
		Example: "twodoor init openapi.yaml --name shop",
		Flags:   addFlags(),
		Run:     r.initialize,
	}
}

// starter writes the files of a project that are not there yet.
type starter struct {
	*run
	dir     string // of the configuration
	name    string // of the source
	written []string
	there   []string
}

func (r *run) initialize(ctx context.Context, in *cli.Invocation) error {
	e, err := r.editing()
	if err != nil {
		return err
	}
	s := &starter{run: r, dir: filepath.Dir(e.file)}
	if err := s.source(ctx, in, e); err != nil {
		return err
	}
	if err := r.serve(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{s.guide, s.recipe, s.agents, s.snapshot} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	var text strings.Builder
	for _, name := range s.written {
		fmt.Fprintf(&text, "written  %s\n", name)
	}
	for _, name := range s.there {
		fmt.Fprintf(&text, "kept     %s\n", name)
	}
	fmt.Fprintf(&text, "next     twodoor check --ci; cards for agents: twodoor cards %s --out skills; serve it: twodoor up\n", s.name)
	return in.PrintLines(text.String(), map[string]any{"source": s.name, "written": append([]string{}, s.written...), "kept": append([]string{}, s.there...)})
}

// source makes sure that there is a source, with an overlay and a folder for guides.
func (s *starter) source(ctx context.Context, in *cli.Invocation, e *edit) error {
	for _, name := range config.Sorted(e.site.Sources) {
		if len(in.Args) == 0 && e.site.Sources[name].Kind() == openapi.Kind {
			s.name, s.there = name, append(s.there, s.near(e.file))
			return nil
		}
	}
	ref, err := s.description(in.Args)
	if err != nil {
		return err
	}
	w, place := wantedOf(in, ref), ""
	if place, err = s.place(ref); err != nil {
		return err
	}
	if s.name = e.site.sourceOf(place); s.name != "" {
		s.there = append(s.there, s.near(e.file))
		return nil
	}
	reading, err := (&openapi.Source{Name: "api", File: place, Fetch: s.fetcher(e.site, "")}).Read(ctx)
	if err != nil {
		return err
	}
	if w.name == "" {
		w.name = e.site.freeName(nameFrom(reading.Title, place))
	}
	overlay := w.name + ".overlay.yaml"
	w.more = []config.Setting{{Key: "overlays", Text: "./" + overlay}, {Key: "guides", Text: "./guides"}}
	if err := s.write(filepath.Join(s.dir, overlay), overlayText(reading)); err != nil {
		return err
	}
	if _, err = s.addAll(ctx, []wanted{w}); err != nil {
		if slices.Contains(s.written, s.near(filepath.Join(s.dir, overlay))) {
			_ = os.Remove(filepath.Join(s.dir, overlay)) // nothing was begun
		}
		return err
	}
	s.name, s.written = w.name, append(s.written, s.near(e.file))
	return nil
}

// description is what is named, or the first file that is called like one.
func (s *starter) description(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	for _, dir := range []string{".", "api", "docs"} {
		for _, name := range []string{"openapi.yaml", "openapi.yml", "openapi.json", "swagger.yaml", "swagger.yml", "swagger.json"} {
			if path := filepath.Join(dir, name); isFile(filepath.Join(s.Dir, path)) {
				return path, nil
			}
		}
	}
	return "", &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no openapi.yaml here, in api/ or in docs/, and nothing is named", Hint: "name a description", Try: []string{"twodoor init path/to/openapi.yaml"}}
}

// write writes a file, unless it is there.
func (s *starter) write(path, text string) error {
	if _, err := os.Stat(path); err == nil {
		s.there = append(s.there, s.near(path))
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make the folder of %s: %w", path, err)
	}
	if err := config.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	s.written = append(s.written, s.near(path))
	return nil
}

// firstOf is the operation that a beginner meets first: one that reads and asks for nothing, else any.
func firstOf(operations []twodoor.Operation) *twodoor.Operation {
	for i := range operations {
		op := &operations[i]
		if required, _ := rawjson.Get(op.Input, "required"); op.Effect == twodoor.Reads && rawjson.Len(required) == 0 {
			return op
		}
	}
	if len(operations) == 0 {
		return nil
	}
	return &operations[0]
}

// overlayText is an overlay with one action that does something: it names the guide.
func overlayText(reading *twodoor.Reading) string {
	var out strings.Builder
	fmt.Fprintf(&out, `# What agents should know about %s, laid over its description without touching it (OpenAPI Overlay 1.0).
# Keys of x-twodoor: name, effect, guide, aliases, answer {fields, root, meaning, empty}, before, next, page, hide, fix, …
overlay: 1.0.0
info: {title: What agents should know, version: 1.0.0}
actions:
`, strings.Join(strings.Fields(reading.Title), " "))
	op := firstOf(reading.Operations)
	if op == nil {
		return out.String() + "  []\n"
	}
	method, path, _ := strings.Cut(op.Origin, " ")
	target := "$.paths['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(path) + "']." + strings.ToLower(method)
	fmt.Fprintf(&out, "  - target: %s\n    update:\n      x-twodoor:\n        guide: start\n", rawjson.Quote(target))
	return out.String()
}

// guide writes a first guide, with an example that holds.
func (s *starter) guide(ctx context.Context) error {
	folder := s.site.Sources[s.name].Guides
	if folder == "" {
		return nil
	}
	place := s.site.Place(folder)
	if files, _ := filepath.Glob(filepath.Join(place, "*.md")); len(files) > 0 {
		s.there = append(s.there, s.near(place)+"/")
		return nil
	}
	checker, err := s.checker(ctx)
	if err != nil {
		return err
	}
	var operations []twodoor.Operation
	for i := range s.opened.catalog.Below(s.name + ".") {
		op, err := s.opened.catalog.At(i)
		if err != nil {
			return err
		}
		operations = append(operations, *op)
	}
	op := firstOf(operations)
	if named := slices.IndexFunc(operations, func(op twodoor.Operation) bool { return slices.Contains(op.Guides, "start") }); named >= 0 {
		op = &operations[named]
	}
	return s.write(filepath.Join(place, "start.md"), guideText(s.name, op, checker.Tree))
}

func guideText(source string, op *twodoor.Operation, tree *guide.Tree) string {
	var covers, example string
	if op != nil {
		covers = strings.TrimPrefix(op.ID, source+".")
		for _, c := range tree.Commands {
			if c.ID == op.ID && !strings.Contains(c.Example, "\n") {
				example = "```sh\n" + c.Example + "\n```\n"
			}
		}
	}
	return fmt.Sprintf(`---
name: start
title: Begin with %s
when: it is not clear yet which operation fits
intents: [begin, look around]
operations: [%s]
---
# Begin with %s

Write here how a task is done from its beginning to its end: what to call first, what to take from its answer, when to stop.
Examples are checked against the commands, so that none of them can become wrong.

%s`, source, covers, source, example)
}

// recipe writes the workflow that checks every change, at the root of the repository.
func (s *starter) recipe(ctx context.Context) error {
	root, below := s.dir, ""
	if repository, err := revision.Open(ctx, s.dir, s.Environ); err == nil {
		if rel, err := filepath.Rel(repository.Root, s.dir); err == nil && filepath.IsLocal(rel) && rel != "." {
			root, below = repository.Root, "        working-directory: "+filepath.ToSlash(rel)+"\n"
		}
	}
	return s.write(filepath.Join(root, ".github", "workflows", "twodoor.yaml"), fmt.Sprintf(`# What agents read is derived from the description or checked against it: this fails where it is not.
name: twodoor
on: [pull_request]
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: {fetch-depth: 0} # changes are told by comparing with the branch that is asked to take them
      - uses: actions/setup-go@v5
        with: {go-version: stable}
      - run: go install github.com/twodoor/twodoor/cmd/twodoor@latest
      - run: twodoor check --ci --trust -o github
%s`, below))
}

// agentsHeading begins the section of AGENTS.md.
const agentsHeading = "## Changing what agents see"

// agents adds a section to AGENTS.md that tells which surfaces a change must touch.
func (s *starter) agents(context.Context) error {
	path := filepath.Join(s.dir, "AGENTS.md")
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("read AGENTS.md: %w", err)
	}
	if strings.Contains(string(text), agentsHeading) {
		s.there = append(s.there, s.near(path))
		return nil
	}
	before := strings.TrimRight(string(text), "\n")
	if before != "" {
		before += "\n\n"
	}
	if err := config.WriteFile(path, []byte(before+s.surfaces()), 0o644); err != nil {
		return err
	}
	s.written = append(s.written, s.near(path))
	return nil
}

func (s *starter) surfaces() string {
	source := s.site.Sources[s.name]
	rows := [][2]string{{"the operation itself", "`" + source.OpenAPI + "`"}}
	for _, overlay := range source.Overlays {
		rows = append(rows, [2]string{"what agents should know of it: name, effect, how to read its answer, what comes next", "`" + overlay + "`"})
	}
	for _, language := range config.Sorted(source.Translations) {
		rows = append(rows, [2]string{"its words in " + language, "`" + source.Translations[language] + "`"})
	}
	if source.Guides != "" {
		rows = append(rows, [2]string{"guides that speak of it", "`" + source.Guides + "`"})
	}
	rows = append(rows,
		[2]string{"the cards, where there are some", "`twodoor cards --out skills`"},
		[2]string{"names", "`" + config.LockName + "`: written by itself, commit it; a name never moves"},
		[2]string{"what agents are shown, for review", "`twodoor snapshot`"},
		[2]string{"a note for whoever calls it", "`twodoor diff HEAD --changelog` writes it into `" + diff.NotesFolder + "/`"},
	)
	var out strings.Builder
	out.WriteString(agentsHeading + "\n\nCommands, tools, cards and guides are derived from the description or checked against it. A change of an operation touches, in one commit:\n\n| what | where |\n|---|---|\n")
	for _, row := range rows {
		fmt.Fprintf(&out, "| %s | %s |\n", row[0], row[1])
	}
	return out.String() + "\nThen `twodoor check --ci` names what is missing, and `twodoor check --fix` mends what is mechanical.\n"
}

// snapshot keeps what agents are shown now.
func (s *starter) snapshot(ctx context.Context) error {
	checker, err := s.checker(ctx)
	if err != nil {
		return err
	}
	now, err := diff.Snapshot(checker.Catalog, checker.Tree)
	if err != nil {
		return err
	}
	return s.write(filepath.Join(s.dir, snapshotName), string(now))
}
