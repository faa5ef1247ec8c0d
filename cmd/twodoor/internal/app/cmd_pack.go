package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/bundle"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/pack"
	"github.com/twodoor/twodoor/door/cli"
)

func (r *run) packCommand() cli.Command {
	return cli.Command{
		Name: "pack", Args: "SOURCE...", Short: "Make one file that is a program of your own: this one, with sources inside",
		Long: "The file holds the compiled catalog, the guides and the defaults of the configuration; it needs no description, no network and no toolchain, and its commands leave out the source: hb incident list. " +
			"Its own commands are under self, and at the root where the source does not use their word. Keys stay outside: the references of the configuration are looked up where it runs. The same input makes the same bytes; a file that was changed does not start.",
		Example: "twodoor pack harbor --name hb --out ./hb",
		Flags: []cli.Flag{
			{Name: "name", Usage: "name of the program; required"},
			{Name: "out", Usage: "the file; default ./NAME"},
			{Name: "base", Usage: "a twodoor of another platform, to make a program for that one"},
			{Name: "release", Usage: "version of what it carries; default the description's"},
		},
		Run:      r.pack,
		Complete: r.completeSources,
	}
}

// packedFile is what pack has made, for programs.
type packedFile struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	pack.Manifest
}

func (r *run) pack(ctx context.Context, in *cli.Invocation) error {
	name := in.Text("name")
	if problem := config.CheckName(name); problem != "" {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: problem, Hint: "say with --name what the program is called"}
	}
	s, err := r.packable(ctx, in.Args)
	if err != nil {
		return err
	}
	contents, err := r.contents(ctx, s, name, in.Text("release"))
	if err != nil {
		return err
	}
	made, err := r.writePacked(contents, orElse(in.Text("base"), r.Executable), orElse(in.Text("out"), name))
	if err != nil {
		return err
	}
	return in.PrintLines(made.prose(r), made)
}

func (p *packedFile) prose(r *run) string {
	operations := 0
	for _, s := range p.Sources {
		operations += s.Operations
	}
	return fmt.Sprintf("%s: %s %s, %s, %d MB, sha256 of what it carries %s\nnext: %s --help; %s self check; %s mcp\n",
		r.near(p.File), p.Name, p.Version, counted(operations, "operation"), p.Bytes>>20, p.Digest[:12], r.near(p.File), p.Name, p.Name)
}

// packable is the configuration cut down to the sources that are packed.
func (r *run) packable(ctx context.Context, sources []string) (*site, error) {
	s, err := r.find()
	if err != nil {
		return nil, err
	}
	if _, err := r.open(ctx); err != nil { // asks for trust, and says what cannot be read
		return nil, err
	}
	for _, name := range sources {
		kind := s.Sources[name].Kind()
		switch {
		case kind == "":
			return nil, &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no source %q", name), Try: config.Sorted(s.Sources)}
		case isListed(kind):
			return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s is listed by its far side while it runs, and cannot be packed", name), Hint: "pack sources that have a description: openapi, command"}
		}
	}
	text, err := cut(s, sources)
	if err != nil {
		return nil, err
	}
	loaded, err := config.Parse(s.Loaded.File, text)
	if err != nil {
		return nil, err
	}
	if len(loaded.Warnings) > 0 {
		w := loaded.Warnings[0]
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s would be packed into the program for everybody to read", w.Problem), Hint: w.Hint}
	}
	loaded.MCPServers = ""
	return r.siteOf(loaded, config.Named)
}

// cut takes the other sources out of the text of a configuration, and the connections that only they use.
func cut(s *site, sources []string) (text []byte, err error) {
	text = s.Text
	used := map[string]bool{}
	for _, name := range sources {
		used[s.Sources[name].Connection] = true
		for _, connection := range s.Sources[name].Connections {
			used[connection] = true
		}
	}
	remove := func(section, name string) {
		if err == nil {
			text, _, err = config.Remove(text, section, name)
		}
	}
	for _, name := range config.Sorted(s.Sources) {
		if !slices.Contains(sources, name) && !s.filed[name] {
			remove("sources", name)
		}
	}
	for _, name := range config.Sorted(s.Connections) {
		if !used[name] {
			remove("connections", name)
		}
	}
	return text, err
}

// contents are what is packed.
func (r *run) contents(ctx context.Context, s *site, name, release string) (c pack.Contents, err error) {
	readings, lost := r.read(ctx, s)
	if len(lost) > 0 {
		return c, lost[0].err
	}
	c.Manifest = pack.Manifest{Name: name, Version: release}
	for i, reading := range readings {
		readings[i].Files, readings[i].Lock = nil, twodoor.Lock{} // of this machine
		c.Manifest.Sources = append(c.Manifest.Sources, pack.Source{Name: reading.Source, Title: reading.Title, Version: reading.Version, Operations: len(reading.Operations)})
	}
	if len(readings) == 1 {
		c.Manifest.Brand = readings[0].Source
		c.Manifest.Version = orElse(release, readings[0].Version)
	}
	c.Manifest.Version = orElse(c.Manifest.Version, "0")
	c.Files = map[string][]byte{pack.ConfigFile: s.Text}
	if c.Files[pack.CatalogFile], err = r.bundled(ctx, s, name, readings); err != nil {
		return c, err
	}
	used := wordsOf(readings, c.Manifest.Brand)
	for source, described := range s.Sources {
		if described.Guides == "" {
			continue
		}
		if err := r.packGuides(&c, s.Place(described.Guides), source, used); err != nil {
			return c, err
		}
	}
	return c, nil
}

