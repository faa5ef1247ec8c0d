package examples

import (
	"io"
	"strings"
	"sync"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/shelltext"
)

// Checker holds the examples of Markdown texts against a catalog. It may be used by several
// goroutines; its fields are set before the first Check.
type Checker struct {
	Catalog *twodoor.Catalog // required
	Tree    *guide.Tree      // required
	Lines   Lines            // required
	Guides  *guide.Library   // nil: there are none
	// Open reads a file that an example names, as it is written there; nil, or an error: the file is
	// taken to fit.
	Open func(name string) ([]byte, error)

	once sync.Once
	book *book
	refs *references
}

// Beside is the same checker for texts whose examples name other files.
func (c *Checker) Beside(open func(name string) ([]byte, error)) *Checker {
	c.ready()
	beside := &Checker{Catalog: c.Catalog, Tree: c.Tree, Lines: c.Lines, Guides: c.Guides, Open: open, book: c.book, refs: c.refs}
	beside.once.Do(func() {})
	return beside
}

// Lines reads command lines, without the program's name.
type Lines struct {
	// Check reports what is wrong with a line; it reads neither stdin nor files. Required.
	Check func(argv []string) error
	// Parse reads the line of an operation into the call that it makes. Required.
	Parse func(argv []string, stdin io.Reader, open func(name string) ([]byte, error)) (twodoor.Call, error)
}

func (c *Checker) ready() {
	c.once.Do(func() {
		c.book = bookOf(c.Tree)
		c.refs = c.references()
		if c.Guides == nil {
			c.Guides = &guide.Library{}
		}
	})
}

// Check finds what is wrong in a Markdown text. It never fails: what cannot be read is a finding.
func (c *Checker) Check(file string, text []byte) []guide.Finding {
	c.ready()
	p := guide.ReadPage(file, string(text))
	r := &pageCheck{Checker: c, page: p, files: map[string]string{}}
	for i := range p.Blocks {
		r.block(&p.Blocks[i])
	}
	for _, s := range p.Spans {
		r.span(s)
	}
	return guide.Sort(p.Findings)
}

// CheckGuides is Check for all guides of the library, with what its loading found.
func (c *Checker) CheckGuides() []guide.Finding {
	c.ready()
	findings := c.Guides.Findings
	for i := range c.Guides.Guides {
		g := &c.Guides.Guides[i]
		for _, id := range g.Operations {
			if strings.ContainsAny(id, "*?[") {
				if !c.anyCovered(id) {
					findings = append(findings, guide.Finding{File: g.File, Line: 1, Column: 1, Kind: guide.UnknownOperation, Message: "the guide covers " + id + ", which no operation fits"})
				}
				continue
			}
			if op, alias, err := c.Catalog.Find(id); err == nil && (op == nil || alias) {
				f := guide.Finding{File: g.File, Line: 1, Column: 1, Kind: guide.UnknownOperation, Message: "the guide covers " + id + ", which is no operation", Fix: c.nearest(id)}
				if alias {
					f.Kind, f.Note, f.Message, f.Fix = guide.OldName, true, id+" is an old name", op.ID
				}
				findings = append(findings, f)
			}
		}
	}
	return guide.Sort(findings)
}

// anyCovered reports whether a glob fits an operation.
func (c *Checker) anyCovered(glob string) bool {
	g := &guide.Guide{Operations: []string{glob}}
	for _, entry := range c.Catalog.Entries() {
		if g.Covers(entry.ID) {
			return true
		}
	}
	return false
}

// nearest is the operation nearest to a name, or "".
func (c *Checker) nearest(name string) string {
	show := func(entry twodoor.Entry) bool { return entry.Export != twodoor.ExportNone }
	if near := c.Catalog.Nearest(name, 1, show); len(near) > 0 {
		return near[0]
	}
	return ""
}

// pageCheck is the check of one text.
type pageCheck struct {
	*Checker
	page  *guide.Page
	files map[string]string // written by heredocs so far, by name
}

// add adds a finding at a word.
func (r *pageCheck) add(at shelltext.Word, kind guide.Mistake, message, fix string) *guide.Finding {
	r.page.Find(at.Line, at.Col, kind, message, fix)
	return &r.page.Findings[len(r.page.Findings)-1]
}

