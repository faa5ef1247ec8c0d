package openapi

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/source/openapi/naming"
)

// positional lists the inputs that a command line takes by position: those of the path in its
// order, else the one id, or list of ids, that the body requires (contracts §2).
func (c *compiler) positional() []string {
	if c.said.Positional != nil {
		return c.listed(c.said.Positional)
	}
	var marked []string
	for _, arg := range c.args.list {
		if arg.note.positional {
			marked = append(marked, arg.name)
		}
	}
	if marked != nil {
		return marked
	}
	var path []string
	for _, name := range pathNames(c.plan.Path) {
		for _, arg := range c.args.list {
			if arg.in == "path" && arg.wire == name {
				path = append(path, arg.name)
			}
		}
	}
	if path != nil || c.creates() {
		return path
	}
	return c.soleID()
}

// creates reports whether the operation makes something new, whose body holds ids of other things.
func (c *compiler) creates() bool {
	last := c.plan.Path[strings.LastIndexByte(c.plan.Path, '/')+1:]
	return strings.HasPrefix(c.verb, "create") || slices.Contains(naming.Words(last), "create")
}

// listed are the inputs of these names.
func (c *compiler) listed(names []string) (list []string) {
	for _, name := range names {
		if arg := c.args.find(name); arg != nil {
			list = append(list, arg.name)
		} else {
			c.Note("%s: x-twodoor.positional names %q, which is no input", c.at(), name)
		}
	}
	return list
}

// soleID is the required list of ids of the body, if there is one, else its required id.
func (c *compiler) soleID() []string {
	var ones, lists []string
	for _, arg := range c.args.list {
		if arg.in != "body" || !arg.required {
			continue
		}
		one, many := isID(arg.wire)
		switch kind := kindIn(arg.schema); {
		case many && kind == "array":
			lists = append(lists, arg.name)
		case one && (kind == "string" || kind == "integer"):
			ones = append(ones, arg.name)
		}
	}
	switch {
	case len(lists) == 1:
		return lists
	case len(lists) == 0 && len(ones) == 1:
		return ones
	}
	return nil
}

// isID reports whether a name is that of an id, or of a list of ids.
func isID(name string) (one, many bool) {
	words := naming.Words(name)
	if len(words) == 0 {
		return false, false
	}
	last := words[len(words)-1]
	return last == "id" || last == "uid", last == "ids" || slices.Equal(words[max(0, len(words)-2):], []string{"i", "ds"})
}
