package openapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// annotationKey is the extension that our annotations stand under (contracts §5).
const annotationKey = "x-twodoor"

// Export is the public cut of the description, overlays included, as one JSON document: operations
// whose export is none are left out, with the tags, schemas and other components that only they use,
// and so are all annotations. A description of several files is an error: it would not be whole.
func (s *Source) Export(ctx context.Context) (json.RawMessage, error) {
	reading, err := s.Read(ctx)
	if err != nil {
		return nil, err
	}
	r, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	hidden := map[string]bool{}
	for i := range reading.Operations {
		if op := &reading.Operations[i]; op.Export == twodoor.ExportNone {
			hidden[op.Origin] = true
		}
	}
	root := r.document.Root.Clone()
	if other := elsewhere(root, false); other != nil {
		at := r.document.Shown
		return nil, &twodoor.Error{
			Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s refers to %s: what is exported must be one document", at, other.Str()),
			Hint: "join the files first, with redocly bundle or a tool like it",
		}
	}
	c := &cut{root: root, hidden: hidden, gone: map[string]bool{}, tags: map[string]bool{}}
	c.paths()
	strip(root, false)
	c.tagsOf()
	c.components()
	return rawjson.Indent(nil, root.JSON(), "  "), ctx.Err()
}

// cut takes out of a document what is not for the public.
type cut struct {
	root   *rawjson.Node
	hidden map[string]bool // "GET /x"
	gone   map[string]bool // operationIds of what was taken out
	tags   map[string]bool // of what was taken out
}

// paths takes the hidden operations out, and the paths that have none left.
func (c *cut) paths() {
	paths := c.root.Get("paths")
	var empty []string
	for path, item := range paths.Members() {
		if strings.HasPrefix(path, "x-") {
			continue
		}
		item = c.own(paths, path, item)
		taken, left := 0, 0
		for _, method := range methods {
			op := item.Get(method)
			switch {
			case op == nil:
			case c.hidden[strings.ToUpper(method)+" "+path]:
				c.take(item, method, op)
				taken++
			default:
				left++
			}
		}
		if taken > 0 && left == 0 {
			empty = append(empty, path)
		}
	}
	for _, path := range empty {
		paths.Remove(path)
	}
}

// own is a path item that can be changed: one that is a reference becomes what it refers to, where an
// operation is to be taken out of it.
func (c *cut) own(paths *rawjson.Node, path string, item *rawjson.Node) *rawjson.Node {
	ref := item.Get("$ref").Str()
	if !slices.ContainsFunc(methods, func(method string) bool { return c.hidden[strings.ToUpper(method)+" "+path] }) || ref == "" {
		return item
	}
	target, err := c.root.At(ref)
	if err != nil || target == nil {
		return item
	}
	item = target.Clone()
	paths.Put(path, item)
	return item
}

func (c *cut) take(item *rawjson.Node, method string, op *rawjson.Node) {
	if id := op.Get("operationId").Str(); id != "" {
		c.gone[id] = true
	}
	for _, tag := range op.Get("tags").Strings() {
		c.tags[tag] = true
	}
	item.Remove(method)
}

// named are the members whose own members have names that somebody chose: "default" is none of the
// keywords there, but a response or a property.
var named = []string{
	"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "responses", "parameters", "schemas", "headers",
	"requestBodies", "securitySchemes", "links", "callbacks", "paths", "pathItems", "variables", "content", "encoding",
}

// isData reports whether a member holds data, and no part of the description.
func isData(key string) bool {
	return key == "example" || key == "examples" || key == "default" || key == "enum" || key == "const"
}

// strip takes annotations out, wherever they stand. What examples and defaults hold is data. chosen:
// the members of the node have names that somebody chose.
func strip(n *rawjson.Node, chosen bool) {
	if !chosen {
		n.Remove(annotationKey)
	}
	for key, value := range n.Members() {
		if chosen || !isData(key) {
			strip(value, !chosen && slices.Contains(named, key))
		}
	}
	for element := range n.Elements() {
		strip(element, false)
	}
}

