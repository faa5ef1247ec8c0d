package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// mediaContent is one media type of a body, an answer or a parameter.
type mediaContent struct {
	media  string
	schema place
	owner  place // the media type object: encoding, examples
}

// content reads the "content" of a body, answer or parameter. The first one stands for all where a
// single one is asked for.
func (c *compiler) contents(owner place) (list []mediaContent) {
	content := owner.get("content")
	for media, item := range content.node.Members() {
		p, err := c.resolve(content.in(item))
		if err != nil {
			continue
		}
		list = append(list, mediaContent{media, p.get("schema"), p})
	}
	return list
}

func (c *compiler) content(owner place) mediaContent {
	if list := c.contents(owner); len(list) > 0 {
		return list[0]
	}
	return mediaContent{}
}

// body reads the request body into inputs.
func (c *compiler) body() error {
	content, required, given, err := c.bodyContent()
	if err != nil || len(content) == 0 {
		return err
	}
	content = sendable(content)
	b := &body{Required: required}
	for _, each := range content {
		b.Media = append(b.Media, each.media)
	}
	f, object := c.bodyFields(content)
	switch {
	case object && len(f.fields) == 0 && f.rest.node == nil && !required:
		return nil // an empty form, which many descriptions put on every GET
	case object:
		c.fieldInputs(b, content, f, required || !given)
	default:
		c.wholeInput(b, content, required || !given && !c.rarelySends())
	}
	c.choice(b, content)
	c.plan.Body = b
	return nil
}

// bodyContent lists the media types of the body; given reports whether the description says that
// the body is required, or that it is not.
func (c *compiler) bodyContent() (content []mediaContent, required, given bool, err error) {
	if c.swagger {
		content, required = c.swaggerBody()
		return content, required, c.bodyParam.node.Get("required") != nil, nil
	}
	owner := c.found.op.get("requestBody")
	if owner.node == nil {
		return nil, false, false, nil
	}
	p, err := c.resolve(owner)
	if err != nil {
		return nil, false, false, fmt.Errorf("the request body: %w", err)
	}
	return c.contents(p), p.node.Get("required").Bool(), p.node.Get("required") != nil, nil
}

func (c *compiler) rarelySends() bool {
	return slices.Contains(readingMethods, c.plan.Method) || c.plan.Method == "DELETE"
}

// sendable puts the media types in the order in which they are used: JSON, form, multipart, text,
// bytes. A type that would only say the same in another notation is left out; among patches of an
// object the list of edits comes last.
func sendable(content []mediaContent) []mediaContent {
	list := slices.Clone(content)
	slices.SortStableFunc(list, func(a, b mediaContent) int { return mediaRank(a.media) - mediaRank(b.media) })
	first := list[0]
	kept := []mediaContent{first}
	for _, each := range list[1:] {
		if distinct(first, each) {
			kept = append(kept, each)
		}
	}
	return kept
}

func mediaRank(media string) int {
	switch base := baseType(media); {
	case base == "application/json":
		return 0
	case base == "application/json-patch+json":
		return 3
	case strings.Contains(base, "*"):
		return 2
	}
	return map[bodyKind]int{jsonBody: 1, formBody: 4, multipartBody: 5, linesBody: 6, textBody: 7, xmlBody: 8, binaryBody: 9}[kindOf(media)]
}

// distinct reports whether a caller may have a reason to pick the second media type.
func distinct(first, other mediaContent) bool {
	sameSchema := first.schema.node == other.schema.node || string(first.schema.node.JSON()) == string(other.schema.node.JSON())
	was, is := kindOf(first.media), kindOf(other.media)
	base := baseType(other.media)
	switch {
	case strings.Contains(base, "*"):
		return false
	case strings.Contains(base, "patch"):
		return !sameSchema || baseType(first.media) != "application/json" || base != "application/merge-patch+json"
	case sameSchema && (was == jsonBody || was == formBody):
		return is == multipartBody && hasBinary(other.schema.node)
	case was == jsonBody || was == formBody || was == multipartBody:
		return is == jsonBody || is == formBody || is == multipartBody
	}
	return true
}

func hasBinary(n *rawjson.Node) bool {
	if props := n.Get("properties"); props.Is(rawjson.KindObject) {
		return slices.ContainsFunc(props.Items, isBinary)
	}
	return false
}

// bodyFields are the fields of a body that is an object in all of its media types.
func (c *compiler) bodyFields(content []mediaContent) (*shape, bool) {
	all := &shape{}
	for i, each := range content {
		switch kindOf(each.media) {
		case xmlBody, textBody, binaryBody, linesBody:
			return nil, false
		}
		f, ok := c.flat(each.schema, c.said.Only, map[*rawjson.Node]bool{})
		if !ok {
			return nil, false
		}
		if i == 0 {
			all = f
			continue
		}
		all.join(c.schemas, f)
		all.required = slices.DeleteFunc(slices.Clone(all.required), func(name string) bool { return !slices.Contains(f.required, name) })
	}
	return all, true
}

// fieldInputs makes an input of each field of the body.
func (c *compiler) fieldInputs(b *body, content []mediaContent, f *shape, strict bool) {
	args := map[string]string{}
	for _, prop := range f.fields {
		if c.withheld(prop.place, inward) {
			continue
		}
		arg := &input{wire: prop.name, in: "body", place: prop.place}
		arg.required = strict && slices.Contains(f.required, prop.name)
		c.readSchemaNote(arg)
		arg.schema = c.inputSchema(arg, "", false)
		c.add(arg, "body")
		args[prop.name] = arg.name
		b.Fields = append(b.Fields, c.field(arg, content))
	}
	if f.rest.node != nil {
		b.Rest = true
		c.rest = c.emitter.text(f.rest)
	}
	if !strict {
		f.combos = nil
	}
	c.tellVariants(f, args)
	c.op.Opened = c.soleObject()
}

