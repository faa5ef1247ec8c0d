package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/command"
	"github.com/twodoor/twodoor/source/openapi"
	"github.com/twodoor/twodoor/source/protobuf"
)

// wanted is a source as a command line names it.
type wanted struct {
	ref    string // file or URL
	name   string // empty: from its title
	target string
	prefix string
	bearer string // env:X, file:/path, keyring:name
	header string // K=V
	verbs  bool   // found out: it is a verbs file
	proto  string // found out: it is Protobuf, under this key of protobuf:
	more   []config.Setting
}

// addFlags are the flags by which a source is described on a command line.
func addFlags() []cli.Flag {
	return []cli.Flag{
		{Name: "name", Usage: "name of the source, the first word of its commands; default: from its title"},
		{Name: "target", Usage: "base URL of the API, in place of the description's servers"},
		{Name: "prefix", Usage: "stands for the source's name in MCP tool names"},
		{Name: "bearer", Usage: "where the bearer token is kept: env:NAME, file:/path or keyring:name"},
		{Name: "header", Usage: "a header with a key, NAME=env:X (or file:, keyring:)"},
	}
}

func wantedOf(in *cli.Invocation, ref string) wanted {
	return wanted{ref: ref, name: in.Text("name"), target: in.Text("target"), prefix: in.Text("prefix"), bearer: in.Text("bearer"), header: in.Text("header")}
}

// edit is a configuration that is being changed: nothing is written until everything fits.
type edit struct {
	file  string
	text  []byte
	site  *site // as the text stands
	added []string
	known []string // were there already
}

// editing begins to change the configuration that is found, or a new one in the present folder.
func (r *run) editing() (*edit, error) {
	s, err := r.find()
	if err != nil {
		return nil, err
	}
	e := &edit{file: s.File, text: s.Text, site: s}
	if s.File == "" || s.demo {
		e.file, e.text = filepath.Join(r.Dir, config.FileName), nil
		e.site, err = r.siteOf(config.None(), config.Walked)
	}
	return e, err
}

// add puts a source into the text.
func (r *run) add(ctx context.Context, e *edit, w wanted) error {
	place, err := r.place(w.ref)
	if err != nil {
		return err
	}
	if name := e.site.sourceOf(place); name != "" && (w.name == "" || w.name == name) {
		e.known = append(e.known, name)
		return nil
	}
	text, err := r.readDescription(ctx, e.site, place)
	if err != nil {
		return err
	}
	title, ok := sniff(text)
	if w.proto = protobufKey(place); w.proto != "" {
		title, ok = "", true
	}
	if named, isVerbs := sniffVerbs(text); !ok && isVerbs {
		w.verbs, title, ok = true, orElse(verbsName(place), named), true
	}
	if broken := rawjson.Check(text); !ok && broken != nil && rawjson.KindOf(text) == rawjson.KindObject {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s: %v", w.ref, broken), Hint: "mend the file there, or fetch it again if it was cut off", Cause: broken}
	}
	if !ok {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf(`%s is no OpenAPI document: it has no "openapi" or "swagger" at the top`, w.ref), Hint: "this version serves OpenAPI 2.0, 3.0 and 3.1, as JSON or YAML, Protobuf (.proto, .binpb) and verbs files. " + serverHint}
	}
	if w.name == "" {
		w.name = e.site.freeName(nameFrom(title, place))
	} else if _, taken := e.site.Sources[w.name]; taken {
		return &twodoor.Error{Code: twodoor.CodeConflict, Message: fmt.Sprintf("there is a source %q already", w.name), Hint: "choose another --name, or take the old one out with: twodoor remove " + w.name}
	}
	if problem := config.CheckName(w.name); problem != "" {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: problem, Hint: "give it one with --name"}
	}
	if err := e.put(w, refFrom(filepath.Dir(e.file), place)); err != nil {
		return err
	}
	e.added = append(e.added, w.name)
	return r.parse(e)
}

// place makes the name of a description absolute.
func (r *run) place(ref string) (string, error) {
	if config.IsURL(ref) {
		return ref, nil
	}
	if !filepath.IsAbs(ref) {
		ref = filepath.Join(r.Dir, ref)
	}
	if info, err := os.Stat(ref); err == nil && info.IsDir() {
		return "", &twodoor.Error{Code: twodoor.CodeInvalid, Message: ref + " is a folder", Hint: "name the description in it"}
	}
	return ref, nil
}

