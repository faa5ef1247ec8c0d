package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/check"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/diff"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/cards"
	"github.com/twodoor/twodoor/source/guide/examples"
)

func (r *run) checkCommand() cli.Command {
	return cli.Command{
		Name: "check", Args: "[SOURCE|PATH...]", Short: "Find what is wrong in guides, cards and documents: every example is held against the commands",
		Long: "Without a PATH it checks the annotations, the guides, and README.md, AGENTS.md, docs and skills beside the configuration. In any Markdown it reads fenced blocks and inline code that call twodoor or a tool: commands, flags, values, bodies, jq paths, fields, guides, and whether generated text is up to date. " +
			"Exits 7 where something is wrong. --fix mends what is mechanical: old names, generated text. " +
			"--ci demands besides that names are committed, that there is a snapshot, and that a pending note in " + diff.NotesFolder + "/ tells of every visible change since a git revision.",
		Example: "twodoor check README.md docs -o github",
		Flags: []cli.Flag{
			{Name: "ci", Kind: cli.FlagSwitch, Usage: "check everything, and what only a CI system asks for"},
			{Name: "since", Kind: cli.FlagText, Usage: "with --ci: the revision that changes are counted from; default what the CI system says, else HEAD~1"},
			{Name: "fix", Kind: cli.FlagSwitch, Usage: "mend what is mechanical, and tell the rest"},
			{Name: "output", Short: "o", Kind: cli.FlagText, Values: []string{"table", "json", "yaml", "md", "raw", "github", "sarif"}, Usage: "how findings are written; github and sarif are for CI systems"},
		},
		Run:      r.check,
		Complete: r.completeSources,
	}
}

// checker holds texts against what is served here.
func (r *run) checker(ctx context.Context) (*examples.Checker, error) {
	if err := r.serve(ctx); err != nil {
		return nil, err
	}
	door := r.door()
	door.Stdin, door.Find = nil, nil
	door.Stdout, door.Stderr = io.Discard, io.Discard
	tree, err := check.TreeOf(ctx, door)
	if err != nil {
		return nil, err
	}
	return &examples.Checker{Catalog: r.opened.catalog, Tree: tree, Lines: check.LinesOf(door), Guides: r.library()}, nil
}

// checked is what check found.
type checked struct {
	Files    int             `json:"files"`
	Fixed    int             `json:"fixed"`
	Findings []guide.Finding `json:"findings"`
}

func (r *run) check(ctx context.Context, in *cli.Invocation) error {
	found, err := r.checkAll(ctx, in)
	if err != nil {
		return err
	}
	switch in.Text("output") {
	case "github":
		_, err = io.WriteString(in.Stdout, check.GitHub(found.Findings))
	case "sarif":
		_, err = in.Stdout.Write(append(check.SARIF(found.Findings, r.Version.Number), '\n'))
	default:
		text := check.Text(found.Findings) + fmt.Sprintf("%d files checked, %d findings\n", found.Files, len(found.Findings))
		err = in.PrintLines(text, found)
	}
	if err == nil && len(guide.Faults(found.Findings)) > 0 {
		return cli.Exit(twodoor.CodeChecksFailed.Exit())
	}
	return err
}

// checkAll is the check with what a CI system asks for besides.
func (r *run) checkAll(ctx context.Context, in *cli.Invocation) (*checked, error) {
	if !in.Switch("ci") {
		return r.findWrong(ctx, in.Args, in.Switch("fix"), false)
	}
	lock, err := r.lockText()
	if err != nil {
		return nil, err
	}
	found, err := r.findWrong(ctx, in.Args, in.Switch("fix"), true)
	if err != nil || r.site.File == "" {
		return found, err
	}
	more, err := r.gate(ctx, in.Text("since"), lock)
	found.Findings = guide.Sort(append(found.Findings, more...))
	return found, err
}

// findWrong checks what is named, or all that there is. Where ci is set, it is as strict as it can be.
func (r *run) findWrong(ctx context.Context, args []string, fix, ci bool) (*checked, error) {
	checker, err := r.checker(ctx)
	if err != nil {
		return nil, err
	}
	sources, paths := r.apart(args)
	found := &checked{Findings: []guide.Finding{}}
	if len(paths) == 0 {
		if found.Findings, err = r.ofCatalog(checker, sources); err != nil {
			return nil, err
		}
		paths = r.documents(sources, len(args) == 0)
	}
	if len(args) == 0 {
		kept, err := r.kept(checker, ci)
		if err != nil {
			return nil, err
		}
		found.Findings = append(found.Findings, kept...)
	}
	files, err := check.Gather(paths)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		files = append(files, r.packedFiles()...)
	}
	found.Files = len(files)
	for _, f := range files {
		findings := r.ofFile(checker, f)
		if fix {
			n, err := mend(f, findings)
			if err != nil {
				return nil, err
			}
			found.Fixed += n
			findings = slices.DeleteFunc(findings, func(f guide.Finding) bool { return n > 0 && f.Edit != nil })
		}
		found.Findings = append(found.Findings, findings...)
	}
	stale, fixed, err := r.fences(ctx, files, fix)
	found.Findings, found.Fixed = guide.Sort(append(found.Findings, stale...)), found.Fixed+fixed
	return found, err
}

