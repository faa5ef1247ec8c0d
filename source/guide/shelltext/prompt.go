package shelltext

import "strings"

// Part is a piece of a block that a shell reads as a whole.
type Part struct {
	Text     string
	Row      int   // of its first line in the block
	Shift    []int // what was cut off in front of each line
	Prompted bool  // it stands behind a prompt
}

// Parts are the block as a whole, or, where lines begin with a prompt, each command behind one: the
// other lines are output.
func Parts(rows []string) []Part {
	var parts []Part
	more, heredoc := false, ""
	for i, row := range rows {
		shift := 0
		command, prompted := strings.CutPrefix(row, "$ ")
		switch {
		case prompted && heredoc == "":
			parts = append(parts, Part{Row: i, Prompted: true})
			row, shift = command, 2
		case heredoc != "":
			if strings.TrimSpace(row) == heredoc {
				heredoc = ""
			}
		case more:
			if rest, ok := strings.CutPrefix(row, "> "); ok {
				row, shift = rest, 2
			}
		default:
			continue
		}
		last := &parts[len(parts)-1]
		if last.Shift != nil {
			last.Text += "\n"
		}
		last.Text, last.Shift = last.Text+row, append(last.Shift, shift)
		more = strings.HasSuffix(row, "\\")
		if at := strings.Index(row, "<<"); at >= 0 && heredoc == "" && !strings.HasPrefix(row[at:], "<<<") && strings.TrimSpace(row) != heredoc {
			heredoc = delimiter(row[at+2:])
		}
	}
	if parts == nil {
		parts = []Part{{Text: strings.Join(rows, "\n"), Shift: make([]int, max(len(rows), 1))}}
	}
	return parts
}
