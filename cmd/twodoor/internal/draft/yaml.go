package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/deed"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// YAML is the draft as a verbs file.
func (d *Draft) YAML() []byte {
	w := &writer{}
	w.line("# Drafted from the %s of %s. Keep five to ten verbs that agents need, give them names like", d.Way, d.Program)
	w.line("# commit.list, check every effect, and take out the parameters that nobody needs.")
	w.line("# What may stand in this file: twodoor docs verbs")
	if d.Short {
		w.line("# %s has more commands than the %d that are here.", d.Program, MaxCommands)
	}
	w.line("title: %s", quote(orElse(d.Title, d.Name)))
	w.line("program: %s", quote(d.Program))
	w.line("timeout: 60s")
	w.line("verbs:")
	names := map[string]bool{}
	for i := range d.Commands {
		name := d.Commands[i].verb()
		for names[name] {
			name += "-again"
		}
		names[name] = true
		d.Commands[i].write(w, name, d.Way == "completion")
	}
	return []byte(w.text.String())
}

type writer struct{ text strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

// quote is a text as YAML: JSON's strings are YAML's.
func quote(text string) string { return string(rawjson.Quote(text)) }

// key is a name as YAML takes it for a text.
func key(name string) string {
	if slices.Contains([]string{"null", "true", "false"}, name) {
		return quote(name)
	}
	return name
}

// verb is group.verb of a command: its path, or its name under "run".
func (c *Command) verb() string {
	words := []string{}
	for _, word := range c.Path {
		words = append(words, strings.Trim(strings.ReplaceAll(word, "_", "-"), "-"))
	}
	switch len(words) {
	case 0:
		return "run.once"
	case 1:
		return "run." + words[0]
	}
	return strings.Join(words, ".")
}

// write writes one verb. A program of cobra's knows that no option comes after "--".
func (c *Command) write(w *writer, name string, ends bool) {
	w.line("  %s:", name)
	if c.Title != "" {
		w.line("    title: %s", quote(c.Title))
	}
	w.line("    effect: %s", c.effect())
	argv, params := c.argv(ends)
	w.line("    argv: [%s]", strings.Join(argv, ", "))
	if len(params) > 0 {
		w.line("    params:")
		for _, p := range params {
			w.line("      %s", p)
		}
	}
	if len(c.Unsafe) > 0 {
		w.line("    # left out, since programs write files, run others or read configuration by such: %s", strings.Join(c.Unsafe, " "))
	}
	if slices.ContainsFunc(c.Flags, func(f Flag) bool { return f.Name == "--json" }) {
		w.line("    # it can print JSON: write --json in argv, and output: json")
	}
}

// effect is a guess, with its reason beside it.
func (c *Command) effect() string {
	var words []string
	for _, word := range c.Path {
		words = append(words, strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '_' })...)
	}
	if word := deed.Destroying(words...); word != "" {
		return fmt.Sprintf("destroys # a guess, by the word %q", word)
	}
	if word := deed.Reading(words...); word != "" {
		return fmt.Sprintf("reads # a guess, by the word %q", word)
	}
	return "writes # not known: reads, writes or destroys?"
}

// argv is the list of arguments, and the parameters in it.
func (c *Command) argv(ends bool) (list, params []string) {
	for _, word := range c.Path {
		list = append(list, quote(word))
	}
	taken := map[string]bool{}
	for _, a := range c.Args {
		taken[a.Name] = true
	}
	for _, f := range c.Flags {
		name := strings.ReplaceAll(strings.TrimLeft(f.Name, "-"), "-", "_")
		for taken[name] {
			name += "_flag"
		}
		taken[name] = true
		switch {
		case f.Type == "boolean" && !strings.Contains(f.Help, "(default true)"):
			list = append(list, fmt.Sprintf("{if: %s, args: [%s]}", key(name), quote(f.Name)))
		case f.Type == "array":
			list = append(list, quote(f.Name+"={"+name+"...}"))
		default:
			list = append(list, quote(f.Name+"={"+name+"}"))
		}
		params = append(params, parameter(name, f.Type, f.Help, false))
	}
	if ends && len(c.Args) > 0 {
		list = append(list, `"--"`)
	}
	for _, a := range c.Args {
		if a.Rest {
			list = append(list, quote("{"+a.Name+"...}"))
			params = append(params, parameter(a.Name, "array", "", a.Required))
			continue
		}
		list = append(list, quote("{"+a.Name+"}"))
		params = append(params, parameter(a.Name, "string", "", a.Required))
	}
	return list, params
}

func parameter(name, kind, about string, required bool) string {
	text := key(name) + ": {type: " + kind
	if required {
		text += ", required: true"
	}
	if about != "" {
		text += ", description: " + quote(about)
	}
	return text + "}"
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
