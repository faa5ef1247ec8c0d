package cards

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/typing"
)

// card writes what of a group stands in one fence.
type card struct {
	set      *Set
	group    *group
	language string
	seen     map[string]string // shape of an answer → the verb at which it was told
}

// text is a fence of a card: its commands, and the table of usual mistakes.
func (c *card) text(commands []*guide.Command, others []string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%sCommands: `%s %s <verb>`.\n", c.about(), c.set.Tree.Program, strings.Join(c.group.words, " "))
	if len(others) > 0 {
		out.WriteString("\nThe other verbs of this group:\n" + strings.Join(others, "\n") + "\n")
	}
	for _, command := range commands {
		out.WriteString(c.command(command))
	}
	out.WriteString(c.mistakes(commands))
	return out.String()
}

func (c *card) about() string {
	about := c.set.Groups[c.group.id]
	if l := c.set.language(c.language); l != nil && l.Groups[c.group.id] != "" {
		about = l.Groups[c.group.id]
	}
	if about = sentence(about, 200); about == "" {
		return ""
	}
	return about + " "
}

// translated is the command in the language of the card: what is not translated stays.
func (c *card) translated(command *guide.Command) *guide.Command {
	l := c.set.language(c.language)
	if l == nil {
		return command
	}
	words, t := l.Words[command.ID], *command
	if words.Title != "" {
		t.Title, t.Description = words.Title, words.Description
	}
	if command.Answer != nil {
		answer := *command.Answer
		answer.Meaning, answer.Empty = cmp.Or(words.Meaning, answer.Meaning), cmp.Or(words.Empty, answer.Empty)
		t.Answer = &answer
	}
	t.Inputs = slices.Clone(command.Inputs)
	for i := range t.Inputs {
		in := &t.Inputs[i]
		in.Description = cmp.Or(words.Inputs[cmp.Or(in.Path, in.Name)], in.Description)
	}
	return &t
}

// command is the section of one command.
func (c *card) command(command *guide.Command) string {
	var out strings.Builder
	t := c.translated(command)
	fmt.Fprintf(&out, "\n### %s%s\n", strings.TrimSpace(c.group.verb(command)+" "+operands(command)), mark(command))
	if about := c.told(t); about != "" {
		out.WriteString(about + "\n")
	}
	if command.Deprecated != "" {
		out.WriteString("Deprecated: " + sentence(command.Deprecated, 160) + "\n")
	}
	out.WriteString(c.inputs(t))
	for _, text := range command.Combinations {
		out.WriteString("- " + text + "\n")
	}
	out.WriteString(c.answer(t))
	if read := c.set.own("guides read"); len(command.Guides) > 0 && read != "" {
		fmt.Fprintf(&out, "Guide: `%s %s`\n", read, strings.Join(command.Guides, " "))
	}
	out.WriteString(c.set.example(command))
	return out.String()
}

// told is what a command does: its title, and one sentence more where that says more.
func (c *card) told(t *guide.Command) string {
	title := sentence(t.Title, 160)
	about := sentence(t.Description, 200)
	if about == "" || strings.HasPrefix(strings.ToLower(about), strings.ToLower(strings.TrimSuffix(title, "."))) {
		return cmp.Or(about, title)
	}
	if title == "" {
		return about
	}
	return strings.TrimSuffix(title, ".") + ". " + about
}

func operands(command *guide.Command) string {
	_, after, ok := strings.Cut(command.Usage, command.Command+" ")
	if !ok {
		return ""
	}
	return strings.TrimSpace(strings.TrimSuffix(after, "[flags]"))
}

func mark(command *guide.Command) string {
	text := ""
	switch command.Effect {
	case twodoor.Writes:
		text = " · writes"
	case twodoor.Destroys:
		text = " · destroys, needs --yes"
	}
	if command.Permission != "" {
		text += " · permission " + command.Permission
	}
	return text
}

// inputs lists every input of a command.
func (c *card) inputs(command *guide.Command) string {
	var out strings.Builder
	for i := range command.Inputs {
		in := &command.Inputs[i]
		out.WriteString("- " + nameOf(in) + " " + typeOf(in) + marks(in))
		if text := sentence(in.Description, 100); text != "" {
			out.WriteString(": " + text)
		}
		out.WriteString("\n")
	}
	return out.String()
}

func nameOf(in *guide.Input) string {
	switch {
	case in.Flag != "" && in.Position != "":
		return in.Position + " or " + in.Flag
	case in.Flag != "":
		return in.Flag
	}
	return cmp.Or(in.Path, in.Name) + " (--data, --set)"
}

