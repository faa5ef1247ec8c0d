package openapi

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
	"github.com/twodoor/twodoor/source/openapi/naming"
	"github.com/twodoor/twodoor/source/openapi/schemas"
)

// Names of inputs and fields that page, without case, hyphens and underscores.
var (
	sizeNames   = []string{"limit", "perpage", "pagesize", "maxresults", "maxitems", "maxpagesize", "pagelimit", "itemsperpage", "resultsperpage", "count", "size", "top"}
	cursorNames = []string{"cursor", "pagetoken", "nexttoken", "nextcursor", "pagecursor", "startcursor", "continuationtoken", "continue", "continuetoken",
		"searchafterctx", "searchafter", "marker", "nextpagetoken", "after", "offset"}
	offsetNames = []string{"offset", "skip", "startat", "startindex"}
	pageNames   = []string{"page", "pagenumber", "pagenum", "pageno", "p", "pageindex"}
	nextNames   = []string{"nextcursor", "nextpagetoken", "nexttoken", "nextpagecursor", "nextmarker", "endcursor", "continuationtoken", "continue",
		"continuetoken", "searchafterctx", "searchafter", "cursor", "next", "pagetoken", "lastid"}
	linkNames   = []string{"nextpageuri", "nextpageurl", "nexturl", "nexturi", "nextlink", "next", "odatanextlink", "nexthref", "nextpagelink"}
	linkHolders = []string{"links", "paging", "pagination", "meta", "nextpage"}
	afterNames  = []string{"startingafter", "afterid", "after"}
	nextHolders = []string{"metadata", "meta", "pagination", "paging", "pageinfo", "responsemetadata", "nextpage", "data", "page", "cursors"}
	itemNames   = []string{"items", "data", "results", "records", "entries", "values", "list", "resources", "objects", "rows", "elements"}
)

var fromZero = regexp.MustCompile(`(?i)page index|(zero|0)[- ](based|indexed)|(start|begin)(s|ing)? (at|with|from) (0|zero)`)

var nameSigns = strings.NewReplacer("_", "", "-", "", ".", "", "$", "", "[]", "")

// plainName is a name without case and signs: nextPageToken and next_page_token are one.
func plainName(name string) string { return strings.ToLower(nameSigns.Replace(name)) }

// takesPage reports whether the operation takes a page, cursor or offset as a parameter.
func (c *compiler) takesPage() bool {
	for _, owner := range []document.Place{c.found.item, c.found.op} {
		params := owner.Get("parameters")
		for item := range params.Node.Elements() {
			p, err := c.Resolve(params.In(item))
			if err == nil && p.Node.Get("in").Str() == "query" && naming.NamesPage(p.Node.Get("name").Str()) {
				return true
			}
		}
	}
	return false
}

// page finds out how the far side pages: from the names of the inputs, the fields of the answer
// and a declared Link header.
func (c *compiler) page() *twodoor.Page {
	if c.said.Page != nil {
		return c.said.Page
	}
	if c.op.Effect != twodoor.Reads {
		return nil
	}
	page := &twodoor.Page{}
	if size := c.pageInput(sizeNames); size != nil && kindIn(size.schema) != "string" {
		page.Size, page.Max = size.name, bound(size.schema, "maximum")
	}
	if !c.pageStyle(page) {
		return nil
	}
	page.Items = c.recordsPath()
	return page
}

// pageStyle settles the style and the input that drives it.
func (c *compiler) pageStyle(page *twodoor.Page) bool {
	number, offset := c.pageInput(pageNames), c.pageInput(offsetNames)
	if cursor := c.pageInput(cursorNames); cursor != nil {
		if next := c.nextPath(cursor.wire); next != "" {
			page.Style, page.Param, page.Next = twodoor.PageCursor, cursor.name, next
			return true
		}
	}
	if after := c.pageInput(afterNames); after != nil {
		if next := c.lastID(); next != "" {
			page.Style, page.Param, page.Next = twodoor.PageCursor, after.name, next
			return true
		}
	}
	if next := c.linkPath(); next != "" && !c.linked {
		page.Style, page.Next = twodoor.PageLink, next
		for _, input := range []*input{number, offset} {
			if input != nil && page.Param == "" {
				page.Param = input.name
			}
		}
		return true
	}
	switch {
	case c.linked && (number != nil || page.Size != "" || c.pageInput(cursorNames) != nil):
		page.Style = twodoor.PageLink
		if number != nil {
			page.Param = number.name
		} else if cursor := c.pageInput(cursorNames); cursor != nil {
			page.Param = cursor.name
		}
	case number != nil && kindIn(number.schema) != "string" && kindIn(number.schema) != "object":
		page.Style, page.Param, page.First = twodoor.PageNumber, number.name, firstPage(number.schema)
	case offset != nil && kindIn(offset.schema) == "integer":
		page.Style, page.Param = twodoor.PageOffset, offset.name
	default:
		return false
	}
	return true
}

// pageInput is the first input of one of these names, the names in the order of preference.
func (c *compiler) pageInput(names []string) *input {
	for _, name := range names {
		for _, arg := range c.args.list {
			if (arg.in == "query" || arg.in == "body") && plainName(arg.wire) == name {
				return arg
			}
		}
	}
	return nil
}

func kindIn(schema []byte) string {
	kind, _ := rawjson.Get(schema, "type")
	name, isText := rawjson.String(kind)
	for first := range rawjson.Elements(kind) {
		if !isText {
			name, isText = rawjson.String(first)
		}
	}
	return name
}

