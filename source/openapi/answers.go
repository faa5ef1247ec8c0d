package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// answers reads the successful answers: the media types to ask for, and the schema of the value.
func (c *compiler) answers() {
	list := c.successes()
	var all []mediaContent
	for _, answer := range list {
		c.linked = c.linked || linksOn(c, answer)
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
func (c *compiler) successes() (list []place) {
	responses := c.found.op.get("responses")
	type numbered struct {
		code   string
		answer place
	}
	var good []numbered
	for code, item := range responses.node.Members() {
		if p, err := c.resolve(responses.in(item)); err == nil && strings.HasPrefix(code, "2") {
			good = append(good, numbered{code, p})
		}
	}
	slices.SortStableFunc(good, func(a, b numbered) int { return cmp.Compare(a.code, b.code) })
	for _, each := range good {
		list = append(list, each.answer)
	}
	if p, err := c.resolve(responses.get("default")); err == nil && len(list) == 0 && p.node != nil {
		list = append(list, p)
	}
	return list
}

// linksOn reports whether an answer declares a Link header (RFC 8288).
func linksOn(c *compiler, answer place) bool {
	for name := range answer.node.Get("headers").Members() {
		if strings.EqualFold(name, "Link") {
			return true
		}
	}
	return false
}

func (c *compiler) answerContent(answer place) []mediaContent {
	if !c.swagger {
		return c.contents(answer)
	}
	schema := answer.get("schema")
	if schema.node == nil {
		return nil
	}
	produces := c.found.op.node.Get("produces")
	if produces == nil {
		produces = c.document.root.Get("produces")
	}
	media := produces.Strings()
	if typesOf(schema.node).file {
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
		switch base := baseType(m); {
		case base == "application/json" && !strings.Contains(m, ";"):
			return 0
		case isJSON(base):
			return 1
		case isLines(base), base == "text/event-stream":
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
	base := baseType(answer.media)
	described := answer.schema.node.Is(rawjson.KindObject)
	e := &emitter{schemas: c.schemas, way: outward}
	defer func() { c.outUses = append(c.outUses, e.uses...) }()
	switch kind := kindOf(answer.media); {
	case kind == linesBody, base == "text/event-stream":
		item := []byte("{}")
		if described {
			item = e.text(answer.schema)
		}
		return append(append([]byte(`{"type":"array","items":`), item...), '}')
	case kind == textBody, kind == xmlBody:
		return []byte(`{"type":"string"}`)
	case kind == jsonBody && described:
		schema := e.text(answer.schema)
		c.failed = cmp.Or(c.failed, e.err)
		return schema
	}
	return nil
}
