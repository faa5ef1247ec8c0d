package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient/wire"
)

// Bounds of what servers list beside tools.
const (
	maxItems = 20_000
	keepList = 30 * time.Second // a list is not asked for again so soon, unless it is told to have changed
	listTime = 10 * time.Second // one server may keep the others' lists waiting
)

// shelf is what a server listed beside tools, by method. The zero value is empty.
type shelf struct {
	mu    sync.Mutex
	lists map[string]shelved
}

type shelved struct {
	items []json.RawMessage
	at    time.Time
}

func (s *shelf) get(method string) ([]json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, ok := s.lists[method]
	return list.items, ok && time.Since(list.at) < keepList
}

func (s *shelf) put(method string, items []json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lists == nil {
		s.lists = map[string]shelved{}
	}
	s.lists[method] = shelved{items, time.Now()}
}

func (s *shelf) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.lists)
}

// stale forgets what was listed, and tells that it is not what it was.
func (s *slot) stale(lists twodoor.Lists) {
	s.mu.Lock()
	c := s.conn
	s.mu.Unlock()
	if c != nil {
		c.shelf.clear()
	}
	if s.pool.Lists != nil {
		go s.pool.Lists(s.key.source, lists)
	}
}

// listings are the methods that list, with the capability that they need and the key of their result.
var listings = map[string][2]string{
	"resources/list": {"resources", "resources"}, "resources/templates/list": {"resources", "resourceTemplates"}, "prompts/list": {"prompts", "prompts"},
}

// listed is what a server lists by a method; nothing where it does not offer it.
func (c *conn) listed(ctx context.Context, method string) ([]json.RawMessage, error) {
	if _, offered := c.offers(listings[method][0]); !offered {
		return nil, nil
	}
	if items, ok := c.shelf.get(method); ok {
		return items, nil
	}
	var items []json.RawMessage
	cursor, seen := json.RawMessage(nil), map[string]bool{}
	for range maxPages {
		var params rawjson.Object
		params.Put("cursor", cursor)
		reply, err := c.call(ctx, wire.Request{Method: method, Params: params.Bytes()})
		if err != nil {
			return nil, err
		}
		if reply.Fault != nil && reply.Fault.Code == wire.CodeNoMethod {
			break
		}
		if reply.Fault != nil {
			return nil, reply.Fault
		}
		page, _ := rawjson.Get(reply.Result, listings[method][1])
		for item := range rawjson.Elements(page) {
			items = append(items, item)
		}
		cursor, _ = rawjson.Get(reply.Result, "nextCursor")
		if rawjson.KindOf(cursor) != rawjson.KindString || string(cursor) == `""` || seen[string(cursor)] || len(items) > maxItems {
			break
		}
		seen[string(cursor)] = true
	}
	c.shelf.put(method, items)
	return items, nil
}

// ask lists by a method over the connection that a principal has to a source.
func (p *Pool) ask(ctx context.Context, source string, by twodoor.Principal, method string) ([]json.RawMessage, error) {
	k, err := p.keyOf(&twodoor.Invocation{Operation: &twodoor.Operation{ID: source + "."}, Principal: by})
	if err != nil {
		return nil, err
	}
	s, c, err := p.acquire(ctx, k)
	if err != nil {
		return nil, err
	}
	items, err := c.listed(ctx, method)
	return items, s.settled(ctx, c, err)
}

// settled releases a connection after an exchange beside tool calls. A server that refuses one is still
// the server that was greeted.
func (s *slot) settled(ctx context.Context, c *conn, err error) error {
	if refusal, ok := errors.AsType[*wire.Fault](err); ok {
		s.release(c, worked, nil)
		return s.refusal(refusal, 0)
	}
	how, fault := s.weigh(ctx, nil, err)
	s.release(c, how, twodoor.AsError(fault))
	return fault
}

