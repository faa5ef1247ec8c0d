package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
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
		r := &run{door: d}
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
			if !yield(d.card(op), nil) {
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
		in.Type = someOf(f.Values)
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
func (d *Door) Card(op *twodoor.Operation) Card { return d.card(op) }

func (d *Door) card(op *twodoor.Operation) Card {
	in := inputsOf(op)
	c := Card{
		ID: op.ID, Command: d.command(op.ID), Usage: d.usage(in), Title: op.Title, Description: op.Description, Origin: op.Origin,
		Effect: op.Effect, Why: op.Why, Idempotent: op.Idempotent, Permission: op.Permission, Deprecated: op.Deprecated,
		Combinations: in.combinations(), Answer: answerOf(op), Example: d.exampleOf(in), Guides: op.Guides,
	}
	for _, f := range in.fields {
		c.Inputs = append(c.Inputs, in.input(f))
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
func (d *Door) usage(in *inputs) string {
	line := d.command(in.op.ID)
	for _, name := range in.op.Positional {
		if f := in.field(name); f != nil {
			line += " " + f.operand()
		}
	}
	return line + " [flags]"
}

// operand is a field as usage tells it by position.
func (f *field) operand() string {
	text := "<" + f.flag + ">"
	if f.typ().is(isArray) {
		text += "..."
	}
	if !f.required {
		text = "[" + text + "]"
	}
	return text
}

func (in *inputs) input(f *field) Input {
	t := f.typ()
	out := in.nestedInput(f.name, f.path, f.raw, 0)
	out.Required = f.required
	if t.flat() {
		out.Flag = "--" + f.flag
	}
	if f.hidden {
		out.Flag, out.Driven = "--"+strings.TrimPrefix(f.flag, "field-"), true
	}
	if slices.Contains(in.op.Positional, f.name) {
		out.Position = strings.Trim(f.operand(), "[]")
	}
	return out
}

// nestedInput tells of a property, and of those inside it down to a bound.
func (in *inputs) nestedInput(name string, path []string, raw json.RawMessage, depth int) Input {
	t := in.scope.typeOf(raw)
	out := Input{Name: name, Path: pathText(path), Type: t.brief(), Bounds: t.bounds(), Description: t.text("description")}
	if value, ok := t.get("default"); ok {
		out.Default = value
	}
	if t.values != nil {
		out.Enum = t.valueTexts()
	} else if t.items != nil && t.items.values != nil {
		out.Enum = t.items.valueTexts()
	}
	object := t
	inner := path
	if t.is(isArray) && t.items != nil {
		object, inner = t.items, append(path[:len(path):len(path)], "0")
	}
	if depth < 3 && object.is(isObject) {
		out.Fields = in.members(object, inner, depth+1)
	}
	return out
}

func (in *inputs) members(t *valueType, path []string, depth int) []Input {
	var fields []Input
	for _, p := range propertiesOf(t.layers) {
		field := in.nestedInput(p.name, append(path[:len(path):len(path)], p.name), p.raw, depth)
		field.Required = p.required
		fields = append(fields, field)
	}
	return fields
}

// combinations says which inputs go together.
func (in *inputs) combinations() []string {
	var says []string
	for _, l := range in.scope.layers(in.op.Input) {
		for _, word := range [...]string{"anyOf", "oneOf"} {
			if text := in.alternatives(l, word); text != "" {
				says = append(says, text)
			}
		}
		pairs, _ := l.get("dependentRequired")
		for name, list := range rawjson.Members(pairs) {
			says = append(says, in.flagNamed(name)+" needs "+strings.Join(in.flagsIn(list), " and "))
		}
		not, _ := l.get("not")
		if both, ok := rawjson.Get(not, "required"); ok {
			says = append(says, "not together: "+strings.Join(in.flagsIn(both), ", "))
		}
	}
	return says
}

// alternatives tells a union whose branches require different inputs.
func (in *inputs) alternatives(l layer, word string) string {
	branches, _ := l.get(word)
	var texts []string
	for branch := range rawjson.Elements(branches) {
		list, _ := rawjson.Get(branch, "required")
		flags := in.flagsIn(list)
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

func (in *inputs) flagsIn(list json.RawMessage) []string {
	var flags []string
	for name := range rawjson.Elements(list) {
		flags = append(flags, in.flagNamed(plain(name)))
	}
	return flags
}

func (in *inputs) flagNamed(name string) string {
	if f := in.field(name); f != nil {
		return f.usage()
	}
	return name
}

// answerOf tells the shape of an operation's answer, and where its records are.
func answerOf(op *twodoor.Operation) *AnswerCard {
	card := &AnswerCard{Meaning: op.Answer.Meaning, Empty: op.Answer.Empty}
	if len(op.Output) > 0 {
		s := scope{op.Output, op}
		root, at := s.records(op)
		card.Root, card.Shape = root, s.outline(at, 0, 2)
	}
	if *card == (AnswerCard{}) {
		return nil
	}
	return card
}

// records finds the list in the schema of an answer: its jq path, and the schema of a record.
func (s scope) records(op *twodoor.Operation) (root string, record json.RawMessage) {
	path := op.Answer.Root
	if path == "" && op.Page != nil {
		path = op.Page.Items
	}
	path = strings.TrimPrefix(strings.TrimSuffix(path, "[]"), ".")
	if path != "" {
		raw := json.RawMessage(op.Output)
		for step := range strings.SplitSeq(path, ".") {
			raw, _ = propertyOf(s.layers(raw), step)
		}
		if t := s.typeOf(raw); t.is(isArray) {
			return "." + path + "[]", s.itemsOf(raw)
		}
	}
	if s.typeOf(op.Output).is(isArray) {
		return ".[]", s.itemsOf(op.Output)
	}
	var lists []property
	for _, p := range propertiesOf(s.layers(op.Output)) {
		if t := s.typeOf(p.raw); t.is(isArray) && t.items != nil && t.items.is(isObject) {
			lists = append(lists, p)
		}
	}
	if len(lists) == 1 {
		return "." + lists[0].name + "[]", s.itemsOf(lists[0].raw)
	}
	return ".", op.Output
}

func (s scope) itemsOf(raw json.RawMessage) json.RawMessage {
	if items, ok := elementOf(s.layers(raw), "0"); ok {
		return items
	}
	return json.RawMessage(`{}`)
}

// outline is a schema in few words: {id: integer, owner: {name: string}}.
func (s scope) outline(raw json.RawMessage, depth, most int) string {
	t := s.typeOf(raw)
	switch {
	case t.is(isArray) && t.items != nil && t.items.is(isObject|isArray):
		return "[" + s.outline(s.itemsOf(raw), depth, most) + "]"
	case !t.is(isObject):
		return t.brief()
	case depth >= most:
		return "{…}"
	}
	var parts []string
	for _, p := range propertiesOf(t.layers) {
		parts = append(parts, fmt.Sprintf("%s: %s", p.name, s.outline(p.raw, depth+1, most)))
	}
	if len(parts) == 0 {
		return "object"
	}
	const shown = 40
	if len(parts) > shown {
		parts = append(parts[:shown], fmt.Sprintf("… %d more", len(parts)-shown))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// brief is a type in a word or two.
func (t *valueType) brief() string {
	switch {
	case t.isTime():
		return "time"
	case t.binary():
		return "file (@PATH)"
	case t.values != nil && !t.is(isArray|isObject):
		return strings.Join(append([]string{someOf(t.valueTexts())}, t.free.words()...), "|")
	case t.is(isArray):
		if t.items == nil {
			return "list"
		}
		return "list of " + t.items.brief()
	}
	if names := t.kinds.words(); len(names) > 0 {
		return strings.Join(names, "|")
	}
	return "any"
}

// words names the types in a set, null aside.
func (all kinds) words() []string {
	var names []string
	for i, name := range [...]string{"string", "integer", "number", "boolean", "", "list", "object"} {
		if all&(1<<i) != 0 && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// someOf lists values, the first ones where there are many.
func someOf(values []string) string {
	const most = 15
	if len(values) <= most {
		return strings.Join(values, "|")
	}
	return fmt.Sprintf("%s|… (%d values)", strings.Join(values[:most-3], "|"), len(values))
}

// bounds are the limits that a schema sets, in words.
func (t *valueType) bounds() string {
	var says []string
	add := func(least, most, unit string) {
		low, hasLow := t.get(least)
		high, hasHigh := t.get(most)
		switch {
		case hasLow && hasHigh:
			says = append(says, fmt.Sprintf("%s to %s%s", low, high, unit))
		case hasLow && string(low) != "0":
			says = append(says, fmt.Sprintf("at least %s%s", low, unit))
		case hasHigh:
			says = append(says, fmt.Sprintf("at most %s%s", high, unit))
		}
	}
	add("minimum", "maximum", "")
	add("exclusiveMinimum", "exclusiveMaximum", " (exclusive)")
	add("minLength", "maxLength", " characters")
	add("minItems", "maxItems", " items")
	if pattern := t.text("pattern"); pattern != "" && len(pattern) <= 60 {
		says = append(says, "like "+pattern)
	}
	return strings.Join(says, ", ")
}
