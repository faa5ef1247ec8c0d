package schemas

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Comment is what stands before a descriptor in its file, else behind it, as paragraphs of text.
func Comment(d protoreflect.Descriptor) string {
	file := d.ParentFile()
	if file == nil {
		return ""
	}
	location := file.SourceLocations().ByDescriptor(d)
	if text := clean(location.LeadingComments); text != "" {
		return text
	}
	return clean(location.TrailingComments)
}

// clean joins the lines of each paragraph. Lines that are indented or begin a list stay lines. What
// stands between (-- and --) is meant for the file's own maintainers.
func clean(comment string) string {
	for {
		before, rest, found := strings.Cut(comment, "(--")
		_, after, closed := strings.Cut(rest, "--)")
		if !found || !closed {
			break
		}
		comment = before + after
	}
	var b strings.Builder
	blank := true
	for line := range strings.Lines(comment) {
		line = strings.TrimRight(strings.TrimPrefix(line, " "), " \t\r\n")
		text := strings.TrimLeft(line, " \t*")
		switch {
		case text == "" || strings.Trim(text, "-=/") == "":
			if !blank {
				b.WriteByte('\n')
			}
			blank = true
			continue
		case b.Len() == 0:
		case blank, line[0] == ' ', line[0] == '\t', strings.HasPrefix(line, "* "), strings.HasPrefix(line, "- "):
			b.WriteByte('\n')
		default:
			b.WriteByte(' ')
		}
		b.WriteString(strings.TrimSpace(line))
		blank = false
	}
	return strings.TrimSpace(b.String())
}