// sources lists the names of the servers that can be asked, sorted.
func (p *Pool) sources() (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, server := range p.servers {
		if !server.Disabled && server.check() == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// askAll lists by a method at every server at once. Who fails has nothing; where all fail, the error is
// theirs.
func (v *Invoker) askAll(ctx context.Context, by twodoor.Principal, method string) (map[string][]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	var mu sync.Mutex
	var work sync.WaitGroup
	var faults []error
	all := map[string][]json.RawMessage{}
	for _, source := range v.Pool.sources() {
		work.Go(func() {
			items, err := v.Pool.ask(ctx, source, by, method)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				faults = append(faults, err)
				return
			}
			all[source] = items
		})
	}
	work.Wait()
	if len(all) == 0 {
		return nil, errors.Join(faults...)
	}
	return all, nil
}

// Resources lists the resources and templates of every server. Where two have one of the same address,
// the later one, by the source's name, is told apart: its address is NAME+ADDRESS.
func (v *Invoker) Resources(ctx context.Context, by twodoor.Principal) ([]twodoor.Resource, error) {
	var all []twodoor.Resource
	taken := map[string]bool{}
	for _, method := range [...]string{"resources/list", "resources/templates/list"} {
		lists, err := v.askAll(ctx, by, method)
		if err != nil {
			return nil, err
		}
		for _, source := range v.Pool.sources() {
			for _, item := range lists[source] {
				r := resourceOf(source, item)
				if address := r.URI + r.Template; taken[address] {
					r = movedApart(source, r)
				}
				taken[r.URI+r.Template] = true
				all = append(all, r)
			}
		}
	}
	return all, nil
}

func resourceOf(source string, item json.RawMessage) twodoor.Resource {
	r := twodoor.Resource{Name: field(item, "name"), Title: field(item, "title"), Description: field(item, "description"), MediaType: field(item, "mimeType"), Definition: item}
	if uri := field(item, "uri"); uri != "" {
		r.URI = addressOf(source, uri)
	} else {
		r.Template = addressOf(source, field(item, "uriTemplate"))
	}
	r.ID = source + ".resource." + idWord(r.Name)
	return r
}

func movedApart(source string, r twodoor.Resource) twodoor.Resource {
	if r.URI != "" {
		r.URI = apart(source, r.URI)
	} else {
		r.Template = apart(source, r.Template)
	}
	return r
}

// Resource is the resource of an address, or the template that it fits. An address that names its
// source is good whether that lists it or not: results may point at it.
func (v *Invoker) Resource(ctx context.Context, by twodoor.Principal, uri string) (*twodoor.Resource, error) {
	all, err := v.Resources(ctx, by)
	var fits *twodoor.Resource
	for i := range all {
		if all[i].URI != "" && all[i].URI == uri {
			return &all[i], nil
		}
		if fits == nil && fitsTemplate(all[i].Template, uri) {
			fits = &all[i]
		}
	}
	if fits != nil {
		return fits, nil
	}
	source, _, named := originOf(uri, v.serves)
	if sources := v.Pool.sources(); !named && len(sources) == 1 && err == nil {
		source, named = sources[0], v.hasResources(ctx, by, sources[0])
	}
	if !named {
		return nil, err
	}
	return &twodoor.Resource{ID: source + ".resource.unlisted", URI: uri, Name: uri}, nil
}

// fitsTemplate takes the simple templates of RFC 6570 exactly, and of all others the part before their
// first variable.
func fitsTemplate(template, uri string) bool {
	open := strings.IndexByte(template, '{')
	if open < 0 {
		return false
	}
	if _, ok := twodoor.MatchTemplate(template, uri); ok {
		return true
	}
	return strings.ContainsAny(template, "?&/#;.*,") && strings.Contains(template, "{?") && strings.HasPrefix(uri, template[:open])
}

func (v *Invoker) serves(source string) bool { return slices.Contains(v.Pool.sources(), source) }

// hasResources reports whether a server offers resources at all.
func (v *Invoker) hasResources(ctx context.Context, by twodoor.Principal, source string) bool {
	k, err := v.Pool.keyOf(&twodoor.Invocation{Operation: &twodoor.Operation{ID: source + "."}, Principal: by})
	if err != nil {
		return false
	}
	s, c, err := v.Pool.acquire(ctx, k)
	if err != nil {
		return false
	}
	_, offered := c.offers("resources")
	s.release(c, indifferent, nil)
	return offered
}

// uriOf is the address that an invocation's resource has at its own server.
func (v *Invoker) uriOf(in *twodoor.Invocation) string {
	if source, uri, named := originOf(in.Name, v.serves); named && source == in.Operation.Source() {
		return uri
	}
	return in.Name
}

// ReadResource reads a resource: the result is the server's own, addresses aside.
func (v *Invoker) ReadResource(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	uri := v.uriOf(in)
	var params rawjson.Object
	params.PutString("uri", uri)
	result, err := v.converse(ctx, &farCall{in: in, method: "resources/read", name: uri, params: params.Bytes()})
	if err != nil {
		return nil, notFound(err)
	}
	result = readdress(result, in.Operation.Source())
	if ours := addressOf(in.Operation.Source(), uri); ours != in.Name {
		result = renamed(result, ours, in.Name)
	}
	return &twodoor.Value{Raw: result}, nil
}

// renamed gives the contents of an address the address that was asked for.
func renamed(result json.RawMessage, uri, name string) json.RawMessage {
	contents, _ := rawjson.Get(result, "contents")
	var out rawjson.Array
	for content := range rawjson.Elements(contents) {
		if field(content, "uri") == uri {
			content = rawjson.Set(content, "uri", rawjson.Quote(name))
		}
		out.Add(content)
	}
	return rawjson.Set(result, "contents", out.Bytes())
}

// notFound tells a refused read for what it mostly is: since 2026-07-28 its code says no more than that
// the params are wrong.
func notFound(err error) error {
	fault, ok := errors.AsType[*twodoor.Error](err)
	if !ok || fault.Code != twodoor.CodeInvalid {
		return err
	}
	told := *fault
	told.Code, told.Hint = twodoor.CodeNotFound, "list what there is"
	return &told
}

// Prompts lists the prompts of every server under names that begin with the source's.
func (v *Invoker) Prompts(ctx context.Context, by twodoor.Principal) ([]twodoor.Prompt, error) {
	lists, err := v.askAll(ctx, by, "prompts/list")
	if err != nil {
		return nil, err
	}
	var all []twodoor.Prompt
	for _, source := range v.Pool.sources() {
		for _, item := range lists[source] {
			all = append(all, v.promptOf(source, item))
		}
	}
	return all, nil
}

func (v *Invoker) promptOf(source string, item json.RawMessage) twodoor.Prompt {
	name := field(item, "name")
	p := twodoor.Prompt{
		ID: source + ".prompt." + idWord(name), Name: v.promptName(source, name), Title: field(item, "title"),
		Description: field(item, "description"), Definition: item,
	}
	arguments, _ := rawjson.Get(item, "arguments")
	for argument := range rawjson.Elements(arguments) {
		p.Arguments = append(p.Arguments, twodoor.PromptArgument{Name: field(argument, "name")})
	}
	return p
}

// promptName spells a prompt as tools are spelled: the source's name, or its prefix, in front.
func (v *Invoker) promptName(source, name string) string {
	if v.PromptName != nil {
		return v.PromptName(source, name)
	}
	return twodoor.Spell(source+"."+idWord(name), "").MCP
}

// ownName is what a server itself calls a prompt.
func (v *Invoker) ownName(ctx context.Context, in *twodoor.Invocation) (string, error) {
	source := in.Operation.Source()
	items, err := v.Pool.ask(ctx, source, in.Principal, "prompts/list")
	for _, item := range items {
		if name := field(item, "name"); v.promptName(source, name) == in.Name {
			return name, nil
		}
	}
	if err == nil {
		err = &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("%s has no prompt %q any more", source, in.Name), Hint: "list what there is"}
	}
	return "", err
}

