package guide

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/rawyaml"
)

// DefaultBudget is the weight of a guide that one read takes in, in estimated tokens.
const defaultBudget = 2000

// maxGuide bounds the file of a guide.
const maxGuide = 8 << 20

// Guide is prose about one task.
type Guide struct {
	Name       string   `json:"name"` // lower-case words with hyphens
	Title      string   `json:"title"`
	When       string   `json:"when,omitempty"`       // when to read it
	Intents    []string `json:"intents,omitempty"`    // what one may want, in any language
	Operations []string `json:"operations,omitempty"` // ids that it covers, made whole with the source's name; * stands for any text
	Source     string   `json:"source,omitempty"`     // the source that it belongs to
	File       string   `json:"-"`
	Text       string   `json:"-"` // the Markdown, without the front matter
	Weight     int      `json:"tokens"`
}

// Library is a set of guides, sorted by name. The zero value is an empty one.
type Library struct {
	Guides   []Guide
	Findings []Finding // what is wrong with the files
}

// Load reads the Markdown files of a folder. A file that is broken is a finding; a guide is served as
// far as it can be read. Operations that do not begin with the source's name get it in front.
// The budget is in estimated tokens; 0 means 2000.
func Load(source string, folder fs.FS, budget int) *Library {
	library := &Library{}
	names, err := fs.Glob(folder, "*.md")
	if err != nil {
		library.fault(source, err.Error())
	}
	slices.Sort(names)
	for _, name := range names {
		library.load(source, folder, name, budget)
	}
	return library
}

// LoadAll joins the guides of several folders; two of one name are a finding.
func LoadAll(all ...*Library) *Library {
	joined := &Library{}
	files := map[string]string{}
	for _, library := range all {
		joined.Findings = append(joined.Findings, library.Findings...)
		for _, g := range library.Guides {
			if other, taken := files[g.Name]; taken {
				joined.Findings = append(joined.Findings, Finding{File: g.File, Line: 1, Column: 1, Kind: SameName,
					Message: fmt.Sprintf("the guide %s is also in %s", g.Name, other), Fix: "another name in one of them"})
				continue
			}
			files[g.Name] = g.File
			joined.Guides = append(joined.Guides, g)
		}
	}
	slices.SortFunc(joined.Guides, func(a, b Guide) int { return strings.Compare(a.Name, b.Name) })
	return joined
}

func (l *Library) fault(file, message string) {
	l.Findings = append(l.Findings, Finding{File: file, Line: 1, Column: 1, Kind: FrontMatter, Message: message})
}

func (l *Library) load(source string, folder fs.FS, name string, budget int) {
	info, err := fs.Stat(folder, name)
	if err != nil {
		l.fault(name, "cannot be read: "+err.Error())
		return
	}
	if info.Size() > maxGuide {
		l.fault(name, fmt.Sprintf("has %d bytes: a guide fits one read", info.Size()))
		return
	}
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		l.fault(name, "cannot be read: "+err.Error())
		return
	}
	g, findings := Parse(source, name, string(text), budget)
	l.Findings = append(l.Findings, findings...)
	if i := slices.IndexFunc(l.Guides, func(other Guide) bool { return other.Name == g.Name }); i >= 0 {
		l.Findings = append(l.Findings, Finding{File: name, Line: 1, Column: 1, Kind: SameName,
			Message: fmt.Sprintf("the guide %s is also in %s", g.Name, l.Guides[i].File), Fix: "another name in one of them"})
		return
	}
	l.Guides = append(l.Guides, g)
}

// Find is the guide of a name, or nil.
func (l *Library) Find(name string) *Guide {
	for i := range l.Guides {
		if l.Guides[i].Name == name {
			return &l.Guides[i]
		}
	}
	return nil
}

// Names lists the names of the guides.
func (l *Library) Names() []string {
	names := make([]string, 0, len(l.Guides))
	for _, g := range l.Guides {
		names = append(names, g.Name)
	}
	return names
}

// For lists the guides that cover an operation.
func (l *Library) For(id string) []string {
	var names []string
	for _, g := range l.Guides {
		if g.Covers(id) {
			names = append(names, g.Name)
		}
	}
	return names
}

// Covers reports whether the guide says that it covers an operation.
func (g *Guide) Covers(id string) bool {
	return slices.ContainsFunc(g.Operations, func(glob string) bool {
		fits, err := path.Match(glob, id)
		return err == nil && fits
	})
}

// guideKeys are the keys of a front matter.
var guideKeys = []string{"name", "title", "when", "intents", "operations"}

