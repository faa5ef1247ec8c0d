package draft

import (
	"regexp"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/argv"
)

var (
	commandName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
	commandLine = regexp.MustCompile(`^(?: {2,8}|\t)([a-z][a-z0-9_-]*)(?:, [a-z][a-z0-9_-]*)*\*?(?:\s{2,}|\s*\t\s*)(\S.*)$`)
	heading     = regexp.MustCompile(`^(\S.*?):?\s*$`)
	usageStart  = regexp.MustCompile(`(?i)^\s*(?:or:|usage:)`)
	flagLine    = regexp.MustCompile(`^\s{1,12}(?:-(\w),?\s+)?--(\[no-\])?([a-zA-Z][\w-]*)(\[?=?\[?)?(?:[ =]?(<[^>]+>(?:\.\.\.)?|[A-Za-z][\w:|,./-]*)\]?)?(?:\s{2,}(.*)|\s*)$`)
	placeholder = regexp.MustCompile(`^(\[)?<?([A-Za-z][A-Za-z0-9_-]*)>?(\.\.\.)?(\])?(\.\.\.)?$`)
)

// manual is how a page of man begins: GIT-LOG(1).
var manual = regexp.MustCompile(`^\s*\S+\(\d\w*\)\s`)

// looksLikeHelp reports whether a text is help, and not an error or a page of a manual.
func looksLikeHelp(text string) bool {
	lower := strings.ToLower(text)
	return (strings.Contains(lower, "usage") || strings.Contains(text, "--")) && !manual.MatchString(text)
}

// titleOf is the sentence at the head of a help text, before or after its usage.
func titleOf(help string) string {
	for _, paragraph := range strings.SplitN(strings.TrimSpace(help), "\n\n", 3) {
		line, _, _ := strings.Cut(strings.TrimSpace(paragraph), "\n")
		lower := strings.ToLower(line)
		switch {
		case strings.HasPrefix(lower, "usage"):
			continue
		case sentence.MatchString(line):
			return strings.TrimSpace(line)
		}
		return ""
	}
	return ""
}

var sentence = regexp.MustCompile(`^[A-Za-z][^:<>\[\]]*[^:\s]$`)

// commandsIn lists the commands that a help text lists: indented names with a description beside them,
// under a heading that speaks of no options, arguments or examples.
func commandsIn(help string) (subs []listed) {
	skip := false
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\r\n")
		if m := heading.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, " ") {
			skip = mentions(m[1], "flag", "option", "example", "usage", "argument", "topic", "environment", "variable", "parameter")
			continue
		}
		m := commandLine.FindStringSubmatch(line)
		if m == nil || skip || slices.ContainsFunc(subs, func(s listed) bool { return s.name == m[1] }) {
			continue
		}
		subs = append(subs, listed{m[1], strings.TrimSpace(m[2])})
	}
	return subs
}

func mentions(text string, words ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// usageOf is the command's usage line, without the program and the path. The program may call itself
// otherwise than its file.
func usageOf(help string, path []string) string {
	for line := range strings.Lines(help) {
		words := strings.Fields(usageStart.ReplaceAllString(line, ""))
		if len(words) > len(path) && slices.Equal(words[1:1+len(path)], path) && !strings.HasPrefix(words[0], "-") {
			return strings.Join(words[1+len(path):], " ")
		}
	}
	return ""
}

// argsIn are the words that a usage line asks for. Where it cannot be told what they are, they are one
// list.
func argsIn(usage string) (args []Arg) {
	usage = flagGroup.ReplaceAllString(usage, " ")
	for _, text := range strings.Fields(usage) {
		if text == "--" || text == "[--]" || strings.HasPrefix(text, "-") || strings.HasPrefix(text, "[-") {
			continue
		}
		m := placeholder.FindStringSubmatch(text)
		if m != nil && mentions(m[2], "flag", "option", "command") {
			continue
		}
		if m == nil || (m[1] == "") != (m[4] == "") || len(args) > 0 && args[len(args)-1].Rest {
			return []Arg{{Name: "args", Rest: true}}
		}
		name := strings.ReplaceAll(strings.ToLower(m[2]), "-", "_")
		if slices.ContainsFunc(args, func(a Arg) bool { return a.Name == name }) {
			return []Arg{{Name: "args", Rest: true}}
		}
		args = append(args, Arg{Name: name, Required: m[1] == "", Rest: m[3]+m[5] != ""})
	}
	return args
}

// flagGroup is an option in brackets, with what belongs to it: [--depth <n>], [-q | --quiet].
var flagGroup = regexp.MustCompile(`\[[^\[\]]*-[a-zA-Z-][^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]`)

// flagsIn are the options that a help text lists, and those that are left out of a draft.
func flagsIn(help string) (flags []Flag, unsafe []string) {
	lines := strings.Split(help, "\n")
	for i, line := range lines {
		m := flagLine.FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m == nil {
			continue
		}
		name := "--" + m[3]
		switch {
		case name == "--help" || name == "--version" || slices.ContainsFunc(flags, func(f Flag) bool { return f.Name == name }):
			continue
		case slices.Contains(argv.Dangerous, name):
			unsafe = append(unsafe, name)
			continue
		}
		about := strings.TrimSpace(m[6])
		if about == "" && i+1 < len(lines) && len(lines[i+1])-len(strings.TrimLeft(lines[i+1], " \t")) > 12 {
			about = strings.TrimSpace(lines[i+1])
		}
		flags = append(flags, Flag{Name: name, Type: typeOf(m[4], m[5]), Help: about})
	}
	return flags, unsafe
}

// typeOf is the type of an option by what its help puts after it: pflag's own words, else a text.
func typeOf(glue, word string) string {
	if strings.HasPrefix(glue, "[") { // a value may be left out: then it is a switch
		return "boolean"
	}
	switch word {
	case "":
		return "boolean"
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "count":
		return "integer"
	case "float", "float32", "float64":
		return "number"
	case "strings", "stringArray", "stringSlice", "ints":
		return "array"
	}
	return "string"
}
