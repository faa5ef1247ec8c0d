package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/bundle"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/pack"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/source/guide/cards"
)

// unpack opens the catalog that this program carries: which own commands stand at the root depends on
// its words.
func (r *run) unpack(ctx context.Context) error {
	if r.Pack == nil {
		return nil
	}
	_, err := r.open(ctx)
	return err
}

// name is what this program is called.
func (r *run) name() string {
	if r.Pack != nil {
		return r.Pack.Manifest.Name
	}
	return "twodoor"
}

// identity is what the state of this configuration is kept under; empty: nothing is kept.
func (r *run) identity() string {
	if r.Pack != nil {
		return "packed " + r.name()
	}
	return r.site.File
}

// source is where the configuration comes from.
func (r *run) source(s *site) string {
	if r.Pack != nil {
		return "inside " + r.name()
	}
	return orElse(r.near(s.File), "no "+config.FileName+" was found: these are the defaults")
}

// typed is the command line of an operation.
func (r *run) typed(id string) string {
	words := twodoor.Spell(id, "").CLI
	if r.brand() != "" && words[0] == r.brand() {
		words = words[1:]
	}
	return strings.Join(append([]string{r.name()}, words...), " ")
}

// brand is the source whose level is left out of the commands.
func (r *run) brand() string {
	if r.Pack != nil {
		return r.Pack.Manifest.Brand
	}
	return ""
}

// release is the version of what is served.
func (r *run) release() string {
	if r.Pack != nil {
		return r.Pack.Manifest.Version
	}
	return r.Version.String()
}

// carried is the version of the program, with what it carries.
func (r *run) carried() any {
	if r.Pack == nil {
		return r.Version
	}
	return struct {
		Version
		Carries pack.Manifest `json:"carries"`
	}{r.Version, r.Pack.Manifest}
}

// findPacked reads the configuration that this program carries. Variables override it as ever.
func (r *run) findPacked() (*site, error) {
	if r.early.Config != "" {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: r.name() + " carries its own configuration and reads no other", Hint: "leave out --config; keys come from the environment, as " + r.name() + " self config show tells"}
	}
	text, err := r.Pack.Read(pack.ConfigFile)
	if err != nil {
		return nil, err
	}
	loaded, err := config.Parse(config.FileName, text)
	if err != nil {
		return nil, err
	}
	loaded.File = "" // there is none: nothing is written beside it, and nothing waits for an edit
	if err := loaded.Override(r.getenv); err != nil {
		return nil, err
	}
	s, err := r.siteOf(loaded, config.Named)
	if err != nil {
		return nil, err
	}
	r.site = s
	r.far.keepIn(r, s)
	return s, nil
}

// openPacked opens the catalog that this program carries.
func (r *run) openPacked(s *site) (*opened, error) {
	section, err := r.Pack.Section(pack.CatalogFile)
	if err != nil {
		return nil, err
	}
	b, err := bundle.OpenIn(section)
	if err != nil {
		return nil, err
	}
	return &opened{catalog: b.Catalog(), readings: theirs(b.Readings), index: r.indexIn(s, b), stamp: b.Stamp(), warm: true}, nil
}

// unbranded are commands that have no place in a program whose description is inside it.
var unbranded = strings.Fields("up demo add remove import init pack refresh snapshot diff export")

// branded puts the own commands of a packed program under self; those whose word it does not use itself
// stand at the root as well (contracts §2).
func (r *run) branded(all []cli.Command) []cli.Command {
	if r.Pack == nil {
		return all
	}
	all = slices.DeleteFunc(all, func(c cli.Command) bool { return slices.Contains(unbranded, c.Name) })
	root := slices.DeleteFunc(slices.Clone(all), func(c cli.Command) bool { return r.brandUses(c.Name) })
	return append(root, cli.Command{Name: "self", Short: "Commands about this program itself, " + r.name(), Commands: all})
}

// brandUses reports whether a word is the brand's own.
func (r *run) brandUses(word string) bool {
	if r.brand() == "" || r.opened == nil {
		return false
	}
	id := r.brand() + "." + word
	for range r.opened.catalog.Below(id + ".") {
		return true
	}
	op, _, err := r.opened.catalog.Find(id)
	return err == nil && op != nil
}

// guidesOf is the folder of a source's guides, and how its files are called in messages.
func (r *run) guidesOf(s *site, source string) (files fs.FS, place string) {
	if r.Pack != nil {
		place = path.Join(pack.GuidesFolder, source)
		return r.Pack.Folder(place), place
	}
	folder := s.Place(s.Sources[source].Guides)
	return os.DirFS(folder), r.near(folder)
}

// packedFiles are the guides that this program carries, as texts to check.
func (r *run) packedFiles() (files []cards.File) {
	if r.Pack == nil {
		return nil
	}
	_ = fs.WalkDir(r.Pack.Folder("."), ".", func(name string, entry fs.DirEntry, err error) error { // a program without guides has none
		if err == nil && !entry.IsDir() && path.Ext(name) == ".md" {
			if text, err := r.Pack.Read(name); err == nil {
				files = append(files, cards.File{Path: name, Text: text})
			}
		}
		return nil
	})
	return files
}

// readBeside reads a file that an example names.
func (r *run) readBeside(name string) ([]byte, error) {
	if r.Pack != nil {
		if text, err := r.Pack.Read(filepath.ToSlash(name)); !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return os.ReadFile(name)
}

// examinePacked looks at what the sources that this program carries call and start.
func (r *run) examinePacked(ctx context.Context, s *site) []finding {
	readings, err := r.opened.readings()
	if err != nil {
		return []finding{{"source", fails, err.Error(), "get the program anew from where it came from"}}
	}
	findings := []finding{}
	for _, reading := range readings {
		findings = append(findings, finding{Check: "source", Status: fine, Detail: reading.Source + " is inside"})
		findings = append(findings, r.examineOrigins(ctx, s, reading)...)
		findings = append(findings, r.examinePrograms(s, reading)...)
	}
	return findings
}