// Parse reads one guide. Without a name in the front matter the file gives it, without a title the
// first heading does.
func Parse(source, file, text string, budget int) (Guide, []Finding) {
	p := ReadPage(file, text)
	g := Guide{Source: source, File: file, Text: strings.TrimLeft(p.rest(), "\r\n")}
	p.readHead(&g)
	if g.Name == "" {
		g.Name = strings.TrimSuffix(path.Base(file), ".md")
	}
	if !isName(g.Name) {
		p.Find(p.headLine("name"), 0, FrontMatter, fmt.Sprintf("name %q is not of lower-case words with hyphens, at most 64 characters", g.Name), nameFrom(g.Name))
	}
	if g.Title == "" {
		g.Title = p.heading()
	}
	if g.Title == "" && len(p.Findings) == 0 {
		p.Find(0, 0, FrontMatter, "the guide has no title", "title: in the front matter")
	}
	for i, id := range g.Operations {
		if source != "" && !strings.HasPrefix(id, source+".") {
			g.Operations[i] = source + "." + id
		}
	}
	if budget == 0 {
		budget = defaultBudget
	}
	if g.Weight = rawjson.Weigh([]byte(g.Text)); g.Weight > budget {
		p.Find(p.body, 0, OverBudget, fmt.Sprintf("the guide weighs ≈%d tokens, one read takes %d", g.Weight, budget), "two guides")
	}
	return g, p.Findings
}

// rest is the text after the front matter.
func (p *Page) rest() string {
	if p.body >= len(p.lines) {
		return ""
	}
	return p.text[p.lines[p.body]:]
}

// readHead reads the front matter.
func (p *Page) readHead(g *Guide) {
	if strings.TrimSpace(p.head) == "" {
		if p.body > 0 || len(p.Findings) == 0 {
			p.Find(0, 0, FrontMatter, "the guide has no front matter", "name, title, when, intents, operations between two lines of ---")
		}
		return
	}
	root, err := rawyaml.Parse([]byte(p.head), rawyaml.Limits{AliasNodes: 1000, AliasBytes: 1 << 16})
	if err != nil {
		line := 1
		if fault, ok := err.(*rawjson.SyntaxError); ok {
			line, err = max(fault.Line, 1), fmt.Errorf("%s", fault.Msg)
		}
		p.Find(line, 0, FrontMatter, "the front matter is no YAML: "+err.Error(), "")
		return
	}
	if !root.Is(rawjson.KindObject) {
		p.Find(1, 0, FrontMatter, "the front matter is not of keys and values", "name: "+g.Name)
		return
	}
	for key, value := range root.Members() {
		line := max(int(value.Line), 1)
		switch key {
		case "name":
			g.Name = p.text1(key, value, line)
		case "title":
			g.Title = p.text1(key, value, line)
		case "when":
			g.When = p.text1(key, value, line)
		case "intents":
			g.Intents = p.texts(key, value, line)
		case "operations":
			g.Operations = p.texts(key, value, line)
		default:
			fix := ""
			if near := rawjson.Nearest(guideKeys, key, 1); len(near) > 0 {
				fix = near[0]
			}
			p.Find(line, 0, FrontMatter, fmt.Sprintf("unknown key %q in the front matter", key), fix)
		}
	}
}

func (p *Page) text1(key string, value *rawjson.Node, line int) string {
	if !value.Is(rawjson.KindString) {
		p.Find(line, 0, FrontMatter, key+" is not a text", "")
		return ""
	}
	return value.Str()
}

func (p *Page) texts(key string, value *rawjson.Node, line int) []string {
	list := value.Strings()
	if !value.Is(rawjson.KindArray) || len(list) != value.Len() {
		p.Find(line, 0, FrontMatter, key+" is not a list of texts", key+": [a, b]")
	}
	return list
}

// headLine is the line of a key in the front matter, from 0.
func (p *Page) headLine(key string) int {
	for i := 1; i < p.body; i++ {
		if strings.HasPrefix(p.row(i), key+":") {
			return i
		}
	}
	return 0
}

// heading is the first heading of the text.
func (p *Page) heading() string {
	for i := p.body; i < len(p.lines); i++ {
		if row := p.row(i); strings.HasPrefix(row, "# ") {
			return strings.TrimSpace(row[2:])
		}
	}
	return ""
}

// isName reports whether a name is legal for a guide and a skill: 1 to 64 of a-z, 0-9 and hyphens, no
// hyphen at an edge and no two together (Agent Skills, "name").
func isName(name string) bool {
	if len(name) == 0 || len(name) > 64 || strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--") {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// nameFrom makes a legal name of a text.
func nameFrom(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	name := strings.Join(words, "-")
	return strings.TrimRight(name[:min(len(name), 64)], "-")
}
