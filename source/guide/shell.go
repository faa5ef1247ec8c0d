package guide

import (
	"path"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// word is a word of a command line as a shell reads it.
type word struct {
	text string
	hole bool // a placeholder, a variable or the output of a command: some value
	line int  // from 0
	col  int  // from 0, in characters
	from int  // bytes in the file; -1: not known
	to   int
}

// call is one call of the command line in a text.
type call struct {
	words   []word // the program first
	fenced  bool
	stdin   *string // what it is given on stdin, where that is known
	piped   bool    // something is on stdin, and it is not known what
	filters []word  // jq programs that its answer goes through
	open    bool    // more operands may come: xargs
}

// shellReader finds the calls of a program in a shell text.
type shellReader struct {
	program string
	fenced  bool
	files   map[string]string                             // written by heredocs of the text, by name
	place   func(line, col int) (inFile, atCol, byte int) // of a place in the text, in characters
	rows    []string
	calls   []call
}

// read finds the calls in a text. The error is that of a text that no shell reads.
func (r *shellReader) read(text string) error {
	text = markPlaceholders(text)
	r.rows = strings.Split(text, "\n")
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	file, err := parser.Parse(strings.NewReader(text), "")
	if file != nil {
		r.stmts(file.Stmts)
	}
	return err
}

func (r *shellReader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s, nil, false)
	}
}

// feed is what a command is given on stdin.
type feed struct{ text *string }

// stmt reads a statement and everything in it. The call that it makes, if it makes one of the program
// or hands its answer on, is returned.
func (r *shellReader) stmt(s *syntax.Stmt, in *feed, piped bool) *call {
	if s == nil {
		return nil
	}
	in = r.redirected(s, in)
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.inside(cmd)
		return r.callOf(s, cmd, in)
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			return r.pipe(cmd, in)
		}
		r.stmt(cmd.X, nil, false)
		r.stmt(cmd.Y, nil, false)
	case nil:
	default:
		r.nested(cmd)
	}
	return nil
}

// pipe reads X | Y: the answer of X is what Y gets.
func (r *shellReader) pipe(cmd *syntax.BinaryCmd, in *feed) *call {
	before := len(r.calls)
	left := r.stmt(cmd.X, in, false)
	out := r.output(cmd.X)
	if left != nil && left.words == nil {
		left = nil
	}
	if out == nil {
		out = &feed{}
	}
	filter := r.filter(cmd.Y)
	if left == nil && filter == nil || left != nil && filter == nil {
		return r.stmt(cmd.Y, out, true)
	}
	if left != nil && before < len(r.calls) {
		last := &r.calls[len(r.calls)-1]
		last.filters = append(last.filters, *filter)
		return last
	}
	return r.stmt(cmd.Y, out, true)
}

// filter is the program of a statement that is a call of jq over stdin.
func (r *shellReader) filter(s *syntax.Stmt) *word {
	cmd, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(cmd.Args) < 2 || literalOf(cmd.Args[0]) != "jq" {
		return nil
	}
	for i := 1; i < len(cmd.Args); i++ {
		w := r.word(cmd.Args[i])
		switch {
		case w.hole:
			return nil
		case w.text == "-s" || w.text == "--slurp" || w.text == "-n" || w.text == "-f" || w.text == "-R" || w.text == "--raw-input" || w.text == "--from-file" || w.text == "--stream":
			return nil
		case w.text == "--arg" || w.text == "--argjson" || w.text == "--slurpfile":
			i += 2
		case strings.HasPrefix(w.text, "-") && len(w.text) > 1 && !strings.HasPrefix(w.text, "-."):
			if !strings.HasPrefix(w.text, "--") && strings.ContainsAny(w.text, "snfR") {
				return nil
			}
		default:
			return &w
		}
	}
	return nil
}

// redirected is what a statement's own redirections put on stdin. Files that it writes from a heredoc
// are kept.
func (r *shellReader) redirected(s *syntax.Stmt, in *feed) *feed {
	var body *string
	for _, redir := range s.Redirs {
		switch redir.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if redir.Hdoc != nil {
				text := r.heredoc(redir.Hdoc, redir.Op == syntax.DashHdoc)
				body = &text
				in = &feed{body}
				r.inside(redir.Hdoc)
			}
		case syntax.WordHdoc:
			if w := r.word(redir.Word); !w.hole {
				in = &feed{&w.text}
			} else {
				in = &feed{}
			}
		case syntax.RdrIn:
			in = &feed{}
			if text, ok := r.files[r.word(redir.Word).text]; ok {
				in = &feed{&text}
			}
		}
	}
	if body != nil && r.files != nil {
		for _, redir := range s.Redirs {
			if redir.Op == syntax.RdrOut || redir.Op == syntax.RdrAll {
				r.files[r.word(redir.Word).text] = *body
			}
		}
	}
	return in
}