// packGuides puts the guides of a source into a program.
func (r *run) packGuides(c *pack.Contents, folder, source string, used map[string]bool) error {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if err != nil || entry.IsDir() || path.Ext(entry.Name()) != ".md" {
			continue
		}
		var text []byte
		text, err = os.ReadFile(filepath.Join(folder, entry.Name()))
		c.Files[path.Join(pack.GuidesFolder, source, entry.Name())] = r.rename(text, c.Manifest, used)
	}
	if err != nil {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot read the guides of " + source + ": " + plainCause(err).Error(), Cause: err}
	}
	return nil
}

// bundled is the catalog as a bundle that says nothing of this machine. The program's own tools have its
// name in front; they are found by their plain names too.
func (r *run) bundled(ctx context.Context, s *site, name string, readings []*twodoor.Reading) ([]byte, error) {
	own, err := r.ownReadings(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, reading := range own {
		for i := range reading.Operations {
			op := &reading.Operations[i]
			op.Aliases = append(op.Aliases, op.ID)
			op.Tool = name + "_" + op.Spelling().MCP
		}
	}
	dir, err := os.MkdirTemp("", "twodoor-pack-*")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the catalog: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, pack.CatalogFile)
	if err := bundle.Write(file, bundle.Stamp{}, slices.Concat(readings, own), r.indexSection(s, readings)); err != nil {
		return nil, clash(err)
	}
	return os.ReadFile(file)
}

// wordsOf are the words that stand at the root of a brand's commands.
func wordsOf(readings []*twodoor.Reading, brand string) map[string]bool {
	words := map[string]bool{}
	for _, reading := range readings {
		for _, op := range reading.Operations {
			if rest, ok := strings.CutPrefix(op.ID, brand+"."); ok && brand != "" {
				word, _, _ := strings.Cut(rest, ".")
				words[word] = true
			}
		}
	}
	return words
}

var ourLine = regexp.MustCompile(`\btwodoor ([a-z][a-z-]*)`)

// rename makes the command lines of a guide those of the packed program.
func (r *run) rename(text []byte, m pack.Manifest, used map[string]bool) []byte {
	return ourLine.ReplaceAllFunc(text, func(line []byte) []byte {
		word := strings.TrimPrefix(string(line), "twodoor ")
		switch {
		case word == m.Brand:
			return []byte(m.Name)
		case r.owns(word) && used[word]:
			return []byte(m.Name + " self " + word)
		case r.owns(word) || slices.ContainsFunc(m.Sources, func(s pack.Source) bool { return s.Name == word }):
			return []byte(m.Name + " " + word)
		}
		return line
	})
}

// writePacked writes the program and opens it again.
func (r *run) writePacked(c pack.Contents, base, out string) (*packedFile, error) {
	for _, place := range []*string{&base, &out} {
		if !filepath.IsAbs(*place) {
			*place = filepath.Join(r.Dir, *place)
		}
	}
	from, err := os.Open(base)
	if err == nil {
		defer from.Close()
		err = isProgram(from)
	}
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot take " + r.near(base) + " for the program: " + plainCause(err).Error(), Hint: "name a twodoor with --base", Cause: err}
	}
	to, err := os.CreateTemp(filepath.Dir(out), ".twodoor-pack-*")
	if err == nil {
		defer os.Remove(to.Name()) // gone already where all went well
		err = errors.Join(pack.Write(to, from, c), to.Chmod(0o755), to.Close())
	}
	if err == nil {
		err = os.Rename(to.Name(), out)
	}
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot write " + r.near(out) + ": " + plainCause(err).Error(), Hint: "choose another place with --out", Cause: err}
	}
	p, err := pack.Open(out)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	info, err := os.Stat(out)
	if err != nil {
		return nil, err
	}
	return &packedFile{File: out, Bytes: info.Size(), Manifest: p.Manifest}, nil
}

// isProgram looks in a file for what a twodoor has that can open what it carries.
func isProgram(f *os.File) error {
	chunk, mark, rest := make([]byte, 1<<20), []byte(pack.Mark), []byte(nil)
	for at := int64(0); ; {
		n, err := f.ReadAt(chunk, at)
		if bytes.Contains(append(rest, chunk[:n]...), mark) {
			return nil
		}
		rest = append([]byte(nil), chunk[max(0, n-len(mark)):n]...)
		at += int64(n)
		if errors.Is(err, io.EOF) {
			return errors.New("it is no twodoor, or one that cannot carry anything")
		}
		if err != nil {
			return err
		}
	}
}
