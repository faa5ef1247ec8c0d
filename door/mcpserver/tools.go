package mcpserver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/hosts"
)

// Bounds of a list.
const (
	maxPage        = 1 << 20 // bytes of tools on one page of tools/list
	maxDescription = 1024    // bytes: the least that a known host takes
	maxSchema      = 1000    // estimated tokens of an input schema: with its words a tool stays under 1,500
	maxListings    = 64      // different views of one catalog that are kept
)

// shown is what the door has made of one catalog. It is dropped with it.
type shown struct {
	catalog  *twodoor.Catalog
	mirrored sync.Map // *twodoor.Operation → []mirror

	mu    sync.Mutex
	lists map[view]*listing
}

// view is what a list depends on besides the catalog.
type view struct {
	profile, permissions string
	expose               twodoor.Expose
}

// listing is a list of tools, ready to be sent.
type listing struct {
	pages  [][]byte // each a JSON array of tools
	digest string   // of all pages: a cursor of another list is refused
	whole  bool     // nothing was left out because of who asks
}

// list answers tools/list.
func (d *Door) list(r *request) ([]byte, *fault) {
	tools, next, whole, f := d.page(r.caller, r.params.cursor)
	if f != nil {
		return nil, f
	}
	out := openReply(r.id, len(tools)+512)
	out = append(out, `{"resultType":"complete","tools":`...)
	out = append(out, tools...)
	if next != "" {
		out = rawjson.AppendString(append(out, `,"nextCursor":`...), next)
	}
	out = appendCaching(out, listTTL, r.shared && whole)
	out = append(out, `,"_meta":{"`+metaServer+`":`...)
	out = append(out, d.serverInfo()...)
	return append(out, `}}}`...), nil
}

// page is the page of the list that a cursor points at; nil is the first.
func (d *Door) page(c caller, cursor []byte) (tools []byte, next string, whole bool, f *fault) {
	list, err := d.listing(c)
	if err != nil {
		return nil, "", false, d.rpcFault(err)
	}
	at, ok := 0, true
	if cursor != nil {
		at, ok = d.pageAt(c, "tools", list.digest, cursor)
		ok = ok && at < len(list.pages)
	}
	if !ok {
		return nil, "", false, &fault{code: codeInvalidParams, message: "the cursor is of no list that is served now: list again without one"}
	}
	if at+1 < len(list.pages) {
		next = d.cursor(c, "tools", list.digest, at+1)
	}
	return list.pages[at], next, list.whole, nil
}

