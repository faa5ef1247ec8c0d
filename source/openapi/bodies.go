package openapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
	"github.com/twodoor/twodoor/source/openapi/naming"
	"github.com/twodoor/twodoor/source/openapi/plan"
	"github.com/twodoor/twodoor/source/openapi/schemas"
)

// body reads the request body into inputs.
func (c *compiler) body() error {
	content, required, given, err := c.bodyContent()
	if err != nil || len(content) == 0 {
		return err
	}
	content = sendable(content)
	b := &plan.Body{Required: required}
	for _, each := range content {
		b.Media = append(b.Media, each.media)
	}
	f, forms, object := c.bodyFields(content)
	switch {
	case object && len(f.Fields) == 0 && f.Rest.Node == nil && !required:
		return nil // an empty form, which many descriptions put on every GET
	case object:
		c.fieldInputs(b, content, f, forms, required || !given)
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
		return content, required, c.bodyParam.Node.Get("required") != nil, nil
	}
	owner := c.found.op.Get("requestBody")
	if owner.Node == nil {
		return nil, false, false, nil
	}
	p, err := c.Resolve(owner)
	if err != nil {
		return nil, false, false, fmt.Errorf("the request body: %w", err)
	}
	return c.contents(p), p.Node.Get("required").Bool(), p.Node.Get("required") != nil, nil
}

func (c *compiler) rarelySends() bool {
	return naming.ReadsByMethod(c.plan.Method) || c.plan.Method == "DELETE"
}

// bodyFields are the fields of a body that is an object in all of its media types.
func (c *compiler) bodyFields(content []mediaContent) (all *schemas.Shape, forms bodyForms, ok bool) {
	for i, each := range content {
		switch mediatype.Of(each.media) {
		case mediatype.XML, mediatype.Text, mediatype.Binary, mediatype.Lines:
			return nil, nil, false
		}
		f, ok := c.Flatten(each.schema, c.said.Only...)
		if !ok {
			return nil, nil, false
		}
		forms = append(forms, bodyForm{each.media, f.Names(), f.Required, f.Rest.Node != nil})
		if i == 0 {
			all = f
			continue
		}
		all.Join(c.Set, f)
		all.Required = slices.DeleteFunc(slices.Clone(all.Required), func(name string) bool { return !slices.Contains(f.Required, name) })
	}
	return all, forms, true
}

