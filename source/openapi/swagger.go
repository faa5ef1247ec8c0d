package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

// What Swagger 2.0 says in its own way, told as OpenAPI 3 says it.

// collection reads collectionFormat: a style and whether it is exploded.
func collection(n *rawjson.Node, planned *plan.Param) error {
	style, explode, err := collectionStyle(n)
	if err != nil {
		return err
	}
	planned.Style, planned.Explode = style, explode
	if n.Get("type").Str() != "array" {
		planned.Style, planned.Explode = "", planned.In == "query"
	}
	planned.Empty = n.Get("allowEmptyValue").Bool()
	planned.Reserved = planned.In == "path" && n.Get("x-multi-segment").Bool()
	return nil
}

func collectionStyle(n *rawjson.Node) (style string, explode bool, err error) {
	switch format := n.Get("collectionFormat").Str(); format {
	case "", "csv":
		return "", false, nil
	case "multi":
		return "", true, nil
	case "ssv":
		return "spaceDelimited", false, nil
	case "pipes":
		return "pipeDelimited", false, nil
	default:
		return "", false, fmt.Errorf("the parameter %q has the collectionFormat %q, which cannot be sent", n.Get("name").Str(), format)
	}
}

// swaggerBody makes a body of a parameter in: body, or of those in: formData.
func (c *compiler) swaggerBody() (content []mediaContent, required bool) {
	consumes := c.found.op.Node.Get("consumes")
	if consumes == nil {
		consumes = c.document.Root.Get("consumes")
	}
	media := consumes.Strings()
	switch {
	case c.bodyParam.Node != nil:
		if len(media) == 0 {
			media = []string{"application/json"}
		}
		schema := c.bodyParam.Get("schema")
		for _, m := range media {
			content = append(content, mediaContent{media: m, schema: schema, owner: c.bodyParam})
		}
		return content, c.bodyParam.Node.Get("required").Bool()
	case len(c.formParams) > 0:
		return []mediaContent{c.form(media)}, false
	}
	return nil, false
}

// form makes one schema of the parameters in: formData.
func (c *compiler) form(media []string) mediaContent {
	props := &rawjson.Node{Kind: rawjson.KindObject}
	encoding := &rawjson.Node{Kind: rawjson.KindObject}
	var required []string
	file := false
	for _, p := range c.formParams {
		name := p.Node.Get("name").Str()
		props.Put(name, p.Node)
		c.Belongs(p)
		file = file || p.Node.Get("type").Str() == "file"
		if p.Node.Get("required").Bool() {
			required = append(required, name)
		}
		if style, explode, err := collectionStyle(p.Node); err == nil && p.Node.Get("type").Str() == "array" {
			how := document.Object("style", rawjson.StringNode(orForm(style)))
			how.Put("explode", document.Bool(explode))
			encoding.Put(name, how)
		}
	}
	schema := document.Object("type", rawjson.StringNode("object"))
	schema.Put("properties", props)
	schema.Put("required", document.Strings(required))
	kind := "application/x-www-form-urlencoded"
	if file || slices.ContainsFunc(media, func(m string) bool { return strings.HasPrefix(m, "multipart/") }) && !slices.Contains(media, kind) {
		kind = "multipart/form-data"
	}
	owner := document.Object("encoding", encoding)
	return mediaContent{media: kind, schema: c.found.op.In(schema), owner: c.found.op.In(owner)}
}

func orForm(style string) string {
	if style == "" {
		return "form"
	}
	return style
}

// swaggerServer is the base URL of scheme, host and basePath; what is missing is left to be
// resolved against the address of the description.
func swaggerServer(root *rawjson.Node, schemes []string) string {
	host := root.Get("host").Str()
	base := root.Get("basePath").Str()
	if host == "" {
		return base
	}
	scheme := "https"
	if len(schemes) > 0 && !slices.Contains(schemes, "https") {
		scheme = schemes[0]
	}
	return scheme + "://" + host + base
}
