package guide

import (
	"cmp"
	"fmt"
	"slices"
)

// Mistake is what sort of mistake a finding is.
type Mistake string

// The mistakes that are found.
const (
	UnknownCommand   Mistake = "unknown-command"
	UnknownFlag      Mistake = "unknown-flag"
	UnknownOperation Mistake = "unknown-operation"
	UnknownTool      Mistake = "unknown-tool"
	UnknownGuide     Mistake = "unknown-guide"
	UnknownField     Mistake = "unknown-field"    // a field that the input or the answer does not have
	OldName          Mistake = "old-name"         // an alias: it works, and is told
	BadValue         Mistake = "bad-value"        // of a flag or an operand
	BadEnum          Mistake = "bad-enum"         // none of the values that there are
	BadBody          Mistake = "bad-body"         // a body or tool arguments against the schema
	BadJQ            Mistake = "bad-jq"           // a jq program that does not compile, or a path that leads nowhere
	MissingRequired  Mistake = "missing-required" // an input without which the call is refused
	ExtraOperand     Mistake = "extra-operand"    // more operands than the command takes
	InlineJSON       Mistake = "inline-json"      // JSON on a command line, which shells corrupt
	Placeholder      Mistake = "placeholder"      // a placeholder where the grammar takes none
	BadShell         Mistake = "bad-shell"        // a block that no shell can read
	UnclosedFence    Mistake = "unclosed-fence"
	StaleFence       Mistake = "stale-fence"    // generated text that is not what would be generated now
	FenceTopology    Mistake = "fence-topology" // the fences of a group do not partition its commands
	FrontMatter      Mistake = "front-matter"
	SameName         Mistake = "same-name"      // two guides of one name
	OverBudget       Mistake = "over-budget"    // a text too large for one read
	StaleSnapshot    Mistake = "stale-snapshot" // what agents are shown is not what was kept of it
	StaleLock        Mistake = "stale-lock"     // names that the lock does not keep yet, or keeps for nobody
	UntoldChange     Mistake = "untold-change"  // a visible change that no pending note tells of
	NotServed        Mistake = "not-served"     // a part of a description that becomes no operation
)

// Finding is one thing that is wrong in a file.
type Finding struct {
	File    string  `json:"file"`
	Line    int     `json:"line"`   // from 1
	Column  int     `json:"column"` // from 1, in characters
	Kind    Mistake `json:"kind"`
	Note    bool    `json:"note,omitempty"` // it works, and should be said
	Message string  `json:"message"`
	Fix     string  `json:"fix,omitempty"` // the nearest right form
	Edit    *Edit   `json:"-"`             // where the fix is mechanical
}

// Edit replaces the bytes from Start to End of a file.
type Edit struct {
	Start, End int
	Text       string
}

// String is the finding as one line: file:line:column: kind: message.
func (f Finding) String() string {
	text := fmt.Sprintf("%s:%d:%d: %s: %s", f.File, f.Line, f.Column, f.Kind, f.Message)
	if f.Fix != "" {
		text += " → " + f.Fix
	}
	return text
}

// Sort orders findings by file, place and kind, and drops those that say the same twice.
func Sort(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Kind, b.Kind))
	})
	return slices.CompactFunc(findings, func(a, b Finding) bool {
		return a.File == b.File && a.Line == b.Line && a.Column == b.Column && a.Kind == b.Kind && a.Message == b.Message
	})
}

// Faults are the findings that are no mere notes.
func Faults(findings []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Note })
}

// Fix carries out the mechanical fixes of one file's findings. Everything else stays as it is, byte
// for byte. Of fixes that overlap the first is made.
func Fix(text []byte, findings []Finding) []byte {
	var edits []*Edit
	for _, f := range findings {
		if f.Edit != nil && 0 <= f.Edit.Start && f.Edit.Start <= f.Edit.End && f.Edit.End <= len(text) {
			edits = append(edits, f.Edit)
		}
	}
	slices.SortStableFunc(edits, func(a, b *Edit) int { return a.Start - b.Start })
	var out []byte
	at := 0
	for _, e := range edits {
		if e.Start < at {
			continue
		}
		out = append(append(out, text[at:e.Start]...), e.Text...)
		at = e.End
	}
	return append(out, text[at:]...)
}