// fieldInputs makes an input of each field of the body.
func (c *compiler) fieldInputs(b *plan.Body, content []mediaContent, f *schemas.Shape, forms bodyForms, strict bool) {
	args := map[string]string{}
	for _, prop := range f.Fields {
		if c.Withheld(prop.Place, schemas.Inward) {
			continue
		}
		arg := &input{wire: prop.Name, in: "body", place: prop.Place}
		arg.required = strict && slices.Contains(f.Required, prop.Name)
		c.readSchemaNote(arg)
		only, need := forms.taking(prop.Name), forms.requiring(prop.Name)
		arg.schema = alsoSaid(c.inputSchema(arg, "", false), tellForms(only, need))
		c.add(arg, "body")
		args[prop.Name] = arg.name
		planned := c.field(arg, content)
		planned.Only, planned.Need = only, need
		b.Fields = append(b.Fields, planned)
	}
	if f.Rest.Node != nil {
		b.Rest = true
		c.rest = c.emitter.Text(f.Rest)
	}
	f.RequireOneOf(forms.sets())
	if !strict {
		f.Combos = nil
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
func (c *compiler) field(arg *input, content []mediaContent) plan.Field {
	planned := plan.Field{Arg: arg.name}
	if arg.name != arg.wire {
		planned.Name = arg.wire
	}
	for _, each := range content {
		k := mediatype.Of(each.media)
		if k == mediatype.Form || k == mediatype.Multipart {
			encode(&planned, each.owner.Node.Get("encoding").Get(arg.wire), k)
		}
		planned.Binary = planned.Binary || k == mediatype.Multipart && c.binaryField(each.schema, arg.wire)
	}
	return planned
}

// binaryField reports whether a field of an object is bytes, or a list of such.
func (c *compiler) binaryField(schema document.Place, name string) bool {
	f, ok := c.Flatten(schema)
	if !ok {
		return false
	}
	at := slices.IndexFunc(f.Fields, func(prop schemas.Property) bool { return prop.Name == name })
	return at >= 0 && c.binary(f.Fields[at].Place)
}

// encode reads an Encoding Object.
func encode(planned *plan.Field, how *rawjson.Node, kind mediatype.Kind) {
	planned.Media = how.Get("contentType").Str()
	style := how.Get("style").Str()
	if style != "form" {
		planned.Style = style
	}
	planned.Explode = kind == mediatype.Form && (style == "" || style == "form")
	if explode := how.Get("explode"); explode.Is(rawjson.KindBool) {
		planned.Explode = explode.Bool()
	}
}

// binary reports whether the values of a schema, or those in its list, are bytes.
func (c *compiler) binary(p document.Place) bool {
	p, err := c.Whole(p)
	if err != nil {
		return false
	}
	if schemas.TypesOf(p.Node).Only("array") {
		return c.binary(c.ChildAt(p, "items"))
	}
	return schemas.IsBinary(p.Node)
}

// isPlainObject reports whether a schema is that of an object with fields, and no union of such.
func (c *compiler) isPlainObject(p document.Place) bool {
	f, ok := c.Flatten(p)
	return ok && len(f.Fields) > 0 && len(f.Variants) == 0
}

// wholeInput makes one input of the body.
func (c *compiler) wholeInput(b *plan.Body, content []mediaContent, required bool) {
	first := content[0]
	arg := &input{wire: "body", in: "whole", place: first.schema, required: required}
	c.readSchemaNote(arg)
	switch mediatype.Of(first.media) {
	case mediatype.Text, mediatype.XML:
		arg.schema = c.textSchema("The body, sent as it is.", "contentMediaType", first.media)
	case mediatype.Binary:
		arg.schema = c.bytesSchema(first.media)
	case mediatype.Lines:
		arg.schema = slices.Concat([]byte(`{"type":"array","items":`), c.emitter.Text(first.schema), []byte(`}`))
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
	schema := c.emitter.Text(content[0].schema)
	for _, each := range content {
		if kind, _ := rawjson.Get(schema, "type"); mediatype.Base(each.media) == "application/json-patch+json" && string(kind) == `"object"` {
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
	n := c.bodyParam.Node
	if !c.swagger {
		p, err := c.Resolve(c.found.op.Get("requestBody"))
		if err != nil {
			return ""
		}
		n = p.Node
	}
	return strings.TrimSpace(n.Get("description").Str())
}

// choice lets a caller pick the media type where it matters.
func (c *compiler) choice(b *plan.Body, content []mediaContent) {
	if len(content) < 2 {
		return
	}
	var s rawjson.Object
	s.PutString("type", "string")
	s.PutStrings("enum", b.Media)
	if b.Parted() {
		s.PutString("description", fmt.Sprintf("How the body is sent. Left out, the fields given decide; where they do not, it is %s.", b.Media[0]))
	} else {
		s.PutString("description", fmt.Sprintf("How the body is sent; %s unless said otherwise.", b.Media[0]))
		s.Put("default", rawjson.Quote(b.Media[0]))
	}
	arg := &input{wire: "content_type", in: "choice", schema: s.Bytes()}
	c.add(arg, "body")
	b.Choice = arg.name
}

// textSchema is that of a body given as a text, with more keywords and their values; otherwise is said of it where
// the description says nothing.
func (c *compiler) textSchema(otherwise string, more ...string) []byte {
	var s rawjson.Object
	s.PutString("type", "string")
	s.PutString("description", cmp.Or(c.bodyText(), otherwise))
	for pair := range slices.Chunk(more, 2) {
		s.PutString(pair[0], pair[1])
	}
	return s.Bytes()
}

func (c *compiler) bytesSchema(media string) []byte {
	const about = "The bytes to send."
	if strings.Contains(media, "*") {
		return c.textSchema(about, "contentEncoding", "base64")
	}
	return c.textSchema(about, "contentEncoding", "base64", "contentMediaType", media)
}
