package twodoor

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/shape"
)

// toldMore is what the far side itself says to have left out, and the way to it; nil where it says
// nothing of the kind.
func toldMore(ctx context.Context, call Call, op *Operation, result *Result, value *Value) *Cut {
	if call.Projection.All || op.Verbatim || value.Shaped {
		return nil
	}
	more, ok := result.answer(op.root()).More()
	if !ok && (value.Continue == "" || op.Page == nil) {
		return nil
	}
	cut := &Cut{Shown: more.Shown, Total: more.Total, How: "the far side has more records"}
	if op.Page == nil {
		cut.How += ": narrow the question, or ask for its next page with its own inputs"
		return cut
	}
	if said := (&pager{ctx: ctx, page: op.Page, last: value}).cursor(); said != "" {
		more.Cursor = said
	}
	if page := nextPage(call, op.Page, more); page != "" {
		cut.How += fmt.Sprintf("; next page: page %q", page)
	}
	cut.How += "; all follows every page"
	return cut
}

// nextPage is what the caller writes as page to go on; "" where only all can.
func nextPage(call Call, page *Page, more shape.More) string {
	switch page.Style {
	case PageCursor:
		return more.Cursor
	case PageOffset:
		return strconv.Itoa(pageIn(call, page, 0) + more.Shown)
	case PageNumber:
		return strconv.Itoa(pageIn(call, page, page.First) + 1)
	}
	return ""
}

// pageIn is the page number or offset that the caller asked for.
func pageIn(call Call, page *Page, unset int) int {
	text := call.Projection.Page
	if raw, there := rawjson.Get(call.Arguments, page.Param); there && text == "" {
		text = plainText(raw)
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return unset
}

// plainText is a text without its quotes, and a number as it stands.
func plainText(raw json.RawMessage) string {
	if text, ok := rawjson.String(raw); ok {
		return text
	}
	return string(raw)
}
