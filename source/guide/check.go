package guide

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/twodoor/twodoor"
)

// Checker holds the examples of Markdown texts against a catalog. It may be used by several
// goroutines; its fields are set before the first Check.
type Checker struct {
	Catalog *twodoor.Catalog // required
	Tree    *Tree            // required
	Lines   Lines            // required
	Guides  *Library         // nil: there are none
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
			c.Guides = &Library{}
		}
	})
}

// Check finds what is wrong in a Markdown text. It never fails: what cannot be read is a finding.
func (c *Checker) Check(file string, text []byte) []Finding {
	c.ready()
	p := readPage(file, string(text))
	r := &pageCheck{Checker: c, page: p, files: map[string]string{}}
	for i := range p.blocks {
		r.block(&p.blocks[i])
	}
	for _, s := range p.spans {
		r.span(s)
	}
	return Sort(p.findings)
}

// CheckGuides is Check for all guides of the library, with what its loading found.
func (c *Checker) CheckGuides() []Finding {
	c.ready()
	findings := c.Guides.Findings
	for i := range c.Guides.Guides {
		g := &c.Guides.Guides[i]
		for _, id := range g.Operations {
			if strings.ContainsAny(id, "*?[") {
				if !c.anyCovered(id) {
					findings = append(findings, Finding{File: g.File, Line: 1, Column: 1, Kind: UnknownOperation, Message: "the guide covers " + id + ", which no operation fits"})
				}
				continue
			}
			if op, alias, err := c.Catalog.Find(id); err == nil && (op == nil || alias) {
				f := Finding{File: g.File, Line: 1, Column: 1, Kind: UnknownOperation, Message: "the guide covers " + id + ", which is no operation", Fix: c.nearest(id)}
				if alias {
					f.Kind, f.Note, f.Message, f.Fix = OldName, true, id+" is an old name", op.ID
				}
				findings = append(findings, f)
			}
		}
	}
	return Sort(findings)
}

// anyCovered reports whether a glob fits an operation.
func (c *Checker) anyCovered(glob string) bool {
	g := &Guide{Operations: []string{glob}}
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
	page  *page
	files map[string]string // written by heredocs so far, by name
}

// add adds a finding at a word.
func (r *pageCheck) add(at word, kind Mistake, message, fix string) *Finding {
	r.page.find(at.line, at.col, kind, message, fix)
	return &r.page.findings[len(r.page.findings)-1]
}

// block checks a fenced block: a shell text, or JSON that calls a tool.
func (r *pageCheck) block(b *block) {
	text := strings.Join(b.rows, "\n")
	switch b.lang {
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
func (r *pageCheck) shell(b *block, text string) {
	if !strings.Contains(text, r.Tree.Program) {
		return
	}
	reader := &shellReader{program: r.Tree.Program, files: r.files, fenced: true}
	for _, part := range partsOf(b.rows) {
		reader.place = func(line, col int) (int, int, int) {
			line = min(line, len(part.shift)-1)
			return r.placeOf(b.line+part.row+line, b.dent+part.shift[line]+col)
		}
		found := len(reader.calls)
		err := reader.read(part.text)
		if err == nil || part.prompted && !r.mentions(part.text) {
			continue
		}
		r.page.find(b.line+part.row, b.dent, BadShell, "no shell reads this: "+err.Error(), "")
		reader.calls = reader.calls[:found]
		if !part.prompted {
			r.rowByRow(reader, b)
		}
	}
	for i := range reader.calls {
		if c := &reader.calls[i]; !b.showsFault(c.words[0].line - b.line) {
			r.call(c)
		}
	}
}

// showsFault reports whether the output shown under a prompt is an error: such a line is meant to be
// wrong.
func (b *block) showsFault(row int) bool {
	if row < 0 || row >= len(b.rows) || !strings.HasPrefix(b.rows[row], "$ ") {
		return false
	}
	for _, next := range b.rows[row+1:] {
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
func (r *pageCheck) rowByRow(reader *shellReader, b *block) {
	for i := 0; i < len(b.rows); i++ {
		first := i
		text := b.rows[i]
		for strings.HasSuffix(text, "\\") && i+1 < len(b.rows) {
			i++
			text += "\n" + b.rows[i]
		}
		if strings.HasPrefix(strings.TrimSpace(text), r.Tree.Program+" ") {
			reader.place = func(line, col int) (int, int, int) { return r.placeOf(b.line+first+line, b.dent+col) }
			found := len(reader.calls)
			_ = reader.read(text) // the block as a whole was told already
			for i := range reader.calls[found:] {
				reader.calls[found+i].piped = true // a heredoc may have been meant
			}
		}
	}
}

// part is a piece of a block that a shell reads as a whole.
type part struct {
	text     string
	row      int   // of its first line in the block
	shift    []int // what was cut off in front of each line
	prompted bool  // it stands behind a prompt
}

// partsOf is the block as a whole, or, where lines begin with a prompt, each command behind one: the
// other lines are output.
func partsOf(rows []string) []part {
	var parts []part
	more, heredoc := false, ""
	for i, row := range rows {
		shift := 0
		command, prompted := strings.CutPrefix(row, "$ ")
		switch {
		case prompted && heredoc == "":
			parts = append(parts, part{row: i, prompted: true})
			row, shift = command, 2
		case heredoc != "":
			if strings.TrimSpace(row) == heredoc {
				heredoc = ""
			}
		case more:
			if rest, ok := strings.CutPrefix(row, "> "); ok {
				row, shift = rest, 2
			}
		default:
			continue
		}
		last := &parts[len(parts)-1]
		if last.shift != nil {
			last.text += "\n"
		}
		last.text, last.shift = last.text+row, append(last.shift, shift)
		more = strings.HasSuffix(row, "\\")
		if at := strings.Index(row, "<<"); at >= 0 && heredoc == "" && !strings.HasPrefix(row[at:], "<<<") && strings.TrimSpace(row) != heredoc {
			heredoc = delimiter(row[at+2:])
		}
	}
	if parts == nil {
		parts = []part{{text: strings.Join(rows, "\n"), shift: make([]int, max(len(rows), 1))}}
	}
	return parts
}

// placeOf is a line and column in characters, with the byte offset in the file.
func (r *pageCheck) placeOf(line, col int) (int, int, int) {
	line = min(line, len(r.page.lines)-1)
	row := r.page.row(line)
	at := 0
	for n := 0; n < col && at < len(row); n++ {
		_, size := utf8.DecodeRuneInString(row[at:])
		at += size
	}
	return line, col, r.page.lines[line] + at
}

// span checks inline code: a call of the program, of a tool, or the name of one.
func (r *pageCheck) span(s span) {
	col := r.page.column(s.line, s.offset)
	first, _, more := strings.Cut(s.text, " ")
	if first == r.Tree.Program && more {
		reader := &shellReader{program: r.Tree.Program, files: r.files, place: func(_, at int) (int, int, int) { return r.placeOf(s.line, col+at) }}
		if err := reader.read(s.text); err != nil {
			r.page.find(s.line, col, BadShell, "no shell reads this: "+err.Error(), "")
		}
		for i := range reader.calls {
			r.call(&reader.calls[i])
		}
		return
	}
	r.reference(s, col)
}