// refFrom is how a configuration in a folder names a description: relative where it lies below.
func refFrom(dir, place string) string {
	if config.IsURL(place) {
		return place
	}
	rel, err := filepath.Rel(dir, place)
	if err != nil || strings.HasPrefix(rel, "..") {
		return place
	}
	return "./" + filepath.ToSlash(rel)
}

// sourceOf is the name of the source that reads a description, or nothing.
func (s *site) sourceOf(place string) string {
	for _, name := range config.Sorted(s.Sources) {
		if c := s.Sources[name]; s.Place(c.OpenAPI) == place || s.Place(c.Command) == place || slices.Contains(s.protobufFiles(c), place) {
			return name
		}
	}
	return ""
}

// freeName is a name that no source has yet.
func (s *site) freeName(name string) string {
	free := name
	for n := 2; ; n++ {
		if _, taken := s.Sources[free]; !taken && config.CheckName(free) == "" {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

func (r *run) readDescription(ctx context.Context, s *site, place string) ([]byte, error) {
	if config.IsURL(place) {
		return r.fetcher(s, "")(ctx, place)
	}
	info, err := os.Stat(place)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no file " + r.near(place), Hint: "name an OpenAPI description: a file that is there, or a URL", Cause: err}
	}
	if err == nil && info.Size() > openapi.DefaultMaxBytes {
		return nil, &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("%s is larger than the bound of %d MiB", r.near(place), openapi.DefaultMaxBytes>>20)}
	}
	text, err := os.ReadFile(place)
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot read " + r.near(place) + ": " + plainCause(err).Error(), Cause: err}
	}
	return text, nil
}

var (
	yamlMark  = regexp.MustCompile(`(?m)^["']?(?:openapi|swagger)["']?[ \t]*:`)
	yamlTitle = regexp.MustCompile(`(?m)^["']?info["']?[ \t]*:[ \t]*(?:#.*)?\n(?:(?:[ \t].*|#.*)?\n)*?[ \t]+["']?title["']?[ \t]*:[ \t]*(.+)$`)
	flowTitle = regexp.MustCompile(`(?m)^["']?info["']?[ \t]*:[ \t]*\{(?:.*[,{ ])?["']?title["']?[ \t]*:[ \t]*("[^"]*"|'[^']*'|[^,}\n]+)`)
)

// sniff reports whether a text looks like an OpenAPI document, and its title, without reading all of
// it: the source does that, and tells what is wrong with it.
func sniff(text []byte) (title string, ok bool) {
	if rawjson.KindOf(text) == rawjson.KindObject {
		for _, mark := range []string{"openapi", "swagger"} {
			_, found := rawjson.Get(text, mark)
			ok = ok || found
		}
		raw, _ := rawjson.GetPath(text, "info", "title")
		title, _ = rawjson.String(raw)
		return title, ok
	}
	for _, shape := range []*regexp.Regexp{flowTitle, yamlTitle} {
		if m := shape.FindSubmatch(text); m != nil && title == "" {
			title = strings.Trim(strings.TrimSpace(string(m[1])), `"'`)
		}
	}
	return title, yamlMark.Match(text)
}

// noise are words of titles that say nothing about what the API is for.
var noise = regexp.MustCompile(`^(?:the|a|an|of|and|for|to|api|apis|open|rest|restful|http|json|openapi|swagger|spec|specification|definition|documentation|docs|reference|official|public|service|server|v?\d+[\d.]*)$`)

// aside is where a title has told its name and goes on about something else.
var aside = regexp.MustCompile(`\s[-–—+|:(].*|[:(|,].*|['’]s\b`)

// nameFrom makes a name of a title, else of the file: at most two words that say something.
func nameFrom(title, place string) string {
	for _, text := range []string{title, strings.TrimSuffix(filepath.Base(place), filepath.Ext(place))} {
		text = aside.ReplaceAllString(strings.ToLower(text), "")
		words := strings.FieldsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
		words = slices.DeleteFunc(words, func(word string) bool { return noise.MatchString(word) })
		name := strings.Join(words[:min(2, len(words))], "-")
		name = strings.Trim(name, "-0123456789")
		if name != "" && config.CheckName(name) == "" {
			return name
		}
	}
	return "api"
}

