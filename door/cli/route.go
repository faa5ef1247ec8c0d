package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/args"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// target is what the words of a command line lead to: an operation, or a level above operations.
type target struct {
	op    *twodoor.Operation
	name  string   // what the operation is called by: its id, or an old name
	id    string   // how far the words led: "", "harbor", "harbor.incident"
	words []string // the words as typed
	rest  []string // what is left for the operation: the flags met on the way and all that follows
}

// route follows the words of a line through the catalog. It decodes no operation but the one it
// ends at. The error is that of a word which leads nowhere.
func (d *Door) route(argv []string) (target, error) {
	to := target{id: d.Brand}
	for i := 0; i < len(argv); i++ {
		arg := argv[i]
		if args.IsFlag(arg) {
			if arg == "--" {
				to.rest = append(to.rest, argv[i:]...)
				break
			}
			_, _, used := args.Leading(argv[i:])
			to.rest = append(to.rest, argv[i:i+used]...)
			i += used - 1
			continue
		}
		next, leaf, err := d.step(to.id, arg)
		switch {
		case err != nil:
			return to, err
		case next == "" && d.isLeaf(to.id):
			return d.arrive(to, to.id, argv[i:])
		case next == "":
			to.words = append(to.words, argv[i:]...)
			return to, errAstray
		}
		to.words = append(to.words, arg)
		if leaf {
			return d.arrive(to, next, argv[i+1:])
		}
		to.id = next
	}
	if d.isLeaf(to.id) {
		return d.arrive(to, to.id, nil)
	}
	return to, nil
}

// errAstray ends a route at a word that leads nowhere; astray tells it.
var errAstray = &twodoor.Error{Code: twodoor.CodeUnknown, Message: "there is no such command"}

// step goes one word down from an id: to a level below it, or to a leaf. Empty: the word leads nowhere.
func (d *Door) step(id, word string) (next string, leaf bool, err error) {
	for _, word := range spellings(word) {
		for _, next := range d.below(id, word) {
			if d.isLevel(next) {
				return next, false, nil
			}
			if d.isLeaf(next) {
				return next, true, nil
			}
		}
		for _, name := range d.below(id, word) {
			op, _, err := d.Engine.Catalog().Find(name)
			if err != nil || op != nil {
				return name, true, err
			}
		}
	}
	return "", false, nil
}

// spellings of a word: as it is typed, as ids are written, and as tools of MCP servers are.
func spellings(word string) []string {
	all := []string{word}
	if legal := strings.ReplaceAll(strings.ToLower(word), "_", "-"); legal != word {
		all = append(all, legal)
	}
	if tool := strings.ReplaceAll(word, "-", "_"); tool != word {
		all = append(all, tool)
	}
	return all
}

// below lists the ids that a word may mean. The program's own operations and whole ids are typed at
// the root.
func (d *Door) below(id, word string) []string {
	switch {
	case id == "":
		return []string{word, twodoor.OwnSource + "." + word}
	case id == d.Brand:
		return []string{id + "." + word, twodoor.OwnSource + "." + word, word}
	}
	return []string{id + "." + word}
}

func (d *Door) isLevel(id string) bool {
	for range d.Engine.Catalog().Below(id + ".") {
		return true
	}
	return false
}

func (d *Door) isLeaf(id string) bool {
	if id == "" {
		return false
	}
	for _, entry := range d.Engine.Catalog().Below(id) {
		return entry.ID == id
	}
	return false
}

func (d *Door) arrive(to target, name string, rest []string) (target, error) {
	op, alias, err := d.Engine.Catalog().Find(name)
	switch {
	case err != nil:
		return to, err
	case op == nil:
		return to, errAstray
	case !alias:
		name = op.ID
	}
	to.op, to.name, to.rest = op, name, append(to.rest, rest...)
	return to, nil
}

// shows reports whether the profile of the run lists an operation here. Twodoor's own are commands of
// another name already: they are carried out, and not listed.
func (r *run) shows(entry twodoor.Entry) bool {
	return !strings.HasPrefix(entry.ID, twodoor.OwnSource+".") && r.takes(entry)
}

