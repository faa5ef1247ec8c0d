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
	rows, shift := commandsOf(b.rows)
	reader := &shellReader{program: r.Tree.Program, files: r.files, fenced: true, place: func(line, col int) (int, int, int) {
		return r.placeOf(b.line+line, b.dent+shift[min(line, len(shift)-1)]+col)
	}}
	if err := reader.read(strings.Join(rows, "\n")); err != nil {
		reader.calls = nil
		r.page.find(b.line, b.dent, BadShell, "no shell reads this block: "+err.Error(), "")
		r.rowByRow(reader, rows)
	}
	for i := range reader.calls {
		r.call(&reader.calls[i])
	}
}

// rowByRow reads what can be read of a block that is no shell text as a whole.
func (r *pageCheck) rowByRow(reader *shellReader, rows []string) {
	place := reader.place
	for i := 0; i < len(rows); i++ {
		first := i
		row := rows[i]
		for strings.HasSuffix(row, "\\") && i+1 < len(rows) {
			i++
			row += "\n" + rows[i]
		}
		if strings.HasPrefix(strings.TrimSpace(row), r.Tree.Program+" ") {
			reader.place = func(line, col int) (int, int, int) { return place(first+line, col) }
			_ = reader.read(row) // the block as a whole was told already
		}
	}
}

// commandsOf are the rows that are commands, the others emptied, and what was cut off in front of each.
func commandsOf(rows []string) (commands []string, shift []int) {
	shift = make([]int, max(len(rows), 1))
	prompt := false
	for _, row := range rows {
		prompt = prompt || strings.HasPrefix(row, "$ ")
	}
	if !prompt {
		return rows, shift
	}
	more, heredoc := false, ""
	for i, row := range rows {
		switch {
		case heredoc != "":
			commands = append(commands, row)
			if strings.TrimSpace(row) == heredoc {
				heredoc = ""
			}
			continue
		case strings.HasPrefix(row, "$ "):
			row, shift[i] = row[2:], 2
		case more:
			if rest, ok := strings.CutPrefix(row, "> "); ok {
				row, shift[i] = rest, 2
			}
		default:
			row = ""
		}
		commands = append(commands, row)
		more = strings.HasSuffix(row, "\\")
		if at := strings.Index(row, "<<"); at >= 0 && !strings.HasPrefix(row[at:], "<<<") {
			heredoc = delimiter(row[at+2:])
		}
	}
	return commands, shift
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
