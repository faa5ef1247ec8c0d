package clients

import (
	"regexp"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// reference is what clients put values in place of: ${NAME}, ${kind:name}, {env:NAME}.
var reference = regexp.MustCompile(`\$?\{[^{}$]*\}`)

var (
	bareName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	wholeName = regexp.MustCompile(`^\$([A-Z_][A-Z0-9_]*)$`)
)

// eachString replaces every string of a tree, but not the keys.
func eachString(n *rawjson.Node, edit func(string) string) {
	if n.Is(rawjson.KindString) {
		old := n.Str()
		if text := edit(old); text != old {
			n.Text = rawjson.Quote(text)
		}
		return
	}
	for _, member := range n.Members() {
		eachString(member, edit)
	}
	for element := range n.Elements() {
		eachString(element, edit)
	}
}

// ours writes the references of an entry as twodoor reads them. Notes say what became of those that
// it does not have.
func (p Place) ours(entry *rawjson.Node, folder string) (notes []string) {
	note := func(text string) {
		if !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	eachString(entry, func(text string) string {
		if m := wholeName.FindStringSubmatch(text); m != nil {
			return "${env:" + m[1] + "}"
		}
		return reference.ReplaceAllStringFunc(text, func(ref string) string { return p.ourReference(ref, folder, note) })
	})
	return notes
}

func (p Place) ourReference(ref, folder string, note func(string)) string {
	inner := strings.Trim(ref, "${}")
	if !strings.HasPrefix(ref, "$") { // OpenCode
		if name, ok := strings.CutPrefix(inner, "env:"); ok && bareName.MatchString(name) {
			return "${env:" + name + "}"
		}
		return ref
	}
	name, otherwise, hasDefault := strings.Cut(inner, ":-")
	switch {
	case hasDefault && bareName.MatchString(name):
		if _, set := p.LookupEnv(name); !set {
			note("${" + inner + "} became its default: " + name + " is not set")
			return otherwise
		}
		return "${env:" + name + "}"
	case inner == "workspaceFolder" && folder != "":
		return folder
	case inner == "userHome" && p.Home() != "":
		return p.Home()
	case inner == "pathSeparator" || inner == "/":
		return "/"
	case inner == "workspaceFolder":
		note("${workspaceFolder} is the folder of a project, and this file is of none: write the folder")
		return ref
	case bareName.MatchString(inner):
		return "${env:" + inner + "}"
	}
	if id, ok := strings.CutPrefix(inner, "input:"); ok {
		note("set " + variable(id) + ", which its client asks for as " + id)
		return "${env:" + variable(id) + "}"
	}
	return ref
}
