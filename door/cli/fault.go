package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
	"github.com/twodoor/twodoor/door/cli/internal/typed"
)

// spell tells a fault of the engine in the words of the command line: flags for properties, commands
// for ids.
func (r *run) spell(op *twodoor.Operation, err error) error {
	fault, ok := errors.AsType[*twodoor.Error](err)
	if !ok {
		return err
	}
	told := *fault
	if told.Code == twodoor.CodeInvalid && len(told.Fields) > 0 {
		in := args.Of(op)
		told.Fields = make([]twodoor.Problem, len(fault.Fields))
		for i, p := range fault.Fields {
			told.Fields[i] = spellProblem(in, p)
		}
		fits := fault.Mended
		if len(fits) == 0 {
			fits = exampleArguments(op)
		}
		told.Hint = "this fits: " + r.door.shown(in, fits)
	}
	if told.Code == twodoor.CodeUpstreamAuth && told.Hint == "" {
		told.Hint = fmt.Sprintf("log in with: %s login %s", r.door.name(), op.Source())
	}
	told.Try, told.Next = nil, nil
	for _, next := range fault.Next {
		told.Try = append(told.Try, r.door.nextLine(next)+because(next.Why))
	}
	for _, name := range fault.Try {
		told.Try = append(told.Try, r.door.tryLine(name))
	}
	return &told
}

// tryLine is an operation to try as one types it; what is no operation stays.
func (d *Door) tryLine(name string) string {
	if op, _, err := d.Engine.Catalog().Find(name); err == nil && op != nil {
		return d.command(op.ID)
	}
	return name
}

// spellProblem names the flag of the property that does not fit.
func spellProblem(in *args.Inputs, p twodoor.Problem) twodoor.Problem {
	for _, f := range in.Fields {
		path := strings.Join(f.Path, ".")
		rest, below := strings.CutPrefix(p.Path, path)
		switch {
		case !below:
		case rest == "" && f.Type().Flat():
			p.Problem = "--" + f.Flag + " " + p.Problem
			return p
		case rest == "" || rest[0] == '.' || rest[0] == '[':
			p.Problem = p.Path + " " + p.Problem
			return p
		}
	}
	if p.Path != "" {
		p.Problem = p.Path + " " + p.Problem
	}
	return p
}

// tellFault writes a fault to stderr: one JSON object where the output is JSON, else prose.
func (r *run) tellFault(fault *twodoor.Error) {
	if r.isJSON() {
		raw, err := json.Marshal(map[string]*twodoor.Error{"error": fault})
		if err == nil {
			text := string(bare(raw))
			if r.door.StderrTTY {
				text = Printable(text)
			}
			fmt.Fprintln(r.door.Stderr, text)
			return
		}
	}
	fmt.Fprint(r.door.Stderr, r.prose(fault))
}

func (r *run) prose(fault *twodoor.Error) string {
	var out strings.Builder
	fmt.Fprintf(&out, "error: %s\n", fault.Error())
	for _, p := range fault.Fields {
		if p.Problem != fault.Message {
			fmt.Fprintf(&out, "  %s\n", p.Problem)
		}
	}
	if up := fault.Upstream; up != nil {
		fmt.Fprintf(&out, "upstream: %d %s\n", up.Status, oneLine(typed.Plain(up.Body), 500))
	}
	if fault.RetryAfter > 0 {
		fmt.Fprintf(&out, "retry: after %s\n", fault.RetryAfter)
	}
	if fault.Hint != "" {
		fmt.Fprintf(&out, "hint: %s\n", fault.Hint)
	}
	for _, try := range fault.Try {
		fmt.Fprintf(&out, "try: %s\n", try)
	}
	if fault.Code == twodoor.CodeInternal && fault.CallID != "" {
		fmt.Fprintf(&out, "call: %s\n", fault.CallID)
	}
	return Printable(out.String())
}

// Printable keeps what came from the far side, or from a description, from steering a terminal: of
// the characters that are not seen, only line breaks and tabs are left.
func Printable(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 {
			return -1
		}
		return c
	}, text)
}

// oneLine is a text without line breaks, cut at a length in characters.
func oneLine(text string, most int) string {
	if most <= 0 {
		return ""
	}
	text = strings.Join(strings.Fields(text), " ")
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	cut := strings.TrimRight(string(runes[:most-1]), " ")
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)*2/3 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,.;:") + "…"
}

// tags are those of HTML that descriptions are dressed with. Other words in angle brackets are left:
// they may stand for a value.
var tags = regexp.MustCompile(`(?i)</?(?:a|b|blockquote|br|code|dd|div|dl|dt|em|h[1-6]|hr|i|li|ol|p|pre|span|strong|table|tbody|td|th|thead|tr|u|ul)(?:\s[^<>]*)?/?>`)

// unlinked is a description without what is for a browser: tags, and the addresses of links, where
// [text](address) is text.
func unlinked(text string) string {
	var out strings.Builder
	if strings.Contains(text, "<") {
		text = tags.ReplaceAllString(text, " ")
	}
	for {
		at := strings.Index(text, "](")
		end := -1
		if at >= 0 {
			end = strings.IndexByte(text[at:], ')')
		}
		open := strings.LastIndexByte(text[:max(at, 0)], '[')
		if end < 0 || open < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:open] + text[open+1:at])
		text = text[at+end+1:]
	}
}