func bound(schema []byte, key string) int {
	value, _ := rawjson.Get(schema, key)
	n, _ := strconv.Atoi(string(value))
	return n
}

// firstPage is 0 where a page number begins there, else 1.
func firstPage(schema []byte) int {
	if text, _ := rawjson.Get(schema, "description"); fromZero.Match(text) {
		return 0
	}
	for _, key := range []string{"minimum", "default"} {
		if value, said := rawjson.Get(schema, key); said {
			if string(value) == "0" {
				return 0
			}
			return 1
		}
	}
	return 1
}

// nextPath is the path in the answer of the cursor that the input of this name takes.
func (c *compiler) nextPath(cursor string) string {
	root, ok := c.fieldsOf(c.answer.schema)
	if !ok {
		return ""
	}
	wanted := plainName(cursor)
	if path := c.nextIn(root, wanted, ""); path != "" {
		return path
	}
	for _, holder := range nextHolders {
		for _, prop := range root.Fields {
			if plainName(prop.Name) != holder {
				continue
			}
			if inner, ok := c.fieldsOf(prop.Place); ok {
				if path := c.nextIn(inner, wanted, prop.Name+"."); path != "" {
					return path
				}
			}
		}
	}
	return ""
}

// lastID is the program for far sides that page by the id of the last record, and say in has_more
// whether there is another page.
func (c *compiler) lastID() string {
	root, ok := c.fieldsOf(c.answer.schema)
	if !ok {
		return ""
	}
	list := c.listIn(root)
	for _, prop := range root.Fields {
		if list != "" && plainName(prop.Name) == "hasmore" {
			return "if ." + prop.Name + " then ." + list + "[-1].id else null end"
		}
	}
	return ""
}

// linkPath is the path in the answer of the address of the next page.
func (c *compiler) linkPath() string { return c.pathTo(linkHolders, c.linkIn) }

// pathTo is the path of what find finds among the fields of the answer, else among those of a field
// of one of these names.
func (c *compiler) pathTo(holders []string, find func(*schemas.Shape) string) string {
	root, ok := c.fieldsOf(c.answer.schema)
	if !ok {
		return ""
	}
	if name := find(root); name != "" {
		return name
	}
	for _, prop := range root.Fields {
		if !slices.Contains(holders, plainName(prop.Name)) {
			continue
		}
		if inner, ok := c.fieldsOf(prop.Place); ok {
			if name := find(inner); name != "" {
				return prop.Name + "." + name
			}
		}
	}
	return ""
}

// linkIn is the field that holds an address and is named like a next page.
func (c *compiler) linkIn(f *schemas.Shape) string {
	for _, prop := range f.Fields {
		if name := plainName(prop.Name); slices.Contains(linkNames, name) && c.holdsAddress(prop.Place, name) {
			return prop.Name
		}
	}
	return ""
}

// holdsAddress reports whether a field is a text that is an address, by its format or by its name.
func (c *compiler) holdsAddress(p document.Place, name string) bool {
	p, err := c.Whole(p)
	if err != nil || !schemas.TypesOf(p.Node).Has("string") {
		return false
	}
	format := p.Node.Get("format").Str()
	return strings.HasPrefix(format, "uri") || format == "url" || name != "next" && format == ""
}

// nextIn finds a field that holds the next cursor: one that is named after it, else one whose name
// says so.
func (c *compiler) nextIn(f *schemas.Shape, wanted, prefix string) string {
	names := append([]string{"next" + wanted}, nextNames...)
	if prefix != "" {
		names = append(names, wanted)
	}
	if wanted == "after" {
		names = append([]string{"lastid"}, names...)
	}
	for _, name := range names {
		for _, prop := range f.Fields {
			if plainName(prop.Name) == name && c.holdsCursor(prop.Place) {
				return prefix + prop.Name
			}
		}
	}
	return ""
}

// holdsCursor reports whether a field is a text or number, and no address.
func (c *compiler) holdsCursor(p document.Place) bool {
	p, err := c.Whole(p)
	if err != nil {
		return false
	}
	if branches := p.Node.Get("anyOf"); branches.Len() > 0 {
		return slices.ContainsFunc(branches.Items, func(b *rawjson.Node) bool { return schemas.TypesOf(b).Has("string") })
	}
	t := schemas.TypesOf(p.Node)
	format := p.Node.Get("format").Str()
	return (t.Has("string") || t.Has("integer")) && format != "uri" && format != "url"
}

func (c *compiler) fieldsOf(p document.Place) (*schemas.Shape, bool) {
	if p.Node == nil {
		return nil, false
	}
	return c.Flatten(p)
}

// recordsPath is the path in the answer of its records; "" where the answer is their list itself,
// or where they have to be found.
func (c *compiler) recordsPath() string { return c.pathTo([]string{"data", "result"}, c.listIn) }

// listIn is the field that is a list: the only one, else the one with a usual name.
func (c *compiler) listIn(f *schemas.Shape) string {
	var lists []string
	for _, prop := range f.Fields {
		if p, err := c.Whole(prop.Place); err == nil && schemas.TypesOf(p.Node).Has("array") {
			lists = append(lists, prop.Name)
		}
	}
	if len(lists) == 1 {
		return lists[0]
	}
	for _, name := range itemNames {
		if at := slices.IndexFunc(lists, func(list string) bool { return plainName(list) == name }); at >= 0 {
			return lists[at]
		}
	}
	return ""
}