// block checks a fenced block: a shell text, or JSON that calls a tool.
func (r *pageCheck) block(b *guide.Block) {
	text := strings.Join(b.Rows, "\n")
	switch b.Lang {
	case "sh", "bash", "shell", "zsh", "console", "terminal", "shell-session", "shellsession":
		r.shell(b, text)
	case "":
		switch trimmed := strings.TrimSpace(text); {
		case strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "["):
			r.json(b, text)
		case r.mentions(text):
			r.shell(b, text)
		}
	case "json", "jsonc", "json5":
		r.json(b, text)
	}
}

// mentions reports whether a line of a text begins with the program, after a prompt or without one.
func (r *pageCheck) mentions(text string) bool {
	for row := range strings.SplitSeq(text, "\n") {
		if first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(row), "$ "), " "); first == r.Tree.Program {
			return true
		}
	}
	return false
}

// shell checks the calls in a shell text. Where lines begin with a prompt the others are output.
func (r *pageCheck) shell(b *guide.Block, text string) {
	if !strings.Contains(text, r.Tree.Program) {
		return
	}
	reader := &shelltext.Reader{Program: r.Tree.Program, Files: r.files, Fenced: true}
	for _, part := range shelltext.Parts(b.Rows) {
		reader.Place = func(line, col int) (int, int, int) {
			line = min(line, len(part.Shift)-1)
			return r.page.Place(b.Line+part.Row+line, b.Dent+part.Shift[line]+col)
		}
		found := len(reader.Calls)
		err := reader.Read(part.Text)
		if err == nil || part.Prompted && !r.mentions(part.Text) {
			continue
		}
		r.page.Find(b.Line+part.Row, b.Dent, guide.BadShell, "no shell reads this: "+err.Error(), "")
		reader.Calls = reader.Calls[:found]
		if !part.Prompted {
			r.rowByRow(reader, b)
		}
	}
	for i := range reader.Calls {
		if c := &reader.Calls[i]; !showsFault(b, c.Words[0].Line-b.Line) {
			r.call(c)
		}
	}
}

// showsFault reports whether the output shown under a prompt is an error: such a line is meant to be
// wrong.
func showsFault(b *guide.Block, row int) bool {
	if row < 0 || row >= len(b.Rows) || !strings.HasPrefix(b.Rows[row], "$ ") {
		return false
	}
	for _, next := range b.Rows[row+1:] {
		switch {
		case strings.HasPrefix(next, "> "), strings.TrimSpace(next) == "":
			continue
		case strings.HasPrefix(next, `{"error":`), strings.HasPrefix(next, "error:"), strings.HasPrefix(next, "Error:"):
			return true
		}
		return false
	}
	return false
}

// rowByRow reads what can be read of a block that is no shell text as a whole.
func (r *pageCheck) rowByRow(reader *shelltext.Reader, b *guide.Block) {
	for i := 0; i < len(b.Rows); i++ {
		first := i
		text := b.Rows[i]
		for strings.HasSuffix(text, "\\") && i+1 < len(b.Rows) {
			i++
			text += "\n" + b.Rows[i]
		}
		if strings.HasPrefix(strings.TrimSpace(text), r.Tree.Program+" ") {
			reader.Place = func(line, col int) (int, int, int) { return r.page.Place(b.Line+first+line, b.Dent+col) }
			found := len(reader.Calls)
			_ = reader.Read(text) // the block as a whole was told already
			for i := range reader.Calls[found:] {
				reader.Calls[found+i].Piped = true // a heredoc may have been meant
			}
		}
	}
}

// span checks inline code: a call of the program, of a tool, or the name of one.
func (r *pageCheck) span(s guide.Span) {
	col := r.page.Column(s.Line, s.Offset)
	first, _, more := strings.Cut(s.Text, " ")
	if first == r.Tree.Program && more {
		reader := &shelltext.Reader{Program: r.Tree.Program, Files: r.files, Place: func(_, at int) (int, int, int) { return r.page.Place(s.Line, col+at) }}
		if err := reader.Read(s.Text); err != nil {
			r.page.Find(s.Line, col, guide.BadShell, "no shell reads this: "+err.Error(), "")
		}
		for i := range reader.Calls {
			r.call(&reader.Calls[i])
		}
		return
	}
	r.reference(s, col)
}
