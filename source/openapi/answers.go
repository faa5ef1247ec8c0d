package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
	"github.com/twodoor/twodoor/source/openapi/schemas"
)

// answers reads the successful answers: the media types to ask for, and the schema of the value.
func (c *compiler) answers() {
	list := c.successes()
	var all []mediaContent
	for _, answer := range list {
		c.linked = c.linked || declaresLink(answer)
		all = append(all, c.answerContent(answer)...)
	}
	c.plan.Accept = accepted(all)
	for _, each := range all {
		if schema := c.valueSchema(each); schema != nil && each.media == c.plan.Accept[0] {
			c.op.Output = schema
			c.answer = each
			return
		}
	}
}

// successes are the answers of 2xx in their order, or the default one where there is none.
func (c *compiler) successes() (list []document.Place) {
	responses := c.found.op.Get("responses")
	type numbered struct {
		code   string
		answer document.Place
	}
	var good []numbered
	for code, item := range responses.Node.Members() {
		if p, err := c.Resolve(responses.In(item)); err == nil && strings.HasPrefix(code, "2") {
			good = append(good, numbered{code, p})
		}
	}
	slices.SortStableFunc(good, func(a, b numbered) int { return cmp.Compare(a.code, b.code) })
	for _, each := range good {
		list = append(list, each.answer)
	}
	if p, err := c.Resolve(responses.Get("default")); err == nil && len(list) == 0 && p.Node != nil {
		list = append(list, p)
	}
	return list
}

// declaresLink reports whether an answer declares a Link header (RFC 8288).
func declaresLink(answer document.Place) bool {
	for name := range answer.Node.Get("headers").Members() {
		if strings.EqualFold(name, "Link") {
			return true
		}
	}
	return false
}

func (c *compiler) answerContent(answer document.Place) []mediaContent {
	if !c.swagger {
		return c.contents(answer)
	}
	schema := answer.Get("schema")
	if schema.Node == nil {
		return nil
	}
	produces := c.found.op.Node.Get("produces")
	if produces == nil {
		produces = c.document.Root.Get("produces")
	}
	media := produces.Strings()
	if schemas.TypesOf(schema.Node).File {
		return []mediaContent{{media: "application/octet-stream", owner: answer}}
	}
	if len(media) == 0 {
		media = []string{"application/json"}
	}
	var list []mediaContent
	for _, m := range media {
		list = append(list, mediaContent{media: m, schema: schema, owner: answer})
	}
	return list
}

// accepted lists the media types to ask for, JSON first. Where there is JSON, notations that say
// the same otherwise are not asked for.
func accepted(all []mediaContent) (media []string) {
	for _, each := range all {
		if !slices.Contains(media, each.media) {
			media = append(media, each.media)
		}
	}
	rank := func(m string) int {
		switch base := mediatype.Base(m); {
		case base == "application/json" && !strings.Contains(m, ";"):
			return 0
		case mediatype.IsJSON(base):
			return 1
		case mediatype.IsLines(base), base == mediatype.EventStream:
			return 2
		case base == "*/*", base == "application/*":
			return 3
		}
		return 4
	}
	slices.SortStableFunc(media, func(a, b string) int { return rank(a) - rank(b) })
	if len(media) > 0 && rank(media[0]) < 2 {
		media = slices.DeleteFunc(media, func(m string) bool { return rank(m) > 2 })
	}
	return media
}

// valueSchema is the schema of the value that an answer becomes: a list for a sequence of events,
// a text for text, none for bytes.
func (c *compiler) valueSchema(answer mediaContent) []byte {
	base := mediatype.Base(answer.media)
	described := answer.schema.Node.Is(rawjson.KindObject)
	e := &schemas.Emitter{Set: c.Set, Way: schemas.Outward}
	defer func() { c.outUses = append(c.outUses, e.Uses...) }()
	switch kind := mediatype.Of(answer.media); {
	case kind == mediatype.Lines, base == mediatype.EventStream:
		item := []byte("{}")
		if described {
			item = e.Text(answer.schema)
		}
		return append(append([]byte(`{"type":"array","items":`), item...), '}')
	case kind == mediatype.Text, kind == mediatype.XML:
		return []byte(`{"type":"string"}`)
	case kind == mediatype.JSON && described:
		schema := e.Text(answer.schema)
		c.failed = cmp.Or(c.failed, e.Err)
		return schema
	}
	return nil
}