// tagsOf takes out the tags that only hidden operations had.
func (c *cut) tagsOf() {
	for _, item := range c.root.Get("paths").Members() {
		for _, method := range methods {
			for _, tag := range item.Get(method).Get("tags").Strings() {
				delete(c.tags, tag)
			}
		}
	}
	list := c.root.Get("tags")
	if !list.Is(rawjson.KindArray) || len(c.tags) == 0 {
		return
	}
	left := &rawjson.Node{Kind: rawjson.KindArray}
	for tag := range list.Elements() {
		if !c.tags[tag.Get("name").Str()] {
			left.Items = append(left.Items, tag)
		}
	}
	c.root.Put("tags", left)
}

// containers are where a document keeps what is referred to: components of OpenAPI 3, and the lists of
// Swagger 2.0.
func (c *cut) containers() map[string]*rawjson.Node {
	all := map[string]*rawjson.Node{}
	for kind, list := range c.root.Get("components").Members() {
		all["#/components/"+kind] = list
	}
	for _, kind := range []string{"definitions", "parameters", "responses", "securityDefinitions"} {
		if list := c.root.Get(kind); list.Is(rawjson.KindObject) {
			all["#/"+kind] = list
		}
	}
	return all
}

// components takes out what nothing refers to any more, where anything was taken out at all.
func (c *cut) components() {
	if len(c.hidden) == 0 {
		return
	}
	containers := c.containers()
	used, queue := map[string]bool{}, []*rawjson.Node{}
	use := func(ref string) {
		for place, list := range containers {
			name, below := strings.CutPrefix(ref, place+"/")
			name, _, _ = strings.Cut(name, "/")
			if name = keyOf(list, name); !below || name == "" || used[place+"/"+name] {
				continue
			}
			used[place+"/"+name] = true
			queue = append(queue, list.Get(name))
		}
	}
	for key, part := range c.root.Members() {
		if key != "components" && containers["#/"+key] == nil {
			queue = append(queue, part)
		}
	}
	c.schemes(c.root, use)
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		c.follow(next, use)
	}
	for place, list := range containers {
		var unused []string
		for name := range list.Members() {
			if !used[place+"/"+name] && !strings.HasPrefix(name, "x-") {
				unused = append(unused, name)
			}
		}
		for _, name := range unused {
			list.Remove(name)
		}
	}
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// keyOf is the member that a step of a pointer means; empty: there is none.
func keyOf(list *rawjson.Node, step string) string {
	plain := unescapePointer.Replace(step)
	if list.Get(plain) != nil {
		return plain
	}
	if decoded, err := url.PathUnescape(plain); err == nil && list.Get(unescapePointer.Replace(decoded)) != nil {
		return unescapePointer.Replace(decoded)
	}
	return ""
}

// follow uses everything that a part refers to, and takes out links to operations that are gone.
func (c *cut) follow(n *rawjson.Node, use func(ref string)) {
	c.schemes(n, use)
	var dead []string
	for key, value := range n.Members() {
		switch {
		case key == "$ref" && value.Is(rawjson.KindString):
			use(value.Str())
		case key == "mapping" && value.Is(rawjson.KindObject):
			for _, target := range value.Members() {
				use(target.Str())
				use("#/components/schemas/" + target.Str())
			}
		case value.Is(rawjson.KindObject) && c.gone[value.Get("operationId").Str()] && value.Get("responses") == nil:
			dead = append(dead, key)
			continue
		}
		c.follow(value, use)
	}
	for _, key := range dead {
		n.Remove(key)
	}
	for element := range n.Elements() {
		c.follow(element, use)
	}
}

// schemes uses the security schemes that a part asks for.
func (c *cut) schemes(n *rawjson.Node, use func(ref string)) {
	for requirement := range n.Get("security").Elements() {
		for name := range requirement.Members() {
			use("#/components/securitySchemes/" + escapePointer.Replace(name))
			use("#/securityDefinitions/" + escapePointer.Replace(name))
		}
	}
}

// elsewhere is the first reference to another file, or nil.
func elsewhere(n *rawjson.Node, chosen bool) *rawjson.Node {
	for key, value := range n.Members() {
		if key == "$ref" && value.Is(rawjson.KindString) && !strings.HasPrefix(value.Str(), "#") {
			return value
		}
		if !chosen && isData(key) {
			continue
		}
		if found := elsewhere(value, !chosen && slices.Contains(named, key)); found != nil {
			return found
		}
	}
	for element := range n.Elements() {
		if found := elsewhere(element, false); found != nil {
			return found
		}
	}
	return nil
}
