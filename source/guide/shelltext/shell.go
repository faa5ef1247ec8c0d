package shelltext

import (
	"path"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Word is a word of a command line as a shell reads it.
type Word struct {
	Text string
	Hole bool // a placeholder, a variable or the output of a command: some value
	Line int  // from 0
	Col  int  // from 0, in characters
	From int  // bytes in the file; -1: not known
	To   int
}

// Call is one call of the command line in a text.
type Call struct {
	Words   []Word // the program first
	Fenced  bool
	Stdin   *string // what it is given on stdin, where that is known
	Piped   bool    // something is on stdin, and it is not known what
	Filters []Word  // jq programs that its answer goes through
	Open    bool    // more operands may come: xargs
}

// Reader finds the calls of a program in shell texts. The fields but Calls are set before it reads.
type Reader struct {
	Program string            // required; as it is typed
	Fenced  bool              // the text is a fenced block; told on with each call
	Files   map[string]string // written by heredocs of the texts, by name; nil: they are not kept
	// Place says where in the file a place of the text is, in characters and both from 0, and its byte
	// there; -1: not known. Required.
	Place func(line, col int) (inFile, atCol, byte int)
	Calls []Call // found so far, in the order in which a shell would come to them

	rows []string
}

// Read finds the calls in a text. The error is that of a text that no shell reads; what stands before
// the fault is found all the same.
func (r *Reader) Read(text string) error {
	text = markPlaceholders(text)
	r.rows = strings.Split(text, "\n")
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	file, err := parser.Parse(strings.NewReader(text), "")
	if file != nil {
		r.stmts(file.Stmts)
	}
	return err
}

func (r *Reader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s, nil, false)
	}
}

// feed is what a command is given on stdin.
type feed struct{ text *string }

// stmt reads a statement and everything in it. The call that it makes, if it makes one of the program
// or hands its answer on, is returned.
func (r *Reader) stmt(s *syntax.Stmt, in *feed, piped bool) *Call {
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
func (r *Reader) pipe(cmd *syntax.BinaryCmd, in *feed) *Call {
	before := len(r.Calls)
	left := r.stmt(cmd.X, in, false)
	out := r.output(cmd.X)
	if left != nil && left.Words == nil {
		left = nil
	}
	if out == nil {
		out = &feed{}
	}
	filter := r.filter(cmd.Y)
	if left == nil && filter == nil || left != nil && filter == nil {
		return r.stmt(cmd.Y, out, true)
	}
	if left != nil && before < len(r.Calls) {
		last := &r.Calls[len(r.Calls)-1]
		last.Filters = append(last.Filters, *filter)
		return last
	}
	return r.stmt(cmd.Y, out, true)
}

// filter is the program of a statement that is a call of jq over stdin.
func (r *Reader) filter(s *syntax.Stmt) *Word {
	cmd, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(cmd.Args) < 2 || literalOf(cmd.Args[0]) != "jq" {
		return nil
	}
	for i := 1; i < len(cmd.Args); i++ {
		w := r.word(cmd.Args[i])
		switch {
		case w.Hole:
			return nil
		case w.Text == "-s" || w.Text == "--slurp" || w.Text == "-n" || w.Text == "-f" || w.Text == "-R" || w.Text == "--raw-input" || w.Text == "--from-file" || w.Text == "--stream":
			return nil
		case w.Text == "--arg" || w.Text == "--argjson" || w.Text == "--slurpfile":
			i += 2
		case strings.HasPrefix(w.Text, "-") && len(w.Text) > 1 && !strings.HasPrefix(w.Text, "-."):
			if !strings.HasPrefix(w.Text, "--") && strings.ContainsAny(w.Text, "snfR") {
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
func (r *Reader) redirected(s *syntax.Stmt, in *feed) *feed {
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
			if w := r.word(redir.Word); !w.Hole {
				in = &feed{&w.Text}
			} else {
				in = &feed{}
			}
		case syntax.RdrIn:
			in = &feed{}
			if text, ok := r.Files[r.word(redir.Word).Text]; ok {
				in = &feed{&text}
			}
		}
	}
	if body != nil && r.Files != nil {
		for _, redir := range s.Redirs {
			if redir.Op == syntax.RdrOut || redir.Op == syntax.RdrAll {
				r.Files[r.word(redir.Word).Text] = *body
			}
		}
	}
	return in
}

// heredoc is the text of a heredoc. Variables in it become placeholders.
func (r *Reader) heredoc(doc *syntax.Word, dash bool) string {
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
func (r *Reader) output(s *syntax.Stmt) *feed {
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
			if text, ok := r.Files[r.word(cmd.Args[1]).Text]; ok {
				return &feed{&text}
			}
		}
	case "echo", "printf":
		if w := r.word(cmd.Args[len(cmd.Args)-1]); len(cmd.Args) == 2 && !w.Hole {
			return &feed{&w.Text}
		}
	}
	return nil
}

// callOf is the call that a simple command makes of the program, through wrappers too.
func (r *Reader) callOf(s *syntax.Stmt, cmd *syntax.CallExpr, in *feed) *Call {
	at, open := r.begin(cmd.Args)
	if at < 0 {
		return nil
	}
	c := Call{Fenced: r.Fenced, Open: open}
	for _, arg := range cmd.Args[at:] {
		c.Words = append(c.Words, r.word(arg))
	}
	if in != nil && !open {
		c.Stdin, c.Piped = in.text, in.text == nil
	}
	r.Calls = append(r.Calls, c)
	return &r.Calls[len(r.Calls)-1]
}

// begin is where the program stands in a simple command: first, or after wrappers.
func (r *Reader) begin(args []*syntax.Word) (at int, open bool) {
	for i, arg := range args {
		text := literalOf(arg)
		if path.Base(text) == r.Program {
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
func (r *Reader) inside(node syntax.Node) {
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
func (r *Reader) nested(node syntax.Node) {
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
func (r *Reader) word(w *syntax.Word) Word {
	var text strings.Builder
	hole := false
	for _, part := range w.Parts {
		hole = r.part(&text, part, false) || hole
	}
	out := Word{Text: text.String()}
	out.Hole = hole || IsHole(out.Text)
	out.Text = strings.ReplaceAll(unmark.Replace(out.Text), "\ue003", "|")
	out.Line, out.Col, out.From = r.at(w.Pos())
	_, _, out.To = r.at(w.End())
	return out
}

// at is where a position of the parser lies in the file.
func (r *Reader) at(pos syntax.Pos) (line, col, offset int) {
	line = min(max(int(pos.Line())-1, 0), len(r.rows)-1)
	row := r.rows[line]
	return r.Place(line, utf8.RuneCountInString(row[:min(max(int(pos.Col())-1, 0), len(row))]))
}

func (r *Reader) part(text *strings.Builder, part syntax.WordPart, quoted bool) (hole bool) {
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