// apart sorts arguments into sources and paths; a name that is both means the source.
func (r *run) apart(args []string) (sources, paths []string) {
	for _, arg := range args {
		if _, ok := r.site.Sources[arg]; ok {
			sources = append(sources, arg)
		} else if filepath.IsAbs(arg) {
			paths = append(paths, arg)
		} else {
			paths = append(paths, filepath.Join(r.Dir, arg))
		}
	}
	return sources, paths
}

// ofCatalog checks the annotations and the front matter of guides, of some sources or of all.
func (r *run) ofCatalog(checker *examples.Checker, sources []string) ([]guide.Finding, error) {
	findings, err := checker.CheckCatalog()
	if err != nil {
		return nil, err
	}
	for i := range findings {
		findings[i].File = r.near(findings[i].File)
	}
	findings = append(findings, checker.CheckGuides()...)
	if len(sources) == 0 {
		return findings, nil
	}
	return slices.DeleteFunc(findings, func(f guide.Finding) bool {
		return !slices.ContainsFunc(sources, func(source string) bool {
			folder := r.site.Sources[source].Guides
			return strings.HasPrefix(f.Message, source+".") || folder != "" && strings.HasPrefix(f.File, r.near(r.site.Place(folder))+"/")
		})
	}), nil
}

// documents are the Markdown files that belong to a configuration.
func (r *run) documents(sources []string, all bool) (paths []string) {
	if r.Pack != nil {
		return nil
	}
	for _, name := range config.Sorted(r.site.Sources) {
		if folder := r.site.Sources[name].Guides; folder != "" && (all || slices.Contains(sources, name)) {
			paths = append(paths, r.site.Place(folder))
		}
	}
	if all && r.site.File != "" {
		for _, name := range []string{"README.md", "AGENTS.md", "GEMINI.md", "CLAUDE.md", "llms.txt", "docs", "skills", ".claude"} {
			paths = append(paths, filepath.Join(r.site.Dir(), name))
		}
	}
	return slices.DeleteFunc(paths, func(path string) bool { _, err := os.Stat(path); return err != nil })
}

// ofFile checks one file; files that its examples name are looked for beside it.
func (r *run) ofFile(checker *examples.Checker, f cards.File) []guide.Finding {
	beside := filepath.Dir(f.Path)
	return checker.Beside(func(name string) ([]byte, error) {
		if filepath.IsAbs(name) || !filepath.IsLocal(name) {
			return nil, errors.New("not beside the text")
		}
		return r.readBeside(filepath.Join(beside, name))
	}).Check(r.near(f.Path), f.Text)
}

// mend carries out the mechanical fixes of a file, and counts them.
func mend(f cards.File, findings []guide.Finding) (int, error) {
	n := 0
	for _, finding := range findings {
		if finding.Edit != nil {
			n++
		}
	}
	if n == 0 {
		return 0, nil
	}
	return n, config.WriteFile(filepath.FromSlash(f.Path), guide.Fix(f.Text, findings), 0o644)
}

// fences checks the generated text of all files together, a folder at a time, and writes it anew where
// that is wanted.
func (r *run) fences(ctx context.Context, files []cards.File, fix bool) (findings []guide.Finding, fixed int, err error) {
	folders := map[string][]cards.File{}
	for _, f := range files {
		if !strings.Contains(string(f.Text), "<!-- GENERATED:") {
			continue
		}
		root := filepath.ToSlash(strings.TrimSuffix(filepath.Dir(f.Path), "/references"))
		rel, err := filepath.Rel(root, f.Path)
		if err != nil {
			return nil, 0, err
		}
		folders[root] = append(folders[root], cards.File{Path: filepath.ToSlash(rel), Text: f.Text})
	}
	for _, root := range config.Sorted(folders) {
		sources := cards.SourcesOf(folders[root])
		set, err := r.cardSet(ctx, sources, "")
		if err != nil {
			return nil, 0, fmt.Errorf("the cards in %s: %w", r.near(root), err)
		}
		all := set.Check(folders[root])
		for _, f := range folders[root] {
			var own []guide.Finding
			for _, finding := range all {
				if finding.File == f.Path {
					finding.File = r.near(root + "/" + f.Path)
					own = append(own, finding)
				}
			}
			if fix {
				n, err := mend(cards.File{Path: root + "/" + f.Path, Text: f.Text}, own)
				if err != nil {
					return nil, 0, err
				}
				fixed += n
				own = slices.DeleteFunc(own, func(f guide.Finding) bool { return f.Edit != nil })
			}
			findings = append(findings, own...)
		}
	}
	return findings, fixed, nil
}
