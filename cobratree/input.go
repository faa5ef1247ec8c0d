package cobratree

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/twodoor/twodoor/internal/argv"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// input is a flag or an argument of a command.
type input struct {
	Name string `json:"name"` // of the tool's input
	Flag string `json:"flag,omitempty"`
	Text bool   `json:"text,omitempty"` // it takes several lines
	CSV  bool   `json:"csv,omitempty"`  // the flag takes its items apart at commas, as lines of CSV are
	Rest bool   `json:"rest,omitempty"` // an argument: all that follow

	schema   json.RawMessage
	required bool
}

// flags are the flags of a command that are served, by name.
func (t *Tree) flags(cmd *cobra.Command) (list []input) {
	seen := map[string]bool{}
	visit := func(f *pflag.Flag) {
		if seen[f.Name] || !t.serves(f) {
			return
		}
		seen[f.Name] = true
		in := input{Name: f.Name, Flag: f.Name, Text: slices.Contains(t.options.Text, f.Name), CSV: strings.HasSuffix(f.Value.Type(), "Slice")}
		in.schema = flagSchema(f)
		in.required = slices.Contains(f.Annotations[cobra.BashCompOneRequiredFlag], "true")
		list = append(list, in)
	}
	cmd.NonInheritedFlags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	slices.SortStableFunc(list, func(a, b input) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (t *Tree) serves(f *pflag.Flag) bool {
	switch {
	case f.Hidden, f.Deprecated != "", f.Name == "help", f.Name == "version" && f.Value.Type() == "bool", slices.Contains(t.options.Hide, f.Name):
		return false
	case !legalName.MatchString(f.Name):
		return false
	}
	return !slices.Contains(argv.Dangerous, "--"+f.Name) || slices.Contains(t.options.Allow, f.Name)
}

var legalName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`) // what hosts take for the name of an input

// flagSchema is what pflag knows of a flag, as a schema.
func flagSchema(f *pflag.Flag) json.RawMessage {
	var s, items rawjson.Object
	kind, list := f.Value.Type(), false
	if _, ok := f.Value.(pflag.SliceValue); ok || strings.HasPrefix(kind, "stringTo") {
		list, kind = true, strings.TrimSuffix(strings.TrimSuffix(kind, "Slice"), "Array")
	}
	single := "string"
	switch {
	case kind == "bool":
		single = "boolean"
	case kind == "count", strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		single = "integer"
	case strings.HasPrefix(kind, "float"):
		single = "number"
	}
	if list {
		items.PutString("type", single)
		s.PutString("type", "array")
		s.Put("items", items.Bytes())
	} else {
		s.PutString("type", single)
	}
	usage := f.Usage
	if strings.HasPrefix(kind, "stringTo") {
		usage = strings.TrimSpace(usage + " (items like key=value)")
	}
	if kind == "duration" {
		usage = strings.TrimSpace(usage + " (a duration like 1h30m)")
	}
	if usage != "" {
		s.PutString("description", usage)
	}
	if value := defaultOf(f.DefValue, single); value != nil && !list {
		s.Put("default", value)
	}
	return s.Bytes()
}

// defaultOf is a default that says something: not the zero of its type.
func defaultOf(text, kind string) []byte {
	switch raw := []byte(text); {
	case text == "", text == "0", text == "false", text == "0s", text == "<nil>":
		return nil
	case kind == "string":
		return rawjson.Quote(text)
	case rawjson.Check(raw) == nil:
		return raw
	}
	return nil
}

var (
	placeholder = regexp.MustCompile(`^(\[)?<?([A-Za-z][A-Za-z0-9_-]*)>?(\.\.\.)?(\])?(\.\.\.)?$`)
	notWords    = []string{"flags", "options", "option", "flag"}
)

// arguments are the words that a command takes: by the names that its Use line has, else as one list.
func (t *Tree) arguments(cmd *cobra.Command) []input {
	if !takesWords(cmd) {
		return nil
	}
	named, ok := t.named(cmd)
	if ok && len(named) > 0 {
		return named
	}
	rest := input{Name: "args", Rest: true, Text: slices.Contains(t.options.Text, "args")}
	var s, items rawjson.Object
	items.PutString("type", "string")
	s.PutString("type", "array")
	s.Put("items", items.Bytes())
	s.PutString("description", "the words after the command: "+cmd.Use)
	rest.schema = s.Bytes()
	return []input{rest}
}

// takesWords asks the command's own check whether it takes any words.
func takesWords(cmd *cobra.Command) bool {
	if cmd.Args == nil || len(cmd.ValidArgs) > 0 {
		return true
	}
	return takes(cmd, "x") || takes(cmd, "x", "x") || takes(cmd, "x", "x", "x")
}

// takes asks the command's own check, where it has one, whether it takes these words.
func takes(cmd *cobra.Command, words ...string) bool {
	return cmd.Args != nil && cmd.Args(cmd, words) == nil
}

// named reads the Use line. ok is false where it cannot be told what its words stand for.
func (t *Tree) named(cmd *cobra.Command) (list []input, ok bool) {
	words := strings.Fields(cmd.Use)
	for _, text := range words[min(1, len(words)):] {
		if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "[-") {
			continue
		}
		m := placeholder.FindStringSubmatch(text)
		if m == nil || (m[1] == "") != (m[4] == "") || len(list) > 0 && list[len(list)-1].Rest {
			return nil, false
		}
		name := strings.ReplaceAll(strings.ToLower(m[2]), "-", "_")
		if slices.Contains(notWords, name) {
			continue
		}
		if cmd.Flag(m[2]) != nil || cmd.Flag(name) != nil {
			name += "_arg"
		}
		if slices.ContainsFunc(list, func(in input) bool { return in.Name == name }) {
			return nil, false
		}
		in := input{Name: name, Rest: m[3]+m[5] != "", required: m[1] == "" && !takes(cmd), Text: slices.Contains(t.options.Text, name)}
		in.schema = argumentSchema(cmd, in, len(list) == 0)
		list = append(list, in)
	}
	return list, true
}

func argumentSchema(cmd *cobra.Command, in input, first bool) json.RawMessage {
	var s rawjson.Object
	s.PutString("type", "string")
	if first && len(cmd.ValidArgs) > 0 {
		var values []string
		for _, value := range cmd.ValidArgs {
			value, _, _ := strings.Cut(value, "\t") // its description stands after a tab
			values = append(values, value)
		}
		s.PutStrings("enum", values)
	}
	if !in.Rest {
		return s.Bytes()
	}
	var list rawjson.Object
	list.PutString("type", "array")
	list.Put("items", s.Bytes())
	if in.required {
		list.PutInt("minItems", 1)
	}
	return list.Bytes()
}
