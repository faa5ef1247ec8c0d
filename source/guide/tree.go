package guide

import (
	"encoding/json"
	"strings"

	"github.com/twodoor/twodoor"
)

// Tree is the command line as plain data, as its door describes itself.
type Tree struct {
	Program  string    `json:"program"`  // as it is typed: "twodoor"
	Commands []Command `json:"commands"` // in the order in which they are listed
}

// Command is one command that can be carried out.
type Command struct {
	ID           string         `json:"id,omitempty"` // of the operation; empty: a command of the program itself
	Command      string         `json:"command"`      // "twodoor harbor incident ack"
	Usage        string         `json:"usage"`        // with its operands
	Title        string         `json:"title,omitempty"`
	Description  string         `json:"description,omitempty"`
	Origin       string         `json:"origin,omitempty"` // "POST /incidents/{id}/ack"; translations are matched by it
	Effect       twodoor.Effect `json:"effect,omitempty"`
	Permission   string         `json:"permission,omitempty"`
	Deprecated   string         `json:"deprecated,omitempty"`
	Inputs       []Input        `json:"inputs,omitempty"`
	Combinations []string       `json:"combinations,omitempty"` // which inputs go together, in words
	Answer       *Answer        `json:"answer,omitempty"`
	Example      string         `json:"example,omitempty"` // a line that fits
	Guides       []string       `json:"guides,omitempty"`
}

// Input is one input of a command.
type Input struct {
	Name        string          `json:"name"`
	Path        string          `json:"path,omitempty"`     // as --set takes it
	Flag        string          `json:"flag,omitempty"`     // "--severity"; empty: it is nested
	Position    string          `json:"position,omitempty"` // "<incident-id>"; an ending ... takes several
	Driven      bool            `json:"driven,omitempty"`   // the flag is the common one of that name
	Type        string          `json:"type"`
	Required    bool            `json:"required,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Bounds      string          `json:"bounds,omitempty"`
	Description string          `json:"description,omitempty"`
	Fields      []Input         `json:"fields,omitempty"`
}

// Answer is what a command answers.
type Answer struct {
	Root    string `json:"root,omitempty"`  // jq path of the records: ".items[]"
	Shape   string `json:"shape,omitempty"` // "{id: integer, title: string}"
	Meaning string `json:"meaning,omitempty"`
	Empty   string `json:"empty,omitempty"`
}

// Words are the words of the command after the program's name.
func (c *Command) Words(program string) []string {
	return strings.Fields(strings.TrimPrefix(c.Command, program))
}

// Input is the input of a flag in any of its spellings, or nil.
func (c *Command) Input(flag string) *Input {
	for i := range c.Inputs {
		if in := &c.Inputs[i]; in.Flag == flag {
			return in
		}
	}
	plain := plainFlag(flag)
	for i := range c.Inputs {
		if in := &c.Inputs[i]; plainFlag(in.Flag) == plain || plainFlag(in.Name) == plain {
			return in
		}
	}
	return nil
}

func plainFlag(flag string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(flag))
}

// Operand is the input of the n-th operand, or nil. A list takes all that come after it.
func (c *Command) Operand(n int) *Input {
	at := 0
	for i := range c.Inputs {
		in := &c.Inputs[i]
		if in.Position == "" {
			continue
		}
		if at == n || strings.HasSuffix(in.Position, "...") && n > at {
			return in
		}
		at++
	}
	return nil
}
