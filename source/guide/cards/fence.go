package cards

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/source/guide"
)

// File is one file of a folder of cards. Its path has slashes and is relative to that folder.
type File struct {
	Path string
	Text []byte
}

// fence is a piece of generated text between two marks.
type fence struct {
	file    string
	id      fenceID
	line    int // of the opening mark, from 0
	from    int // bytes of the content in the file
	to      int
	newline string
}

// fenceID says what is generated: "harbor.incident", "harbor.incident@zh", and with the verbs that a
// part of a group begins with, "harbor.incident[change,escalation]".
type fenceID struct {
	group    string
	language string // empty: the main one
	prefixes string // joined by commas; empty: all that no other fence of the group takes
}

const (
	startMark = "<!-- GENERATED:"
	startNote = " START (text between these marks is written by the program, all other text is yours) -->"
)

func (id fenceID) String() string {
	text := id.group
	if id.language != "" {
		text += "@" + id.language
	}
	if id.prefixes != "" {
		text += "[" + id.prefixes + "]"
	}
	return text
}

func parseFenceID(text string) fenceID {
	var id fenceID
	if at := strings.IndexByte(text, '['); at >= 0 {
		id.prefixes, text = strings.TrimSuffix(text[at+1:], "]"), text[:at]
	}
	id.group, id.language, _ = strings.Cut(text, "@")
	return id
}

// wrap puts content between the marks of a fence.
func (id fenceID) wrap(content string) string {
	return startMark + id.String() + startNote + "\n" + content + startMark + id.String() + " END -->\n"
}

// fencesOf finds the fences in a file. Marks without a partner are findings.
func fencesOf(file File) (list []fence, findings []guide.Finding) {
	text := string(file.Text)
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	find := func(line int, message, fix string) {
		findings = append(findings, guide.Finding{File: file.Path, Line: line + 1, Column: 1, Kind: guide.FenceTopology, Message: message, Fix: fix})
	}
	var open *fence
	at := 0
	for n, row := range strings.SplitAfter(text, "\n") {
		begin := at
		at += len(row)
		rest, ok := strings.CutPrefix(strings.TrimSpace(row), startMark)
		if !ok {
			continue
		}
		name, rest, _ := strings.Cut(rest, " ")
		id := parseFenceID(name)
		switch {
		case strings.HasPrefix(rest, "START") && open == nil:
			open = &fence{file: file.Path, id: id, line: n, from: at, newline: newline}
		case strings.HasPrefix(rest, "END") && open != nil && open.id == id:
			open.to = begin
			list, open = append(list, *open), nil
		case strings.HasPrefix(rest, "START"):
			find(n, fmt.Sprintf("the fence %s begins inside of %s", id, open.id), "an END mark before it")
		default:
			find(n, fmt.Sprintf("the fence %s ends and was not begun", id), "its START mark")
		}
	}
	if open != nil {
		find(open.line, fmt.Sprintf("the fence %s is never closed", open.id), startMark+open.id.String()+" END -->")
	}
	return list, findings
}

// claims tells which commands of a group each of its fences takes: those whose verb begins with one
// of its prefixes, the longest prefix of all fences first; what nobody takes goes to the fence
// without prefixes. left are commands that no fence takes.
func claims(g *group, fences []fence) (taken map[fenceID][]*guide.Command, left []*guide.Command) {
	taken = map[fenceID][]*guide.Command{}
	for _, c := range g.commands {
		best, owner := -1, -1
		for i, f := range fences {
			if f.id.prefixes == "" && best < 0 {
				best, owner = 0, i
			}
			for prefix := range strings.SplitSeq(f.id.prefixes, ",") {
				verb := g.verb(c)
				if prefix != "" && (verb == prefix || strings.HasPrefix(verb, prefix+"-")) && len(prefix) > best {
					best, owner = len(prefix), i
				}
			}
		}
		if owner < 0 {
			left = append(left, c)
			continue
		}
		taken[fences[owner].id] = append(taken[fences[owner].id], c)
	}
	return taken, left
}

// topology checks that the fences of a group partition its commands.
func topology(g *group, fences []fence) (findings []guide.Finding) {
	taken, left := claims(g, fences)
	find := func(f fence, format string, args ...any) {
		findings = append(findings, guide.Finding{File: f.file, Line: f.line + 1, Column: 1, Kind: guide.FenceTopology, Message: fmt.Sprintf(format, args...)})
	}
	seen := map[string]bool{}
	for _, f := range fences {
		for prefix := range strings.SplitSeq(f.id.prefixes, ",") {
			if seen[prefix] {
				find(f, "%s is claimed by two fences", describePrefix(g, prefix))
			}
			seen[prefix] = true
			if prefix != "" && !slices.ContainsFunc(g.commands, func(c *guide.Command) bool {
				return g.verb(c) == prefix || strings.HasPrefix(g.verb(c), prefix+"-")
			}) {
				find(f, "no command of %s begins with %s", g.id, prefix)
			}
		}
		if len(taken[f.id]) == 0 && f.id.prefixes == "" && len(fences) > 1 {
			find(f, "nothing of %s is left for this fence", g.id)
		}
	}
	if len(left) > 0 {
		var verbs []string
		for _, c := range left {
			verbs = append(verbs, g.verb(c))
		}
		find(fences[0], "no fence takes %s of %s", strings.Join(verbs, ", "), g.id)
	}
	return findings
}

func describePrefix(g *group, prefix string) string {
	if prefix == "" {
		return "the rest of " + g.id
	}
	return prefix + " of " + g.id
}
