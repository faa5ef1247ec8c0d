package config

import (
	"fmt"
	"strings"
)

// Fault is one thing wrong in a file, where it is, and what to do.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"` // from 1; 0: the file as a whole
	Path    string `json:"path,omitempty"` // "sources.harbor.naming"
	Problem string `json:"problem"`
	Hint    string `json:"hint,omitempty"`
}

// String is the fault in one line: "twodoor.yaml:3: unknown key …".
func (f Fault) String() string {
	text := f.File
	if f.Line > 0 {
		text += fmt.Sprintf(":%d", f.Line)
	}
	if text != "" {
		text += ": "
	}
	text += f.Problem
	if f.Hint != "" {
		text += " (" + f.Hint + ")"
	}
	return text
}

// Invalid is the error of a file with faults: all of them, in the order of the lines.
type Invalid struct {
	Faults []Fault
}

// Error lists the faults, one a line.
func (e *Invalid) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}