// listing is the list as one caller sees it, made once for all who see the same.
func (d *Door) listing(c caller) (*listing, error) {
	profile := d.Engine.Profile(c.profile)
	if profile == nil {
		return nil, &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no profile %q", c.profile)}
	}
	s := d.show()
	key := view{c.profile, strings.Join(c.principal.Permissions, "\x00"), d.exposure(c, profile)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.lists[key]; l != nil {
		return l, nil
	}
	if len(s.lists) >= maxListings {
		clear(s.lists)
	}
	l := d.makeListing(s.catalog, profile, c.principal, key.expose)
	s.lists[key] = l
	return l, nil
}

// show is what is kept of the catalog being served.
func (d *Door) show() *shown {
	catalog := d.Engine.Catalog()
	s := d.shown.Load()
	if s == nil || s.catalog != catalog {
		s = &shown{catalog: catalog, lists: map[view]*listing{}}
		d.shown.Store(s)
	}
	return s
}

// makeListing lists what the exposure shows of what the caller may call.
func (d *Door) makeListing(catalog *twodoor.Catalog, profile *twodoor.Profile, principal twodoor.Principal, expose twodoor.Expose) *listing {
	l := &listing{whole: true}
	var page rawjson.Array
	for _, tool := range d.pick(catalog, profile, principal, expose, l) {
		if page.Len()+len(tool) > maxPage && !page.Empty() {
			l.pages = append(l.pages, page.Bytes())
			page = rawjson.Array{}
		}
		page.Add(tool)
	}
	l.pages = append(l.pages, page.Bytes())
	hash := sha256.New()
	for _, page := range l.pages {
		hash.Write(page)
	}
	l.digest = hex.EncodeToString(hash.Sum(nil)[:8])
	return l
}

// toolOf is the operation as MCP lists it.
func (d *Door) toolOf(op *twodoor.Operation, entry twodoor.Entry, profile *twodoor.Profile) []byte {
	if d.Definition != nil {
		if defined := d.Definition(op); len(defined) > 0 {
			return rawjson.Compact(nil, rawjson.Set(defined, "name", rawjson.Quote(entry.Tool)))
		}
	}
	var tool rawjson.Object
	tool.PutString("name", entry.Tool)
	if op.Title != "" {
		tool.PutString("title", op.Title)
	}
	tool.PutString("description", describe(op))
	tool.Put("inputSchema", inputSchema(op))
	if profile.OutputSchemas {
		tool.Put("outputSchema", outputSchema(op))
	}
	tool.Put("annotations", annotations(op))
	return rawjson.Compact(nil, tool.Bytes()) // on a stream a message is one line
}

// describe is the description as an agent reads it, with what it must know before it calls.
func describe(op *twodoor.Operation) string {
	text := op.Description
	for _, otherwise := range []string{op.Title, op.Origin, op.ID} {
		text = orElse(text, otherwise)
	}
	if op.Verbatim {
		return text
	}
	rest := line("Deprecated: ", op.Deprecated) + line("Answer: ", op.Answer.Meaning) + line("If empty: ", op.Answer.Empty)
	if op.Effect == twodoor.Destroys {
		rest += "\nDestroys data."
	}
	return shorten(text, max(maxDescription-len(rest), maxDescription/2)) + rest
}

// line is a line of its own, or nothing where there is nothing to say.
func line(label, text string) string {
	if text == "" {
		return ""
	}
	return "\n" + label + text
}

// shorten cuts a text at the end of a line, of a sentence or of a word before the bound.
func shorten(text string, bound int) string {
	text = strings.TrimSpace(text)
	if len(text) <= bound {
		return text
	}
	text = strings.ToValidUTF8(text[:bound-len("…")], "")
	for _, end := range []string{"\n", ". ", " "} {
		if at := strings.LastIndex(text, end); at > bound/2 {
			return strings.TrimSpace(text[:at+1]) + "…"
		}
	}
	return text + "…"
}

// inputSchema is legal for every host, and offers _want where answers can be large.
func inputSchema(op *twodoor.Operation) []byte {
	raw := op.InputSchema()
	if op.Verbatim {
		return raw
	}
	out := []byte(hosts.Slim(raw, maxSchema))
	properties, _ := rawjson.Get(out, "properties")
	if _, own := rawjson.Get(properties, twodoor.WantKey); own || !large(op) {
		return out
	}
	return rawjson.Set(out, "properties", rawjson.Set(properties, twodoor.WantKey, []byte("{}")))
}

// large reports whether answers can be so long that a caller wants a part of them.
func large(op *twodoor.Operation) bool {
	if op.Page != nil {
		return true
	}
	output := []byte(op.Output)
	if ref, ok := rawjson.Get(output, "$ref"); ok {
		name, _ := rawjson.String(ref)
		output = op.Definition(strings.TrimPrefix(name, "#/$defs/"))
	}
	kind, _ := rawjson.Get(output, "type")
	return string(kind) == `"array"`
}

func annotations(op *twodoor.Operation) []byte {
	var hints rawjson.Object
	hints.PutBool("readOnlyHint", op.Effect == twodoor.Reads)
	if op.Effect != twodoor.Reads {
		hints.PutBool("destructiveHint", op.Effect == twodoor.Destroys)
		hints.PutBool("idempotentHint", op.Idempotent)
	}
	hints.PutBool("openWorldHint", op.OpenWorld)
	return hints.Bytes()
}
