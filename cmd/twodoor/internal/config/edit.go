package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Setting is a key with its value: a text, or settings below it.
type Setting struct {
	Key   string
	Text  string
	Below []Setting // in place of Text
}

// Put writes an entry of a section ("sources", "connections") into the text of a configuration file:
// a new one at the section's end, one of the same name in its place. All other lines stay as they
// are, comments included. A file whose layout it does not understand is an error that shows what to
// write by hand.
func Put(text []byte, section, name string, settings []Setting) ([]byte, error) {
	root, err := parse("", text)
	if err != nil {
		return nil, err
	}
	out, err := put(root, text, section, name, settings)
	if err == nil {
		err = holds(out, root, section, name)
	}
	if err != nil {
		return nil, fmt.Errorf("the layout of the file is unusual (%w): write this yourself\n%s", err, appendSection(nil, section, render(name, settings, 2)))
	}
	return out, nil
}

// PutText writes a key of the top with a text as its value at the end of the file. A file that has the
// key, or whose layout it does not understand, is an error that shows what to write by hand.
func PutText(text []byte, key, value string) ([]byte, error) {
	root, err := parse("", text)
	if err != nil {
		return nil, err
	}
	line := key + ": " + quote(value) + "\n"
	out := slices.Clone(text)
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	out = append(out, line...)
	after, err := parse("", out)
	if old, _ := lookup(root, key); err == nil && old == nil {
		if _, got := lookup(after, key); got != nil && got.Value == value && (root == nil || len(after.Content) == len(root.Content)+2) {
			return out, nil
		}
	}
	return nil, fmt.Errorf("the layout of the file is unusual: write this yourself\n%s", line)
}

// holds checks an edited text: the entry is there, and so is every one that was there before.
func holds(text []byte, before *yaml.Node, section, name string) error {
	root, err := parse("", text)
	if err != nil {
		return err
	}
	_, value := lookup(root, section)
	if key, _ := lookup(value, name); key == nil {
		return fmt.Errorf("%s.%s would not be read back", section, name)
	}
	if _, old := lookup(before, section); old != nil {
		for i := 0; i+1 < len(old.Content); i += 2 {
			if key, _ := lookup(value, old.Content[i].Value); key == nil {
				return fmt.Errorf("%s.%s would be lost", section, old.Content[i].Value)
			}
		}
	}
	return nil
}

func put(root *yaml.Node, text []byte, section, name string, settings []Setting) ([]byte, error) {
	key, value := lookup(root, section)
	switch {
	case root == nil || key == nil && isBlock(root):
		return appendSection(text, section, render(name, settings, 2)), nil
	case key != nil && isNull(value):
		lines := splitLines(text)
		return joinLines(slices.Insert(lines, value.Line, render(name, settings, key.Column+1))), nil
	case key != nil && isBlock(value):
		return putBlock(text, value, name, settings), nil
	}
	return putTree(root, section, name, settings)
}

// Remove takes an entry out of a section. It reports whether there was one.
func Remove(text []byte, section, name string) ([]byte, bool, error) {
	root, err := parse("", text)
	if err != nil {
		return nil, false, err
	}
	_, value := lookup(root, section)
	entry, _ := lookup(value, name)
	if entry == nil {
		return text, false, nil
	}
	if isBlock(value) {
		lines := splitLines(text)
		return joinLines(slices.Delete(lines, entry.Line-1, entryEnd(lines, entry))), true, nil
	}
	i := slices.Index(value.Content, entry)
	value.Content = slices.Delete(value.Content, i, i+2)
	out, err := yaml.Dump(root)
	return out, true, err
}

func putBlock(text []byte, section *yaml.Node, name string, settings []Setting) []byte {
	lines := splitLines(text)
	entry, _ := lookup(section, name)
	written := render(name, settings, section.Content[0].Column-1)
	if entry != nil {
		return joinLines(slices.Replace(lines, entry.Line-1, entryEnd(lines, entry), written))
	}
	last := section.Content[len(section.Content)-2]
	return joinLines(slices.Insert(lines, entryEnd(lines, last), written))
}

// putTree edits the tree and writes it anew: for sections that are written in one line.
func putTree(root *yaml.Node, section, name string, settings []Setting) ([]byte, error) {
	_, value := lookup(root, section)
	if value == nil {
		value = &yaml.Node{Kind: yaml.MappingNode}
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: section}, value)
	}
	if value.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s in line %d is %s, not a mapping", section, value.Line, kindOf(value))
	}
	var entry yaml.Node
	if err := yaml.Unmarshal([]byte(render(name, settings, 0)), &entry); err != nil {
		return nil, err
	}
	pair := entry.Content[0].Content
	if old, _ := lookup(value, name); old != nil {
		i := slices.Index(value.Content, old)
		value.Content[i+1] = pair[1]
	} else {
		value.Content = append(value.Content, pair...)
	}
	return yaml.Dump(root)
}

// entryEnd is the number of lines up to the end of an entry of a block: the lines after its key
// that are indented deeper, without the blank lines and comments that end them.
func entryEnd(lines []string, key *yaml.Node) int {
	end := key.Line
	for i := key.Line; i < len(lines); i++ {
		text := strings.TrimLeft(lines[i], " ")
		if strings.TrimSpace(text) == "" {
			continue
		}
		if len(lines[i])-len(text) < key.Column {
			break
		}
		end = i + 1
	}
	return end
}

func lookup(n *yaml.Node, key string) (k, v *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null" && n.Value == ""
}

func isBlock(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

func appendSection(text []byte, section, entry string) []byte {
	var b bytes.Buffer
	b.Write(text)
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		b.WriteByte('\n')
	}
	if len(bytes.TrimSpace(text)) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s:\n%s", section, entry)
	return b.Bytes()
}

// render writes an entry as a block.
func render(name string, settings []Setting, indent int) string {
	var b strings.Builder
	renderTo(&b, Setting{Key: name, Below: settings}, indent)
	return b.String()
}

func renderTo(b *strings.Builder, s Setting, indent int) {
	fmt.Fprintf(b, "%s%s:", strings.Repeat(" ", indent), quote(s.Key))
	if s.Below == nil {
		fmt.Fprintf(b, " %s\n", quote(s.Text))
		return
	}
	b.WriteByte('\n')
	for _, below := range s.Below {
		renderTo(b, below, indent+2)
	}
}

// oldBools are words that readers of YAML 1.1 take for true or false.
var oldBools = []string{"y", "n", "yes", "no", "on", "off"}

// quote writes a text as a scalar of one line, in quotes only where a reader needs them.
func quote(text string) string {
	var back yaml.Node
	plain := text != "" && !slices.Contains(oldBools, strings.ToLower(text)) && !strings.ContainsAny(text, "\n\r\t\"'{}[]#&*!|>%@`,") && strings.TrimSpace(text) == text
	if plain && yaml.Unmarshal([]byte("k: "+text), &back) == nil {
		if _, v := lookup(back.Content[0], "k"); v != nil && v.Kind == yaml.ScalarNode && v.Tag == "!!str" && v.Value == text {
			return text
		}
	}
	return fmt.Sprintf("%q", text)
}

func splitLines(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }

// joinLines puts lines together; one that lacked its end gets it unless it is the last.
func joinLines(lines []string) []byte {
	var b bytes.Buffer
	for i, line := range lines {
		b.WriteString(line)
		if i < len(lines)-1 && line != "" && !strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
