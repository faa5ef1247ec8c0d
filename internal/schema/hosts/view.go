package hosts

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// view is what a part comes to behind references, lists and maps.
type view struct {
	outer    *rawjson.Node // as it stands
	text     string        // its description, or of what it refers to
	wraps    string        // lists [ and maps { from outside to inside
	inner    *rawjson.Node
	fields   []field         // of an object
	branches []*rawjson.Node // of a choice that has objects in it
}

type field struct {
	name     string
	node     *rawjson.Node
	required bool
}

// isDeep tells a part that has parts.
func (v *view) isDeep() bool { return len(v.fields) > 0 || len(v.branches) > 0 }

func (d *drawer) see(n *rawjson.Node) view {
	v := view{outer: n, inner: n, text: n.Get("description").Str()}
	for range maxWrapped {
		v.inner = d.follow(v.inner)
		if v.text == "" {
			v.text = v.inner.Get("description").Str()
		}
		if v.fields = d.fieldsOf(v.inner, 0); len(v.fields) > 0 {
			return v
		}
		kind, items, values := v.inner.Get("type").Str(), v.inner.Get("items"), v.inner.Get("additionalProperties")
		switch {
		case kind == "array" && items.Is(rawjson.KindObject) && v.inner.Get("prefixItems") == nil:
			v.wraps, v.inner = v.wraps+"[", items
		case kind == "object" && values.Is(rawjson.KindObject) && v.inner.Get("patternProperties") == nil:
			v.wraps, v.inner = v.wraps+"{", values
		default:
			v.branches = d.branchesOf(v.inner)
			return v
		}
	}
	return v
}

// follow goes through references, and choices and sums of one.
func (d *drawer) follow(n *rawjson.Node) *rawjson.Node {
	for range maxWrapped {
		next := n
		if name, ok := strings.CutPrefix(n.Get("$ref").Str(), "#/$defs/"); ok {
			next = d.root.Path("$defs", name)
		}
		for _, keyword := range []string{"anyOf", "allOf"} {
			if n.Get("type") == nil && n.Get("properties") == nil && n.Get(keyword).Len() == 1 {
				next = n.Get(keyword).Items[0]
			}
		}
		if next == n || next == nil {
			return n
		}
		n = next
	}
	return n
}

// fieldsOf lists the properties of an object and of its allOf.
func (d *drawer) fieldsOf(n *rawjson.Node, depth int) []field {
	if depth > maxLevels {
		return nil
	}
	var list []field
	required := n.Get("required").Strings()
	for name, part := range n.Get("properties").Members() {
		list = append(list, field{name, part, slices.Contains(required, name)})
	}
	for part := range n.Get("allOf").Elements() {
		for _, f := range d.fieldsOf(d.follow(part), depth+1) {
			f.required = f.required || slices.Contains(required, f.name)
			at := slices.IndexFunc(list, func(known field) bool { return known.name == f.name })
			if at < 0 {
				list = append(list, f)
			} else {
				list[at].required = list[at].required || f.required
			}
		}
	}
	return list
}

// statesObject tells a schema that takes objects only.
func (d *drawer) statesObject(n *rawjson.Node) bool {
	return n.Get("type").Str() == "object" || slices.ContainsFunc(itemsOf(n.Get("allOf")), func(part *rawjson.Node) bool { return d.follow(part).Get("type").Str() == "object" })
}

// branchesOf lists the branches of a choice, if there are objects among them.
func (d *drawer) branchesOf(n *rawjson.Node) []*rawjson.Node {
	branches := n.Get("anyOf")
	for branch := range branches.Elements() {
		inner := d.follow(branch)
		for range maxLevels {
			if items := inner.Get("items"); items.Is(rawjson.KindObject) {
				inner = d.follow(items)
			}
		}
		if len(d.fieldsOf(inner, 0)) > 0 || inner.Get("anyOf").Len() > 1 {
			return branches.Items
		}
	}
	return nil
}

// bare is a part of which only the type is said.
func (v *view) bare() *rawjson.Node {
	out := v.wrap(v.innermost())
	if header := v.outer.Get("x-mcp-header"); header != nil {
		out.Put("x-mcp-header", header)
	}
	return out
}

func (v *view) innermost() *rawjson.Node {
	out := newObject(v.inner)
	kind := v.inner.Get("type")
	if kind.Is(rawjson.KindString) {
		out.Put("type", kind)
		if kind.Str() == "array" {
			out.Put("items", newObject(v.inner))
		}
	}
	return out
}

// wrap puts the lists and maps around what is inside.
func (v *view) wrap(inner *rawjson.Node) *rawjson.Node {
	for i := len(v.wraps) - 1; i >= 0; i-- {
		kind, key := "array", "items"
		if v.wraps[i] == '{' {
			kind, key = "object", "additionalProperties"
		}
		out := newObject(inner)
		out.Put("type", rawjson.StringNode(kind))
		if inner.Len() > 0 || key == "items" {
			out.Put(key, inner)
		}
		inner = out
	}
	return inner
}

// detailed is a part without parts as it is, its texts left out.
func (d *drawer) detailed(v *view) *rawjson.Node {
	return d.plain(v.outer, 0)
}

func (d *drawer) plain(n *rawjson.Node, depth int) *rawjson.Node {
	out := newObject(n)
	if depth > maxLevels {
		return out
	}
	target := d.follow(n)
	others := target.Get("prefixItems") != nil || target.Get("patternProperties") != nil
	for key, value := range target.Members() {
		switch key {
		case "description", "title", "$ref", "$defs":
		case "anyOf", "allOf":
			list := newArray()
			for part := range value.Elements() {
				list.Items = append(list.Items, d.plain(part, depth+1))
			}
			out.Put(key, list)
		case "items", "additionalProperties":
			if inner := d.plain(value, depth+1); !others {
				out.Put(key, inner)
			} else if key == "items" {
				out.Put(key, newObject(n))
			}
		case "properties", "patternProperties", "dependentSchemas", "not", "if", "then", "else", "contains", "propertyNames", "prefixItems":
		default:
			out.Put(key, value)
		}
	}
	if value := n.Get("default"); value != nil {
		out.Put("default", value)
	}
	if header := n.Get("x-mcp-header"); header != nil {
		out.Put("x-mcp-header", header)
	}
	return out
}

// names tells the branches of a choice: by the constants that mark them, their
// title, or the name of what they refer to.
func (d *drawer) names(v *view) []string {
	var names []string
	for _, branch := range v.branches {
		if name := d.nameOf(branch); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (d *drawer) nameOf(branch *rawjson.Node) string {
	inner := d.follow(branch)
	for _, f := range d.fieldsOf(inner, 0) {
		if values := d.follow(f.node).Get("enum"); values.Len() == 1 {
			return f.name + " " + string(values.Items[0].JSON())
		}
	}
	if title := inner.Get("title").Str(); title != "" {
		return title
	}
	if name, ok := strings.CutPrefix(branch.Get("$ref").Str(), "#/$defs/"); ok {
		return name
	}
	if name := inner.Get("type").Str(); name != "object" {
		return name
	}
	var names []string
	for _, f := range d.fieldsOf(inner, 0) {
		names = append(names, f.name)
	}
	return "{" + few(names, 4) + "}"
}