// takes reports whether an operation can be called here.
func (r *run) takes(entry twodoor.Entry) bool {
	profile := r.door.Engine.Profile(r.profile())
	return profile != nil && profile.Shows(entry, r.door.Principal, twodoor.DoorCLI)
}

func (r *run) profile() string {
	if r.opts.profile != "" {
		return r.opts.profile
	}
	return r.door.Profile
}

// astray tells that the words lead nowhere, with the nearest commands and what a search for the
// words finds. A line that asks for help gets that of the level it reached, or of the verbs that
// begin with its last word.
func (r *run) astray(ctx context.Context, to target, err error) error {
	if !errors.Is(err, errAstray) {
		return err
	}
	words, flags := apart(to.words)
	_ = r.takeOptions(append(flags, to.rest...)) // of a command that is not there nobody knows the flags
	if r.opts.help {
		if done, err := r.helpOfWord(to, words); done {
			return err
		}
	}
	typed := strings.Join(words, " ")
	fault := &twodoor.Error{
		Code:    twodoor.CodeUnknown,
		Message: fmt.Sprintf("there is no command %q", r.door.name()+" "+typed),
		Hint:    fmt.Sprintf("list what there is with: %s --help", strings.Join(append([]string{r.door.name()}, r.door.wordsOf(to.id)...), " ")),
	}
	fault.Try = r.nearestCommands(to, words)
	if r.door.Find != nil {
		for _, id := range r.door.Find(ctx, typed, 3) {
			fault.Try = appendNew(fault.Try, r.door.command(id))
		}
	}
	return fault
}

// nearestCommands lists at most three commands near to the typed words: of the level where they
// went astray first, then whole operations.
func (r *run) nearestCommands(to target, words []string) []string {
	var try []string
	level := r.levelNames(to.id)
	if at := len(r.door.wordsOf(to.id)); at < len(words) {
		for _, name := range rawjson.Nearest(level, words[at], 2) {
			try = append(try, strings.Join(append([]string{r.door.name()}, append(r.door.wordsOf(to.id), name)...), " "))
		}
	}
	id := strings.Join(words, ".")
	if r.door.Brand != "" {
		id = r.door.Brand + "." + id
	}
	for _, near := range r.door.Engine.Catalog().Nearest(id, 3, r.shows) {
		if len(try) < 3 {
			try = appendNew(try, r.door.command(near))
		}
	}
	return try
}

// levelNames lists the words that may follow at a level.
func (r *run) levelNames(id string) []string {
	var names []string
	if id == r.door.Brand {
		for _, c := range r.door.ownCommands() {
			if !c.Hidden {
				names = append(names, c.Name)
			}
		}
	}
	return append(names, r.children(id)...)
}

// children lists the words that follow an id in the catalog, as far as they are shown.
func (r *run) children(id string) []string {
	var names []string
	prefix := id
	if id != "" {
		prefix += "."
	}
	for _, entry := range r.door.Engine.Catalog().Below(prefix) {
		word, _, _ := strings.Cut(entry.ID[len(prefix):], ".")
		if (len(names) == 0 || names[len(names)-1] != word) && r.shows(entry) {
			names = append(names, word)
		}
	}
	return names
}

// apart splits a line into its words and its flags.
func apart(argv []string) (words, flags []string) {
	for i := 0; i < len(argv); i++ {
		if !args.IsFlag(argv[i]) {
			words = append(words, argv[i])
			continue
		}
		_, _, used := args.Leading(argv[i:])
		flags = append(flags, argv[i:i+used]...)
		i += used - 1
	}
	return words, flags
}

// wordsOf are the words that an id is typed as, after the program's name.
func (d *Door) wordsOf(id string) []string {
	if id == "" || id == d.Brand {
		return nil
	}
	words := twodoor.Spell(id, "").CLI
	if d.Brand != "" && words[0] == d.Brand {
		words = words[1:]
	}
	return words
}

// command is the command line of an operation's id, or of what is a command line already.
func (d *Door) command(id string) string {
	if strings.ContainsRune(id, ' ') {
		return id
	}
	return strings.Join(append([]string{d.name()}, d.wordsOf(id)...), " ")
}

func appendNew(list []string, item string) []string {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}
