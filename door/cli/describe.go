package cli

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
	"github.com/twodoor/twodoor/door/cli/internal/typed"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Card is one command as data: what help, cards and documentation tell of it.
type Card struct {
	ID           string         `json:"id,omitempty"` // of the operation; empty: an own command
	Command      string         `json:"command"`      // as it is typed: "twodoor harbor incident ack"
	Usage        string         `json:"usage"`        // with its operands
	Title        string         `json:"title,omitempty"`
	Description  string         `json:"description,omitempty"`
	Origin       string         `json:"origin,omitempty"`
	Effect       twodoor.Effect `json:"effect,omitempty"`
	Why          string         `json:"why,omitempty"`
	Idempotent   bool           `json:"idempotent,omitempty"`
	Permission   string         `json:"permission,omitempty"`
	Deprecated   string         `json:"deprecated,omitempty"`
	Inputs       []Input        `json:"inputs,omitempty"`
	Combinations []string       `json:"combinations,omitempty"` // which inputs go together, in words
	Answer       *AnswerCard    `json:"answer,omitempty"`
	Example      string         `json:"example,omitempty"` // a line that fits
	Guides       []string       `json:"guides,omitempty"`
}

// Input is one input of a command.
type Input struct {
	Name        string          `json:"name"`               // of the property, or of the flag of an own command
	Path        string          `json:"path,omitempty"`     // as --set takes it
	Flag        string          `json:"flag,omitempty"`     // "--severity"; empty: it is nested, and given with --set
	Position    string          `json:"position,omitempty"` // "<incident-id>", where it is also an operand
	Driven      bool            `json:"driven,omitempty"`   // the flag is the common option of that name, which fills the input
	Type        string          `json:"type"`               // "integer", "low|high", "list of string"
	Required    bool            `json:"required,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Bounds      string          `json:"bounds,omitempty"` // "1 to 100"
	Description string          `json:"description,omitempty"`
	Fields      []Input         `json:"fields,omitempty"` // of an object, or of the objects in a list
}

// AnswerCard is what an operation answers.
type AnswerCard struct {
	Root    string `json:"root,omitempty"`  // jq path of the records: ".items[]"
	Shape   string `json:"shape,omitempty"` // "{id: integer, title: string}"
	Meaning string `json:"meaning,omitempty"`
	Empty   string `json:"empty,omitempty"`
}

// Describe tells of every command that the door shows: the own ones, then the operations in the order
// of their ids.
func (d *Door) Describe(context.Context) iter.Seq2[Card, error] {
	return func(yield func(Card, error) bool) {
		r := d.newRun()
		for _, c := range d.ownCommands() {
			if !c.Hidden && !d.describeOwn(c, []string{d.name()}, yield) {
				return
			}
		}
		for i, entry := range d.Engine.Catalog().Entries() {
			if !r.shows(entry) {
				continue
			}
			op, err := d.Engine.Catalog().At(i)
			if err != nil {
				yield(Card{}, err)
				return
			}
			if !yield(d.Card(op), nil) {
				return
			}
		}
	}
}

func (d *Door) describeOwn(c Command, above []string, yield func(Card, error) bool) bool {
	words := append(above[:len(above):len(above)], c.Name)
	for _, sub := range c.Commands {
		if !sub.Hidden && !d.describeOwn(sub, words, yield) {
			return false
		}
	}
	if c.Run == nil {
		return true
	}
	command := strings.Join(words, " ")
	card := Card{Command: command, Usage: strings.TrimSpace(command + " " + c.Args), Title: c.Short, Description: c.Long, Example: c.Example}
	for _, f := range c.Flags {
		if !f.Hidden {
			card.Inputs = append(card.Inputs, f.input())
		}
	}
	return yield(card, nil)
}

func (f Flag) input() Input {
	in := Input{Name: f.Name, Flag: "--" + f.Name, Type: f.Kind.String(), Enum: f.Values, Description: f.Usage}
	if len(f.Values) > 0 {
		in.Type = typed.SomeOf(f.Values)
	}
	if f.Default != "" {
		in.Default = rawjson.Quote(f.Default)
		if f.Kind == FlagInt || f.Kind == FlagSwitch {
			in.Default = json.RawMessage(f.Default)
		}
	}
	return in
}

// String is the kind as help names it.
func (k FlagKind) String() string {
	return [...]string{"string", "boolean", "integer", "duration", "list of string"}[k]
}

// Card tells of one operation.
func (d *Door) Card(op *twodoor.Operation) Card {
	in := args.Of(op)
	c := Card{
		ID: op.ID, Command: d.command(op.ID), Usage: d.usage(in), Title: op.Title, Description: op.Description, Origin: op.Origin,
		Effect: op.Effect, Why: op.Why, Idempotent: op.Idempotent, Permission: op.Permission, Deprecated: op.Deprecated,
		Combinations: combinations(in), Answer: answerOf(op), Example: d.exampleOf(in), Guides: op.Guides,
	}
	for _, f := range in.Fields {
		c.Inputs = append(c.Inputs, inputCard(in, f))
	}
	slices.SortStableFunc(c.Inputs, func(a, b Input) int { return a.rank() - b.rank() })
	return c
}

// rank puts what has a position first, then what is required.
func (in Input) rank() int {
	switch {
	case in.Position != "":
		return 0
	case in.Required:
		return 1
	}
	return 2
}

// usage is the line of the command with its operands.
func (d *Door) usage(in *args.Inputs) string {
	line := d.command(in.Op.ID)
	for _, name := range in.Op.Positional {
		if f := in.Field(name); f != nil {
			line += " " + f.Operand()
		}
	}
	return line + " [flags]"
}

func inputCard(in *args.Inputs, f *args.Field) Input {
	t := f.Type()
	out := nestedInput(in, f.Name, f.Path, f.Raw, 0)
	out.Required = f.Required
	if t.Flat() {
		out.Flag = "--" + f.Flag
	}
	if f.Driven {
		out.Flag, out.Driven = "--"+strings.TrimPrefix(f.Flag, "field-"), true
	}
	if slices.Contains(in.Op.Positional, f.Name) {
		out.Position = strings.Trim(f.Operand(), "[]")
	}
	return out
}

// nestedInput tells of a property, and of those inside it down to a bound.
func nestedInput(in *args.Inputs, name string, path []string, raw json.RawMessage, depth int) Input {
	t := in.Scope.TypeOf(raw)
	out := Input{Name: name, Path: args.PathText(path), Type: t.Brief(), Bounds: t.Bounds(), Description: t.Text("description")}
	if value, ok := t.Get("default"); ok {
		out.Default = value
	}
	if t.Values != nil {
		out.Enum = t.ValueTexts()
	} else if t.Items != nil && t.Items.Values != nil {
		out.Enum = t.Items.ValueTexts()
	}
	object := t
	inner := path
	if t.Is(typed.Array) && t.Items != nil {
		object, inner = t.Items, append(path[:len(path):len(path)], "0")
	}
	if depth < 3 && object.Is(typed.Object) {
		out.Fields = members(in, object, inner, depth+1)
	}
	return out
}

func members(in *args.Inputs, t *typed.Type, path []string, depth int) []Input {
	var fields []Input
	for _, p := range typed.Properties(t.Layers) {
		field := nestedInput(in, p.Name, append(path[:len(path):len(path)], p.Name), p.Raw, depth)
		field.Required = p.Required
		fields = append(fields, field)
	}
	return fields
}

// combinations says which inputs go together.
func combinations(in *args.Inputs) []string {
	var says []string
	for _, l := range in.Scope.Layers(in.Op.Input) {
		for _, word := range [...]string{"anyOf", "oneOf"} {
			if text := alternatives(in, l, word); text != "" {
				says = append(says, text)
			}
		}
		pairs, _ := l.Get("dependentRequired")
		for name, list := range rawjson.Members(pairs) {
			says = append(says, flagNamed(in, name)+" needs "+strings.Join(flagsIn(in, list), " and "))
		}
		not, _ := l.Get("not")
		if both, ok := rawjson.Get(not, "required"); ok {
			says = append(says, "not together: "+strings.Join(flagsIn(in, both), ", "))
		}
	}
	return says
}

// alternatives tells a union whose branches require different inputs.
func alternatives(in *args.Inputs, l typed.Layer, word string) string {
	branches, _ := l.Get(word)
	var texts []string
	for branch := range rawjson.Elements(branches) {
		list, _ := rawjson.Get(branch, "required")
		flags := flagsIn(in, list)
		if len(flags) == 0 {
			return ""
		}
		texts = append(texts, strings.Join(flags, " and "))
	}
	switch {
	case len(texts) < 2:
		return ""
	case word == "oneOf":
		return "exactly one of: " + strings.Join(texts, ", ")
	}
	return "at least one of: " + strings.Join(texts, ", ")
}

func flagsIn(in *args.Inputs, list json.RawMessage) []string {
	var flags []string
	for name := range rawjson.Elements(list) {
		flags = append(flags, flagNamed(in, typed.Plain(name)))
	}
	return flags
}

func flagNamed(in *args.Inputs, name string) string {
	if f := in.Field(name); f != nil {
		return f.Usage()
	}
	return name
}

// answerOf tells the shape of an operation's answer, and where its records are.
func answerOf(op *twodoor.Operation) *AnswerCard {
	card := &AnswerCard{Meaning: op.Answer.Meaning, Empty: op.Answer.Empty}
	if len(op.Output) > 0 {
		s := typed.Scope{Root: op.Output, Op: op}
		root, at := s.Records(op)
		card.Root, card.Shape = root, s.Outline(at, 0, 2)
	}
	if *card == (AnswerCard{}) {
		return nil
	}
	return card
}