// Prompt fills a prompt in: the result is the server's own, addresses aside. The server checks the
// arguments.
func (v *Invoker) Prompt(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	name, err := v.ownName(ctx, in)
	if err != nil {
		return nil, err
	}
	var params rawjson.Object
	params.PutString("name", name)
	params.Put("arguments", in.Arguments)
	result, err := v.converse(ctx, &farCall{in: in, method: "prompts/get", name: name, params: params.Bytes()})
	if err != nil {
		return nil, err
	}
	return &twodoor.Value{Raw: readdress(result, in.Operation.Source())}, nil
}

// Complete asks the server for values of an argument.
func (v *Invoker) Complete(ctx context.Context, in *twodoor.Invocation) (twodoor.Completions, error) {
	var ref, argument, params rawjson.Object
	if strings.Contains(in.Operation.ID, ".prompt.") {
		name, err := v.ownName(ctx, in)
		if err != nil {
			return twodoor.Completions{}, err
		}
		ref.PutString("type", "ref/prompt")
		ref.PutString("name", name)
	} else {
		ref.PutString("type", "ref/resource")
		ref.PutString("uri", v.uriOf(in))
	}
	argument.PutString("name", in.Completing.Argument)
	argument.PutString("value", in.Completing.Value)
	params.Put("ref", ref.Bytes())
	params.Put("argument", argument.Bytes())
	if len(in.Completing.Others) > 0 {
		var others, known rawjson.Object
		for name, value := range in.Completing.Others {
			others.PutString(name, value)
		}
		known.Put("arguments", others.Bytes())
		params.Put("context", known.Bytes())
	}
	result, err := v.converse(ctx, &farCall{in: in, method: "completion/complete", params: params.Bytes()})
	if err != nil {
		return twodoor.Completions{}, err
	}
	var found struct{ Completion twodoor.Completions }
	if err := json.Unmarshal(result, &found); err != nil {
		return twodoor.Completions{}, &twodoor.Error{Code: twodoor.CodeUpstream, Message: in.Operation.Source() + " proposed what cannot be read", Cause: err}
	}
	return found.Completion, nil
}