// soleObject is the only input that is a field of the body, where it is an object with fields and
// no choice between several.
func (c *compiler) soleObject() string {
	var fields []*input
	for _, arg := range c.args.list {
		if arg.in == "body" {
			fields = append(fields, arg)
		}
	}
	if len(fields) == 1 && c.isPlainObject(fields[0].place) {
		return fields[0].name
	}
	return ""
}

// field is how a field of the body is encoded.
func (c *compiler) field(arg *input, content []mediaContent) field {
	planned := field{Arg: arg.name}
	if arg.name != arg.wire {
		planned.Name = arg.wire
	}
	for _, each := range content {
		k := kindOf(each.media)
		if k == formBody || k == multipartBody {
			encode(&planned, each.owner.node.Get("encoding").Get(arg.wire), k)
		}
		planned.Binary = planned.Binary || k == multipartBody && c.binaryField(each.schema, arg.wire)
	}
	return planned
}

// binaryField reports whether a field of an object is bytes, or a list of such.
func (c *compiler) binaryField(schema place, name string) bool {
	f, ok := c.flatten(schema)
	if !ok {
		return false
	}
	at := slices.IndexFunc(f.fields, func(prop property) bool { return prop.name == name })
	return at >= 0 && c.binary(f.fields[at].place)
}

// encode reads an Encoding Object.
func encode(planned *field, how *rawjson.Node, kind bodyKind) {
	planned.Media = how.Get("contentType").Str()
	style := how.Get("style").Str()
	if style != "form" {
		planned.Style = style
	}
	planned.Explode = kind == formBody && (style == "" || style == "form")
	if explode := how.Get("explode"); explode.Is(rawjson.KindBool) {
		planned.Explode = explode.Bool()
	}
}

// binary reports whether the values of a schema, or those in its list, are bytes.
func (c *compiler) binary(p place) bool {
	p, err := c.resolve(c.merged(p))
	if err != nil {
		return false
	}
	p = c.merged(p)
	if typesOf(p.node).only("array") {
		return c.binary(c.childAt(p, "items"))
	}
	return isBinary(p.node)
}

// isPlainObject reports whether a schema is that of an object with fields, and no union of such.
func (c *compiler) isPlainObject(p place) bool {
	f, ok := c.flatten(p)
	return ok && len(f.fields) > 0 && len(f.variants) == 0
}

// wholeInput makes one input of the body.
func (c *compiler) wholeInput(b *body, content []mediaContent, required bool) {
	first := content[0]
	arg := &input{wire: "body", in: "whole", place: first.schema, required: required}
	c.readSchemaNote(arg)
	switch kindOf(first.media) {
	case textBody, xmlBody:
		arg.schema = textSchema(first.media, c.bodyText())
	case binaryBody:
		arg.schema = bytesSchema(first.media, c.bodyText())
	case linesBody:
		arg.schema = slices.Concat([]byte(`{"type":"array","items":`), c.emitter.text(first.schema), []byte(`}`))
	default:
		arg.schema = c.wholeSchema(content)
	}
	c.add(arg, "body")
	b.Arg = arg.name
	b.Required = b.Required && required
}

// wholeSchema is the schema of a body that is one value. Edits of a JSON Patch are a list, whatever
// the description says of the patched object (RFC 6902).
func (c *compiler) wholeSchema(content []mediaContent) []byte {
	schema := c.emitter.text(content[0].schema)
	for _, each := range content {
		if kind, _ := rawjson.Get(schema, "type"); baseType(each.media) == "application/json-patch+json" && string(kind) == `"object"` {
			schema = rawjson.Set(schema, "type", []byte(`["object","array"]`))
		}
	}
	if _, told := rawjson.Get(schema, "description"); !told {
		if text := c.bodyText(); text != "" {
			schema = rawjson.Set(schema, "description", rawjson.Quote(text))
		}
	}
	return schema
}

// bodyText is what the description says of the body as a whole.
func (c *compiler) bodyText() string {
	n := c.bodyParam.node
	if !c.swagger {
		p, err := c.resolve(c.found.op.get("requestBody"))
		if err != nil {
			return ""
		}
		n = p.node
	}
	return strings.TrimSpace(n.Get("description").Str())
}

func textSchema(media, text string) []byte {
	var s rawjson.Object
	s.PutString("type", "string")
	if text == "" {
		text = "The body, sent as it is."
	}
	s.PutString("description", text)
	s.PutString("contentMediaType", media)
	return s.Bytes()
}

func bytesSchema(media, text string) []byte {
	var s rawjson.Object
	s.PutString("type", "string")
	if text == "" {
		text = "The bytes to send."
	}
	s.PutString("description", text)
	s.PutString("contentEncoding", "base64")
	if !strings.Contains(media, "*") {
		s.PutString("contentMediaType", media)
	}
	return s.Bytes()
}

// choice lets a caller pick the media type where it matters.
func (c *compiler) choice(b *body, content []mediaContent) {
	if len(content) < 2 {
		return
	}
	var s rawjson.Object
	s.PutString("type", "string")
	s.PutStrings("enum", b.Media)
	s.PutString("description", fmt.Sprintf("How the body is sent; %s unless said otherwise.", b.Media[0]))
	s.Put("default", rawjson.Quote(b.Media[0]))
	arg := &input{wire: "content_type", in: "choice", schema: s.Bytes()}
	c.add(arg, "body")
	b.Choice = arg.name
}
