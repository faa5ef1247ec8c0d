package twodoor

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// NoContent is told in place of a value where there is none: models take silence for a failure.
const NoContent = "It worked; there is no content."

// Aside is what an agent must know beside the value: notes, what was cut, what may come next. Tool
// spells an operation's id as the door does. Empty: there is nothing to say.
func (r *Result) Aside(tool func(id string) string) string {
	if len(r.Notes) == 0 && r.Cut == nil && len(r.Next) == 0 {
		return ""
	}
	var lines []string
	for _, note := range r.Notes {
		lines = append(lines, "note: "+note)
	}
	if r.Cut != nil {
		lines = append(lines, r.Cut.line())
	}
	for _, next := range r.Next {
		lines = append(lines, next.line(tool))
	}
	return strings.Join(lines, "\n")
}

func (s Suggestion) line(tool func(id string) string) string {
	return strings.TrimSuffix(fmt.Sprintf("next: %s %s: %s", tool(s.Call), rawjson.Compact(nil, s.Arguments), s.Why), ": ")
}

func (c *Cut) line() string {
	line := fmt.Sprintf("cut: %d shown", c.Shown)
	if c.Total > 0 {
		line = fmt.Sprintf("cut: %d of %d shown", c.Shown, c.Total)
	}
	if c.Handle != "" {
		line += ", the rest under " + c.Handle
	}
	return line + "; " + c.How
}

// maxUpstream bounds what is told of the far side's own words, in bytes.
const maxUpstream = 1000

// Prose tells an error so that one retry is enough. Tool spells an operation's id as the door does.
func (e *Error) Prose(tool func(id string) string) string {
	var b strings.Builder
	b.WriteString(e.Error())
	for _, p := range e.Fields {
		path := p.Path
		if path == "" {
			path = "arguments"
		}
		fmt.Fprintf(&b, "\n- %s: %s", path, p.Problem)
		if len(p.Schema) > 0 {
			fmt.Fprintf(&b, " (schema: %s)", rawjson.Compact(nil, p.Schema))
		}
	}
	if e.Upstream != nil && !e.Upstream.Told {
		fmt.Fprintf(&b, "\nupstream: %d %s", e.Upstream.Status, shorten(string(e.Upstream.Body), maxUpstream))
	}
	if e.Hint != "" {
		b.WriteString("\nhint: " + e.Hint)
	}
	for i, id := range e.Try {
		b.WriteString([]string{"\ntry: ", ", "}[min(i, 1)] + tool(id))
	}
	for _, next := range e.Next {
		b.WriteString("\n" + next.line(tool))
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, "\nretry after: %s", e.RetryAfter)
	}
	if e.Token != "" {
		b.WriteString("\nconfirm: " + e.Token)
	}
	return b.String()
}

// IsText reports whether the data is text that can be shown as such.
func (b *Blob) IsText() bool {
	kind, _, _ := strings.Cut(b.MediaType, ";")
	text := strings.HasPrefix(kind, "text/") || kind == "application/json" || kind == "application/xml" ||
		strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml")
	return text && utf8.Valid(b.Data)
}