// heredoc is the text of a heredoc. Variables in it become placeholders.
func (r *shellReader) heredoc(doc *syntax.Word, dash bool) string {
	var out strings.Builder
	for _, part := range doc.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			out.WriteString(part.Value)
		case *syntax.SglQuoted:
			out.WriteString(part.Value)
		default:
			name := "<value>"
			if (strings.Count(out.String(), `"`)-strings.Count(out.String(), `\"`))%2 == 0 {
				name = `"<value>"`
			}
			out.WriteString(name)
		}
	}
	text := unmark.Replace(out.String())
	if dash {
		rows := strings.Split(text, "\n")
		for i := range rows {
			rows[i] = strings.TrimLeft(rows[i], "\t")
		}
		text = strings.Join(rows, "\n")
	}
	return text
}

// output is what a statement writes to stdout, where it is a plain cat, echo or printf.
func (r *shellReader) output(s *syntax.Stmt) *feed {
	cmd, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(cmd.Args) == 0 {
		return nil
	}
	switch literalOf(cmd.Args[0]) {
	case "cat":
		for _, redir := range s.Redirs {
			if (redir.Op == syntax.Hdoc || redir.Op == syntax.DashHdoc) && redir.Hdoc != nil {
				text := r.heredoc(redir.Hdoc, redir.Op == syntax.DashHdoc)
				return &feed{&text}
			}
		}
		if len(cmd.Args) == 2 {
			if text, ok := r.files[r.word(cmd.Args[1]).text]; ok {
				return &feed{&text}
			}
		}
	case "echo", "printf":
		if w := r.word(cmd.Args[len(cmd.Args)-1]); len(cmd.Args) == 2 && !w.hole {
			return &feed{&w.text}
		}
	}
	return nil
}

// callOf is the call that a simple command makes of the program, through wrappers too.
func (r *shellReader) callOf(s *syntax.Stmt, cmd *syntax.CallExpr, in *feed) *call {
	at, open := r.begin(cmd.Args)
	if at < 0 {
		return nil
	}
	c := call{fenced: r.fenced, open: open}
	for _, arg := range cmd.Args[at:] {
		c.words = append(c.words, r.word(arg))
	}
	if in != nil && !open {
		c.stdin, c.piped = in.text, in.text == nil
	}
	r.calls = append(r.calls, c)
	return &r.calls[len(r.calls)-1]
}

// begin is where the program stands in a simple command: first, or after wrappers.
func (r *shellReader) begin(args []*syntax.Word) (at int, open bool) {
	for i, arg := range args {
		text := literalOf(arg)
		if path.Base(text) == r.program {
			return i, open
		}
		switch path.Base(text) {
		case "sudo", "time", "env", "nohup", "watch", "command", "exec":
			continue
		case "xargs":
			open = true
			continue
		}
		if i == 0 || !strings.HasPrefix(text, "-") && !strings.Contains(text, "=") && !isNumber0(text) {
			return -1, false
		}
	}
	return -1, false
}

func isNumber0(text string) bool { return text != "" && strings.Trim(text, "0123456789{}") == "" }

// inside reads the commands in $(…) and <(…) of a node.
func (r *shellReader) inside(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.stmts(n.Stmts)
			return false
		case *syntax.ProcSubst:
			r.stmts(n.Stmts)
			return false
		}
		return true
	})
}

// nested reads the statements of a compound command.
func (r *shellReader) nested(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			r.stmt(s, nil, false)
			return false
		}
		if w, ok := n.(*syntax.Word); ok {
			r.inside(w)
			return false
		}
		return true
	})
}

// word takes a word's quotes off. What depends on the time of running is a hole.
func (r *shellReader) word(w *syntax.Word) word {
	var text strings.Builder
	hole := false
	for _, part := range w.Parts {
		hole = r.part(&text, part, false) || hole
	}
	out := word{text: text.String()}
	out.hole = hole || isHole(out.text)
	out.text = strings.ReplaceAll(unmark.Replace(out.text), "\ue003", "|")
	out.line, out.col, out.from = r.at(w.Pos())
	_, _, out.to = r.at(w.End())
	return out
}

// at is where a position of the parser lies in the file.
func (r *shellReader) at(pos syntax.Pos) (line, col, offset int) {
	line = min(max(int(pos.Line())-1, 0), len(r.rows)-1)
	row := r.rows[line]
	return r.place(line, utf8.RuneCountInString(row[:min(max(int(pos.Col())-1, 0), len(row))]))
}

func (r *shellReader) part(text *strings.Builder, part syntax.WordPart, quoted bool) (hole bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		text.WriteString(unescape(part.Value, quoted))
	case *syntax.SglQuoted:
		text.WriteString(part.Value)
	case *syntax.DblQuoted:
		for _, inner := range part.Parts {
			hole = r.part(text, inner, true) || hole
		}
	case *syntax.ParamExp:
		text.WriteString("$" + paramName(part))
		return true
	default:
		text.WriteString("$()")
		return true
	}
	return hole
}

func paramName(p *syntax.ParamExp) string {
	if p.Param != nil {
		return p.Param.Value
	}
	return ""
}

// unescape takes off the backslashes of a word; inside of double quotes only those before " $ \ and `.
func unescape(text string, quoted bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("\"$\\`\n", text[i+1]) >= 0) {
			if i++; text[i] == '\n' {
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// literalOf is the text of a word without anything to expand, or "".
func literalOf(w *syntax.Word) string {
	text := ""
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text += part.Value
		case *syntax.SglQuoted:
			text += part.Value
		default:
			return ""
		}
	}
	return text
}
