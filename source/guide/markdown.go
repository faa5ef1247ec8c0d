package guide

import (
	"strings"
	"unicode/utf8"
)

// page is a Markdown text taken apart as far as examples need it: fenced blocks and inline spans,
// with their places. Everything else is prose.
type page struct {
	file     string
	text     string
	lines    []int // byte offset of each line
	head     string
	body     int // line at which the text after the front matter begins, from 0
	blocks   []block
	spans    []span
	findings []Finding
}

// block is a fenced code block.
type block struct {
	lang string // first word of the info string, lower-case
	line int    // of its first line of content, from 0
	rows []string
	dent int // columns taken off each row
}

// span is inline code.
type span struct {
	text   string
	line   int // from 0
	offset int // in bytes, in the line
}

// maxLine bounds the line in which spans are looked for: a longer one is no prose.
const maxLine = 64 << 10

// readPage takes a text apart. Line ends of any kind are taken; what is broken becomes a finding.
func readPage(file, text string) *page {
	p := &page{file: file, text: text, lines: []int{0}}
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
func (p *page) row(i int) string {
	end := len(p.text)
	if i+1 < len(p.lines) {
		end = p.lines[i+1]
	}
	return strings.TrimRight(p.text[p.lines[i]:end], "\r\n")
}

// front takes off the front matter: what stands between two lines of three dashes at the top.
func (p *page) front() {
	if strings.TrimPrefix(p.row(0), "\ufeff") != "---" {
		return
	}
	for i := 1; i < len(p.lines); i++ {
		if strings.TrimRight(p.row(i), " \t") == "---" {
			p.head, p.body = p.text[p.lines[1]:p.lines[i]], i+1
			return
		}
	}
	p.find(0, 0, FrontMatter, "the front matter is opened with --- and never closed", "a line of --- after it")
}

// find adds a finding at a line and column, both from 0.
func (p *page) find(line, column int, kind Mistake, message, fix string) {
	p.findings = append(p.findings, Finding{File: p.file, Line: line + 1, Column: column + 1, Kind: kind, Message: message, Fix: fix})
}

// scan collects blocks and spans. A span may run over the lines of a paragraph.
func (p *page) scan() {
	var open string // the span's run of backticks, while a paragraph goes on
	var from span
	for i := p.body; i < len(p.lines); i++ {
		row := p.row(i)
		if mark, dent, info := fenceOf(row); mark != "" {
			open = ""
			i = p.block(i, mark, dent, info)
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

// block reads a fenced block to its end, and returns the line of that end.
func (p *page) block(at int, mark string, dent int, info string) int {
	lang, _, _ := strings.Cut(info, " ")
	b := block{lang: strings.ToLower(strings.Trim(lang, "{}.")), line: at + 1, dent: dent}
	for i := at + 1; i < len(p.lines); i++ {
		row := p.row(i)
		body := strings.TrimRight(strings.TrimLeft(row, " \t"), " \t")
		if len(body) >= len(mark) && strings.Trim(body, mark[:1]) == "" {
			p.blocks = append(p.blocks, b)
			return i
		}
		b.rows = append(b.rows, undent(row, dent))
	}
	p.find(at, dent, UnclosedFence, "the block is opened with "+mark+" and never closed", "a line of "+mark)
	p.blocks = append(p.blocks, b)
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
func (p *page) inline(line int, row, open string, from span) (string, span) {
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
			open, from = run, span{line: line, offset: end}
			at = end
			continue
		case run == open:
			p.spans = append(p.spans, p.closed(from, line, start))
			open = ""
		}
		at = end
	}
	return open, from
}

// closed is the span from where it was opened to a place in a line.
func (p *page) closed(from span, line, end int) span {
	text := p.text[p.lines[from.line]+from.offset : p.lines[line]+end]
	from.text = strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", " ")
	if len(from.text) > 2 && from.text[0] == ' ' && from.text[len(from.text)-1] == ' ' {
		from.text, from.offset = from.text[1:len(from.text)-1], from.offset+1
	}
	return from
}

// column is the column, from 0 and in characters, of a byte offset in a line.
func (p *page) column(line, offset int) int {
	row := p.row(line)
	return utf8.RuneCountInString(row[:min(max(offset, 0), len(row))])
}
