package shelltext

import (
	"strings"
	"unicode/utf8"
)

// Marks that stand for < > and blanks of a placeholder while a shell reads the text: characters of
// the private use area, which are nothing but letters of a word to it.
const (
	markOpen  = '\ue000'
	markClose = '\ue001'
	markBlank = '\ue002'
)

var unmark = strings.NewReplacer(string(markOpen), "<", string(markClose), ">", string(markBlank), " ")

// markPlaceholders makes words of placeholders like <incident-id>, which a shell would take for
// redirections. Quotes and heredocs stay as they are.
func markPlaceholders(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	var out strings.Builder
	var quote byte
	var heredocs []string
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case quote == 0 && c == '\\' && i+1 < len(text):
			out.WriteString(text[i : i+2])
			i += 2
			continue
		case quote != 0:
			if c == '\\' && quote == '"' && i+1 < len(text) {
				out.WriteString(text[i : i+2])
				i += 2
				continue
			}
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '#' && (i == 0 || strings.IndexByte(" \t\n;", text[i-1]) >= 0):
			end := lineEnd(text, i)
			out.WriteString(text[i:end])
			i = end
			continue
		case c == '<' && strings.HasPrefix(text[i:], "<<") && !strings.HasPrefix(text[i:], "<<<"):
			heredocs = append(heredocs, delimiter(text[i+2:]))
			out.WriteString("<<")
			i += 2
			continue
		case c == '\n' && len(heredocs) > 0:
			end := heredocsEnd(text, i+1, heredocs)
			out.WriteString(text[i:end])
			i, heredocs = end, nil
			continue
		case c == '<':
			if n := placeholder(text[i:]); n > 0 {
				writeMarked(&out, text[i:i+n])
				i += n
				continue
			}
		}
		out.WriteByte(c)
		i++
	}
	return out.String()
}

// placeholder is the length of the placeholder at the front of a text: <words>, on one line; 0: it
// is none.
func placeholder(text string) int {
	const most = 60
	for i := 1; i < len(text) && i < most; {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '>' && i > 1:
			return i + n
		case r == '\n' || r == '<' || r == '>' || r == '$' || r == '=' || r == '(' || r == '&' || r == ';' || r == '\'' || r == '"':
			return 0
		case i == 1 && (r == ' ' || r == '/' || r == '.' || r == '-' || r == '@'):
			return 0
		}
		i += n
	}
	return 0
}

func writeMarked(out *strings.Builder, text string) {
	for _, r := range text {
		switch r {
		case '<':
			r = markOpen
		case '>':
			r = markClose
		case ' ':
			r = markBlank
		case '|':
			r = '\ue003'
		}
		out.WriteRune(r)
	}
}

// delimiter reads the word that ends a heredoc.
func delimiter(text string) string {
	text = strings.TrimLeft(strings.TrimPrefix(text, "-"), " \t")
	end := strings.IndexAny(text, " \t\n;|&)>")
	if end < 0 {
		end = len(text)
	}
	return strings.Trim(text[:end], `'"\`)
}

// heredocsEnd is where the bodies of heredocs end that begin at a line.
func heredocsEnd(text string, at int, delimiters []string) int {
	for _, word := range delimiters {
		for at < len(text) {
			end := lineEnd(text, at)
			line := strings.TrimSpace(text[at:end])
			at = min(end+1, len(text))
			if line == word {
				break
			}
		}
	}
	if at > 0 && at <= len(text) && text[at-1] == '\n' {
		return at - 1
	}
	return at
}

func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// IsHole reports whether a text stands for something else: <x>, an elision, or a marked placeholder
// anywhere in it.
func IsHole(text string) bool {
	if strings.ContainsRune(text, markOpen) || IsElision(text) {
		return true
	}
	at := strings.IndexByte(text, '<')
	return at >= 0 && placeholder(text[at:]) > 0 && !strings.ContainsAny(text[:at], "{[( ")
}

// IsElision reports whether a word says that more may stand here.
func IsElision(text string) bool {
	switch strings.Trim(text, "[]") {
	case "...", "…", "flags", "options", "FLAGS…", "FLAGS...":
		return text != "flags" && text != "options"
	}
	return false
}