// put writes the entries of a source and its key into the text.
func (e *edit) put(w wanted, ref string) error {
	settings := []config.Setting{{Key: "openapi", Text: ref}}
	if w.verbs {
		settings[0].Key = command.Kind
	}
	if w.proto != "" {
		settings[0] = config.Setting{Key: protobuf.Kind, Below: []config.Setting{{Key: w.proto, Text: ref}}}
	}
	for _, s := range []config.Setting{{Key: "target", Text: w.target}, {Key: "prefix", Text: w.prefix}} {
		if s.Text != "" {
			settings = append(settings, s)
		}
	}
	settings = append(settings, w.more...)
	key, err := connectionOf(w)
	if err != nil {
		return err
	}
	if key != nil {
		name := w.name + "-key"
		settings = append(settings, config.Setting{Key: "connection", Text: name})
		if e.text, err = config.Put(e.text, "connections", name, key); err != nil {
			return err
		}
	}
	e.text, err = config.Put(e.text, "sources", w.name, settings)
	return err
}

func connectionOf(w wanted) ([]config.Setting, error) {
	switch {
	case w.bearer != "" && w.header != "":
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "--bearer and --header exclude each other", Hint: "write further connections into " + config.FileName}
	case w.bearer != "":
		token, err := reference("--bearer", w.bearer)
		return []config.Setting{{Key: "type", Text: "bearer"}, {Key: "token", Text: token}}, err
	case w.header != "":
		name, value, ok := strings.Cut(w.header, "=")
		if !ok || name == "" {
			return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "--header is written NAME=env:X"}
		}
		value, err := reference("--header "+name, value)
		return []config.Setting{{Key: "type", Text: "api-key"}, {Key: "in", Text: "header"}, {Key: "name", Text: name}, {Key: "key", Text: value}}, err
	}
	return nil, nil
}

// reference makes "env:X" the reference ${env:X}. A key itself has no place on a command line, where
// every process of the machine can read it.
func reference(flag, text string) (string, error) {
	if refs := config.References(text); len(refs) == 1 {
		return text, nil
	}
	if refs := config.References("${" + text + "}"); len(refs) == 1 {
		return "${" + text + "}", nil
	}
	return "", &twodoor.Error{Code: twodoor.CodeInvalid, Message: flag + " takes the place of a key, not the key", Hint: "write env:NAME, file:/path or keyring:name"}
}

// parse reads the changed text.
func (r *run) parse(e *edit) error {
	loaded, err := config.Parse(e.file, e.text)
	if err != nil {
		return err
	}
	e.site, err = r.siteOf(loaded, config.Walked)
	return err
}

// save writes the configuration and takes it as the one of this run. It is trusted: somebody just
// asked for it.
func (r *run) save(e *edit, o *opened) error {
	where := r.site.where
	if len(e.added) > 0 || !isFile(e.file) {
		if err := config.WriteFile(e.file, e.text, 0o644); err != nil {
			return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot write " + r.near(e.file) + ": " + plainCause(err).Error(), Cause: err}
		}
		if where == config.Nowhere || r.site.demo {
			where = config.Walked
		}
	}
	if err := e.site.Override(r.getenv); err != nil {
		return err
	}
	e.site.where = where
	r.site, r.opened = e.site, o
	r.far.keepIn(r, e.site)
	if where != config.Walked {
		return nil
	}
	book := config.Trust{Dir: filepath.Join(r.folders.State, "trust")}
	return r.granted(book, e.file, claimsOf(e.site, o.catalog.Sources()))
}

// addAll adds what a command line names, reads it, and writes the configuration. What cannot be read
// leaves the configuration as it was.
func (r *run) addAll(ctx context.Context, all []wanted) (*edit, error) {
	e, err := r.editing()
	if err != nil {
		return nil, err
	}
	before := e.site
	if err := r.trust(ctx, before, before.Claims()); err != nil {
		return nil, err
	}
	for _, w := range all {
		if err := r.add(ctx, e, w); err != nil {
			return nil, err
		}
	}
	o, err := r.compiled(ctx, e.site, func(infos []twodoor.SourceInfo, lost []lostSource) error {
		for _, l := range lost {
			if slices.Contains(e.added, l.source) {
				return l.err
			}
		}
		return r.trust(ctx, before, claimsOf(before, infos, e.added...))
	})
	if err != nil {
		return nil, err
	}
	return e, r.save(e, o)
}
