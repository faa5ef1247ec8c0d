package twodoor

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/shape"
)

// readPages invokes the operation for the page that is wanted, or for all of them one after the
// other: the answer is then the first page with the records of all pages in it.
func readPages(ctx context.Context, invoker Invoker, in *Invocation, want Projection) (*Value, error) {
	if err := setPage(in, want); err != nil {
		return nil, err
	}
	first, err := invoker.Invoke(ctx, in)
	if err != nil {
		return nil, err
	}
	if first == nil {
		return &Value{}, nil
	}
	if !want.All {
		return first, nil
	}
	p := &pager{ctx: ctx, page: in.Operation.Page, first: first, limit: want.Limit}
	for p.take(first) {
		if p.pages == MaxPages {
			p.stopped = fmt.Sprintf("stopped after %d pages", MaxPages)
			break
		}
		if err := p.advance(in); err != nil {
			return nil, err
		}
		if in.Progress != nil {
			in.Progress(Progress{Done: float64(p.pages), Message: fmt.Sprintf("%d records of %d pages", len(p.records), p.pages)})
		}
		if first, err = invoker.Invoke(ctx, in); err != nil {
			return nil, err
		}
	}
	return p.value(), nil
}

// setPage writes the wanted page and number of records into the far side's own inputs, where the
// caller has not written them.
func setPage(in *Invocation, want Projection) error {
	page := in.Operation.Page
	if page == nil {
		if want.Page != "" || want.All {
			return &Error{Code: CodeInvalid, Message: in.Operation.ID + " does not page, as far as its description says",
				Hint: "leave out page and all; annotate it with x-twodoor.page where it does page"}
		}
		return nil
	}
	if want.Page != "" && page.Param != "" {
		in.Arguments = setInput(in.Arguments, in.Operation, page.Param, want.Page)
	}
	size := want.Limit
	if want.All && size == 0 {
		size = page.Max
	}
	if page.Max > 0 {
		size = min(size, page.Max)
	}
	if _, set := rawjson.Get(in.Arguments, page.Size); page.Size != "" && size > 0 && !set {
		in.Arguments = setInput(in.Arguments, in.Operation, page.Size, strconv.Itoa(size))
	}
	return nil
}

// setInput writes an input as the type that its schema has.
func setInput(args json.RawMessage, op *Operation, name, text string) json.RawMessage {
	value := rawjson.AppendString(nil, text)
	kind, _ := rawjson.GetPath(op.Input, "properties", name, "type")
	if _, err := strconv.ParseInt(text, 10, 64); err == nil && string(kind) != `"string"` {
		value = []byte(text)
	}
	return rawjson.Set(args, name, value)
}

// pager gathers the records of several pages.
type pager struct {
	ctx     context.Context // of the one call
	page    *Page
	first   *Value
	path    string // of the records in an answer
	limit   int
	pages   int
	records []json.RawMessage
	last    *Value
	seen    map[string]bool // cursors followed: a far side that repeats one would never end
	fresh   int             // records of the last page
	stopped string
}

// take adds a page and reports whether there is another one to ask for.
func (p *pager) take(v *Value) bool {
	p.pages++
	p.last = v
	list, path, ok := shape.Records(v.JSON, p.page.Items)
	if p.pages == 1 {
		p.path = path
	}
	p.fresh = 0
	if ok {
		for record := range rawjson.Elements(list) {
			p.records = append(p.records, record)
			p.fresh++
		}
	}
	return ok && p.fresh > 0 && (p.limit == 0 || len(p.records) < p.limit) && p.more()
}

// more reports whether the last page says, by its style, that another one follows.
func (p *pager) more() bool {
	switch p.page.Style {
	case PageLink:
		return p.last.Continue != ""
	case PageCursor:
		cursor := p.cursor()
		if cursor == "" || p.seen[cursor] {
			return false
		}
		if p.seen == nil {
			p.seen = map[string]bool{}
		}
		p.seen[cursor] = true
		return true
	}
	return true
}

// cursor is the next cursor in the last page: a text or a number at the path of Page.Next, or what
// the program in its place puts out.
func (p *pager) cursor() string {
	raw, ok := rawjson.GetPath(p.last.JSON, strings.Split(p.page.Next, ".")...)
	if !ok {
		var err error
		if raw, err = shape.Program(p.page.Next).Run(p.ctx, p.last.JSON); err != nil {
			return ""
		}
	}
	if text, ok := rawjson.String(raw); ok {
		return text
	}
	if rawjson.KindOf(raw) == rawjson.KindNumber {
		return string(raw)
	}
	return ""
}

// advance makes the invocation ask for the page after the last one.
func (p *pager) advance(in *Invocation) error {
	switch p.page.Style {
	case PageLink:
		in.Continue = p.last.Continue
	case PageCursor:
		in.Arguments = setInput(in.Arguments, in.Operation, p.page.Param, p.cursor())
	case PageOffset:
		in.Arguments = setInput(in.Arguments, in.Operation, p.page.Param, strconv.Itoa(p.number(in, 0)+p.fresh))
	case PageNumber:
		in.Arguments = setInput(in.Arguments, in.Operation, p.page.Param, strconv.Itoa(p.number(in, p.page.First)+1))
	default:
		return fmt.Errorf("%s has the page style %q, which is not known", in.Operation.ID, p.page.Style)
	}
	return nil
}

// number is the page number or offset of the last request.
func (p *pager) number(in *Invocation, unset int) int {
	raw, _ := rawjson.Get(in.Arguments, p.page.Param)
	text, isText := rawjson.String(raw)
	if !isText {
		text = string(raw)
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return unset
}

// value is the first page with all records in it.
func (p *pager) value() *Value {
	all := *p.first
	list := []byte{'['}
	for i, record := range p.records {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, record...)
	}
	list = append(list, ']')
	if p.path == "" {
		all.JSON = list
	} else {
		all.JSON = rawjson.SetPath(all.JSON, list, strings.Split(p.path, ".")...)
	}
	all.Continue = p.last.Continue
	if p.stopped != "" {
		all.Cut = &Cut{Shown: len(p.records), How: p.stopped + ": narrow the question, or go on with page"}
	}
	return &all
}
