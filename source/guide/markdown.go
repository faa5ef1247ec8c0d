package guide

import (
	"strings"
	"unicode/utf8"
)

// Page is a Markdown text taken apart as far as examples need it: fenced blocks and inline spans,
// with their places. Everything else is prose.
type Page struct {
	file     string
	text     string
	lines    []int  // byte offset of each line
	head     string // the front matter
	body     int    // line at which the text after the front matter begins, from 0
	Blocks   []Block
	Spans    []Span
	Findings []Finding // what is broken in it, and what [Page.Find] adds
}

// Block is a fenced code block.
type Block struct {
	Lang string // first word of the info string, lower-case
	Line int    // of its first line of content, from 0
	Rows []string
	Dent int // columns taken off each row
}

// Span is inline code.
type Span struct {
	Text   string
	Line   int // from 0
	Offset int // in bytes, in the line
}

// maxLine bounds the line in which spans are looked for: a longer one is no prose.
const maxLine = 64 << 10

// ReadPage takes a text apart. Line ends of any kind are taken; what is broken becomes a finding.
func ReadPage(file, text string) *Page {
	p := &Page{file: file, text: text, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	p.front()
	p.scan()
	return p
}

// row is a line without its end.
func (p *Page) row(i int) string {
	end := len(p.text)
	if i+1 < len(p.lines) {
		end = p.lines[i+1]
	}
	return strings.TrimRight(p.text[p.lines[i]:end], "\r\n")
}

// front takes off the front matter: what stands between two lines of three dashes at the top.
func (p *Page) front() {
	if strings.TrimPrefix(p.row(0), "\ufeff") != "---" {
		return
	}
	for i := 1; i < len(p.lines); i++ {
		if strings.TrimRight(p.row(i), " \t") == "---" {
			p.head, p.body = p.text[p.lines[1]:p.lines[i]], i+1
			return
		}
	}
	p.Find(0, 0, FrontMatter, "the front matter is opened with --- and never closed", "a line of --- after it")
}

// Find adds a finding at a line and column, both from 0.
func (p *Page) Find(line, column int, kind Mistake, message, fix string) {
	p.Findings = append(p.Findings, Finding{File: p.file, Line: line + 1, Column: column + 1, Kind: kind, Message: message, Fix: fix})
}

// scan collects blocks and spans. A span may run over the lines of a paragraph.
func (p *Page) scan() {
	var open string // the span's run of backticks, while a paragraph goes on
	var from Span
	for i := p.body; i < len(p.lines); i++ {
		row := p.row(i)
		if mark, dent, info := fenceOf(row); mark != "" {
			open = ""
			i = p.readBlock(i, mark, dent, info)
			continue
		}
		switch {
		case strings.TrimSpace(row) == "":
			open = ""
		case len(row) <= maxLine:
			open, from = p.inline(i, row, open, from)
		}
	}
}

// fenceOf reads the opening of a fenced block: its run of marks, its indent and its info string.
func fenceOf(row string) (mark string, dent int, info string) {
	body := strings.TrimLeft(row, " \t")
	dent = len(row) - len(body)
	if strings.HasPrefix(body, "> ") {
		return "", 0, ""
	}
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(body, c)
		if n := len(body) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, "`")) {
			return body[:n], dent, strings.TrimSpace(rest)
		}
	}
	return "", 0, ""
}

// readBlock reads a fenced block to its end, and returns the line of that end.
func (p *Page) readBlock(at int, mark string, dent int, info string) int {
	lang, _, _ := strings.Cut(info, " ")
	b := Block{Lang: strings.ToLower(strings.Trim(lang, "{}.")), Line: at + 1, Dent: dent}
	for i := at + 1; i < len(p.lines); i++ {
		row := p.row(i)
		body := strings.TrimRight(strings.TrimLeft(row, " \t"), " \t")
		if len(body) >= len(mark) && strings.Trim(body, mark[:1]) == "" {
			p.Blocks = append(p.Blocks, b)
			return i
		}
		b.Rows = append(b.Rows, undent(row, dent))
	}
	p.Find(at, dent, UnclosedFence, "the block is opened with "+mark+" and never closed", "a line of "+mark)
	p.Blocks = append(p.Blocks, b)
	return len(p.lines)
}

func undent(row string, dent int) string {
	n := 0
	for n < dent && n < len(row) && (row[n] == ' ' || row[n] == '\t') {
		n++
	}
	return row[n:]
}

// inline collects the code spans of a line. It returns the run that is still open at its end.
func (p *Page) inline(line int, row, open string, from Span) (string, Span) {
	for at := 0; at < len(row); {
		tick := strings.IndexByte(row[at:], '`')
		if tick < 0 {
			break
		}
		start := at + tick
		end := start
		for end < len(row) && row[end] == '`' {
			end++
		}
		run := row[start:end]
		switch {
		case open == "":
			open, from = run, Span{Line: line, Offset: end}
			at = end
			continue
		case run == open:
			p.Spans = append(p.Spans, p.closed(from, line, start))
			open = ""
		}
		at = end
	}
	return open, from
}

// closed is the span from where it was opened to a place in a line.
func (p *Page) closed(from Span, line, end int) Span {
	text := p.text[p.lines[from.Line]+from.Offset : p.lines[line]+end]
	from.Text = strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", " ")
	if len(from.Text) > 2 && from.Text[0] == ' ' && from.Text[len(from.Text)-1] == ' ' {
		from.Text, from.Offset = from.Text[1:len(from.Text)-1], from.Offset+1
	}
	return from
}

// Column is the column, from 0 and in characters, of a byte offset in a line.
func (p *Page) Column(line, offset int) int {
	row := p.row(line)
	return utf8.RuneCountInString(row[:min(max(offset, 0), len(row))])
}

// Place is a line and column in characters, both from 0 and the line within the text, with the byte
// offset in the file.
func (p *Page) Place(line, col int) (inFile, atCol, offset int) {
	line = min(line, len(p.lines)-1)
	row := p.row(line)
	at := 0
	for n := 0; n < col && at < len(row); n++ {
		_, size := utf8.DecodeRuneInString(row[at:])
		at += size
	}
	return line, col, p.lines[line] + at
}
