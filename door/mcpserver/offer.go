package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// offers are the lists beside tools, by method: the key of the result's array.
var offers = map[string]string{
	"resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts",
}

// listOffers answers the lists of resources, templates and prompts.
func (d *Door) listOffers(ctx context.Context, r *request) ([]byte, *fault) {
	items, next, f := d.offers(ctx, r.caller, r.method, r.params.cursor)
	if f != nil {
		return nil, f
	}
	out := openReply(r.id, len(items)+256)
	out = append(out, `{"resultType":"complete","`+offers[r.method]+`":`...)
	out = append(out, items...)
	if next != "" {
		out = rawjson.AppendString(append(out, `,"nextCursor":`...), next)
	}
	return d.closeCacheable(out, listTTL, r.shared), nil
}

// closeCacheable ends a reply whose result may be kept.
func (d *Door) closeCacheable(out []byte, ttl int64, public bool) []byte {
	out = appendCaching(out, ttl, public)
	out = append(out, `,"_meta":{"`+metaServer+`":`...)
	return append(append(out, d.serverInfo()...), `}}}`...)
}

// offers is the page of a list that a cursor points at, as a JSON array.
func (d *Door) offers(ctx context.Context, c caller, method string, cursor []byte) (items []byte, next string, f *fault) {
	all, err := d.offered(ctx, c, method)
	if err != nil {
		return nil, "", d.rpcFault(err)
	}
	hash := sha256.New()
	for _, item := range all {
		hash.Write(item)
	}
	digest := hex.EncodeToString(hash.Sum(nil)[:8])
	at := 0
	if cursor != nil {
		var ok bool
		if at, ok = d.pageAt(c, method, digest, cursor); !ok || at > len(all) {
			return nil, "", staleCursor()
		}
	}
	var page rawjson.Array
	for ; at < len(all) && (page.Empty() || page.Len()+len(all[at]) <= maxPage); at++ {
		page.Add(all[at])
	}
	if at < len(all) {
		next = d.cursor(c, method, digest, at)
	}
	return page.Bytes(), next, nil
}

func staleCursor() *fault {
	return &fault{code: codeInvalidParams, message: "the cursor is of no list that is served now: list again without one"}
}

// cursor points at a place in a list of that digest.
func (d *Door) cursor(c caller, list, digest string, at int) string {
	return d.Engine.SealCursor(c.principal, list+" "+digest, strconv.AppendInt(nil, int64(at), 10))
}

// pageAt is the place that a cursor points at; false where it is none of this list.
func (d *Door) pageAt(c caller, list, digest string, cursor []byte) (at int, ok bool) {
	text, _ := rawjson.String(cursor)
	inner, ok := d.Engine.OpenCursor(c.principal, list+" "+digest, text)
	if !ok {
		return 0, false
	}
	at, err := strconv.Atoi(string(inner))
	return at, err == nil && at >= 0
}

// offered are the definitions of what there is.
func (d *Door) offered(ctx context.Context, c caller, method string) (all [][]byte, err error) {
	call := twodoor.Call{Principal: c.principal, Profile: c.profile, Door: twodoor.DoorMCP}
	if method == "prompts/list" {
		prompts, err := d.Engine.Prompts(ctx, call)
		for i := range prompts {
			all = append(all, promptOf(&prompts[i]))
		}
		return all, err
	}
	resources, err := d.Engine.Resources(ctx, call)
	for i := range resources {
		if (resources[i].Template != "") == (method == "resources/templates/list") {
			all = append(all, resourceOf(&resources[i]))
		}
	}
	return all, err
}

// resourceOf is a resource or a template as MCP lists it.
func resourceOf(r *twodoor.Resource) []byte {
	key, address := "uri", r.URI
	if r.Template != "" {
		key, address = "uriTemplate", r.Template
	}
	if r.Definition != nil {
		return rawjson.Compact(nil, rawjson.Set(r.Definition, key, rawjson.Quote(address)))
	}
	var o rawjson.Object
	o.PutString(key, address)
	o.PutString("name", r.Name)
	putString(&o, "title", r.Title)
	putString(&o, "description", r.Description)
	putString(&o, "mimeType", r.MediaType)
	if r.Size > 0 {
		o.PutInt("size", r.Size)
	}
	return o.Bytes()
}

func promptOf(p *twodoor.Prompt) []byte {
	if p.Definition != nil {
		return rawjson.Compact(nil, rawjson.Set(p.Definition, "name", rawjson.Quote(p.Name)))
	}
	var o rawjson.Object
	o.PutString("name", p.Name)
	putString(&o, "title", p.Title)
	putString(&o, "description", p.Description)
	if len(p.Arguments) > 0 {
		o.Put("arguments", marshal(p.Arguments))
	}
	return o.Bytes()
}

func putString(o *rawjson.Object, key, text string) {
	if text != "" {
		o.PutString(key, text)
	}
}

// Offers lists what a principal is offered beside tools: "resources/list",
// "resources/templates/list" or "prompts/list", for weighing and for snapshots.
func (d *Door) Offers(ctx context.Context, principal twodoor.Principal, profile, method string) ([]json.RawMessage, error) {
	all, err := d.offered(ctx, caller{principal: principal, profile: profile}, method)
	items := make([]json.RawMessage, len(all))
	for i, item := range all {
		items[i] = item
	}
	return items, err
}