// typeOf is the type of an input, with the fields of an object.
func typeOf(in *guide.Input) string {
	kind := in.Type
	if len(in.Enum) > 0 && !strings.Contains(kind, "|") {
		kind += " of " + strings.Join(in.Enum[:min(len(in.Enum), 15)], "|")
	}
	if len(in.Fields) == 0 {
		return kind
	}
	return kind + " " + fields(in.Fields, 1)
}

func fields(list []guide.Input, depth int) string {
	const most = 12
	var parts []string
	for i := range list {
		if i == most {
			parts = append(parts, fmt.Sprintf("… %d more", len(list)-most))
			break
		}
		f := &list[i]
		text := f.Name
		if f.Required {
			text += "*"
		}
		text += ": " + f.Type
		if len(f.Fields) > 0 && depth < 2 {
			text += " " + fields(f.Fields, depth+1)
		}
		parts = append(parts, text)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func marks(in *guide.Input) string {
	var list []string
	if in.Required {
		list = append(list, "required")
	}
	if len(in.Default) > 0 && len(in.Default) < 60 {
		list = append(list, "default "+string(in.Default))
	}
	if in.Bounds != "" {
		list = append(list, in.Bounds)
	}
	if len(list) == 0 {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// answer is the shape of what a command answers; a shape that was told is told by its verb.
func (c *card) answer(command *guide.Command) string {
	a := command.Answer
	if a == nil {
		return ""
	}
	text := ""
	if a.Shape != "" {
		text = "Answer: "
		if a.Root != "" && a.Root != "." {
			text += "records at jq `" + a.Root + "`, "
		}
		if verb, told := c.seen[a.Shape]; told && len(a.Shape) > 60 {
			text += "as of " + verb
		} else {
			c.seen[a.Shape] = c.group.verb(command)
			text += clip(a.Shape, 320)
		}
		text += "\n"
	}
	if a.Meaning != "" {
		text += "Read it so: " + sentence(a.Meaning, 300) + "\n"
	}
	if a.Empty != "" {
		text += "Empty: " + sentence(a.Empty, 300) + "\n"
	}
	return text
}

// clip cuts a text between words.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := strings.LastIndexAny(text[:most], ", ")
	if cut < most/2 {
		cut = most
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
	}
	return strings.TrimRight(text[:cut], ", ") + " …"
}

var (
	htmlTag   = regexp.MustCompile(`</?[a-zA-Z][^>\n]*>`)
	linkMark  = regexp.MustCompile(`\[([^\]\n]*)\]\([^)\n]*\)`)
	textMarks = strings.NewReplacer("`", "", "**", "", "\r", "", "|", "/")
)

// sentence is the first sentence of a text, as one line of plain words, at most so many bytes.
func sentence(text string, most int) string {
	text = linkMark.ReplaceAllString(htmlTag.ReplaceAllString(text[:min(len(text), 4000)], ""), "$1")
	if at := strings.Index(text, "\n\n"); at > 0 {
		text = text[:at]
	}
	text = strings.Join(strings.Fields(textMarks.Replace(strings.ToValidUTF8(text, ""))), " ")
	for i, r := range text {
		if r == '。' {
			text = text[:i]
			break
		}
		if r == '.' && i > 12 && i+1 < len(text) && text[i+1] == ' ' && !abbreviation(text[:i]) {
			text = text[:i+1]
			break
		}
	}
	return clip(strings.TrimLeft(text, "#>-* "), most)
}

func abbreviation(before string) bool {
	word := before[strings.LastIndexByte(before, ' ')+1:]
	return strings.Contains(word, ".") || word == "e" || word == "vs" || word == "etc" || word == "cf" || word == "No"
}

// example is a call that fits, as a block: the line of the command, or a heredoc where the line would
// hold JSON. Nothing where none is right.
func (s *Set) example(command *guide.Command) string {
	if text, known := s.shown[command.ID]; known {
		return text
	}
	const most = 250
	text := ""
	for _, candidate := range s.candidates(command) {
		if rawjson.Weigh([]byte(candidate)) > most {
			continue
		}
		block := "```sh\n" + candidate + "\n```\n"
		if s.Fits == nil || s.Fits(block) {
			text = block
			break
		}
	}
	s.shown[command.ID] = text
	return text
}

// candidates are the ways to write a command's example, the best one first.
func (s *Set) candidates(command *guide.Command) []string {
	var list []string
	line := strings.TrimSpace(command.Example)
	hasJSON := strings.Contains(line, ":={") || strings.Contains(line, ":=[") || strings.Contains(line, "'[{") || strings.Contains(line, "'{")
	if line != "" && !hasJSON && len(line) <= 300 && !strings.Contains(line, "\n") {
		list = append(list, line)
	}
	if s.Catalog != nil {
		for _, body := range s.bodies(command.ID) {
			list = append(list, command.Command+" --data - <<'EOF'\n"+strings.TrimSpace(string(rawjson.Indent(nil, body, "  ")))+"\nEOF")
		}
	}
	if line != "" && len(list) == 0 && !hasJSON {
		list = append(list, line)
	}
	return list
}

// synonyms are words that agents write for verbs.
var synonyms = [][2]string{
	{"list", "ls all index search query find"}, {"get", "show info detail view read describe fetch"}, {"info", "get show detail view"},
	{"search", "find query lookup"}, {"create", "add new open make"}, {"update", "edit modify set change patch"},
	{"delete", "remove rm del destroy"}, {"remove", "delete rm"}, {"ack", "acknowledge take"}, {"close", "resolve finish end"},
	{"start", "run launch trigger enable"}, {"stop", "halt pause disable kill"}, {"enable", "activate on"}, {"disable", "deactivate off"},
	{"cancel", "abort stop"}, {"retry", "rerun redo"}, {"merge", "join combine"}, {"upsert", "save put"},
}

// IsPlain reports whether a word is one that agents write for any kind of thing: "add", "show".
func IsPlain(word string) bool {
	return slices.ContainsFunc(synonyms, func(s [2]string) bool { return s[0] == word || slices.Contains(strings.Fields(s[1]), word) })
}

// mistakes is the table of words that an agent would guess and the right command for them.
func (c *card) mistakes(commands []*guide.Command) string {
	taken := map[string]bool{}
	for _, command := range c.group.commands {
		taken[c.group.verb(command)] = true
	}
	const most = 16
	var rows []string
	add := func(command *guide.Command, guesses []string) {
		var fresh []string
		for _, guess := range guesses {
			if guess = strings.TrimSpace(guess); guess != "" && !taken[guess] {
				taken[guess] = true
				fresh = append(fresh, guess)
			}
		}
		if len(fresh) > 0 && len(rows) < most {
			rows = append(rows, "| "+strings.Join(fresh[:min(len(fresh), 5)], ", ")+" | "+c.group.verb(command)+" |")
		}
	}
	for _, command := range commands {
		add(command, c.set.Guesses[command.ID])
	}
	for _, command := range commands {
		add(command, guesses(c.group.verb(command)))
	}
	if len(rows) == 0 {
		return ""
	}
	return "\n| you may think of | the verb is |\n|---|---|\n" + strings.Join(rows, "\n") + "\n"
}

// guesses are other ways to write a verb.
func guesses(verb string) []string {
	words := strings.Split(verb, "-")
	var list []string
	for _, s := range synonyms {
		at := slices.Index(words, s[0])
		if at != 0 && at != len(words)-1 {
			continue
		}
		for other := range strings.FieldsSeq(s[1]) {
			changed := slices.Clone(words)
			changed[at] = other
			list = append(list, strings.Join(changed, "-"))
		}
	}
	if len(words) == 2 && len(list) > 2 {
		list = append([]string{words[1] + "-" + words[0]}, list[:2]...)
	}
	if len(words) > 2 {
		list = list[:min(len(list), 2)]
	}
	return list
}

// own is the line of one of the program's own commands, which a brand that uses its word has under self;
// empty: it has none.
func (s *Set) own(words string) string {
	for _, words := range []string{words, "self " + words} {
		if s.owned[words] {
			return s.Tree.Program + " " + words
		}
	}
	return ""
}

// bodies are examples of an operation as JSON, whole: the description's own, then the least that fits.
func (s *Set) bodies(id string) []json.RawMessage {
	op, _, err := s.Catalog.Find(id)
	if err != nil || op == nil {
		return nil
	}
	var list []json.RawMessage
	for _, e := range op.Examples {
		if rawjson.Len(e.Arguments) > 0 {
			list = append(list, e.Arguments)
		}
	}
	if least := typing.Example(op, typing.InputOf(op)); rawjson.Len(least) > 0 {
		list = append(list, least)
	}
	return list
}
