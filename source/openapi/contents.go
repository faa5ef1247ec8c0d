package openapi

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
	"github.com/twodoor/twodoor/source/openapi/schemas"
)

// mediaContent is one media type of a body, an answer or a parameter.
type mediaContent struct {
	media  string
	schema document.Place
	owner  document.Place // the media type object: encoding, examples
}

// contents reads the "content" of a body or an answer.
func (c *compiler) contents(owner document.Place) (list []mediaContent) {
	content := owner.Get("content")
	for media, item := range content.Node.Members() {
		p, err := c.Resolve(content.In(item))
		if err != nil {
			continue
		}
		list = append(list, mediaContent{media, p.Get("schema"), p})
	}
	return list
}

// content reads the "content" of a parameter, which has one media type.
func (c *compiler) content(owner document.Place) mediaContent {
	if list := c.contents(owner); len(list) > 0 {
		return list[0]
	}
	return mediaContent{}
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
	switch base := mediatype.Base(media); {
	case base == "application/json":
		return 0
	case base == "application/json-patch+json":
		return 3
	case strings.Contains(base, "*"):
		return 2
	}
	return map[mediatype.Kind]int{mediatype.JSON: 1, mediatype.Form: 4, mediatype.Multipart: 5, mediatype.Lines: 6, mediatype.Text: 7, mediatype.XML: 8, mediatype.Binary: 9}[mediatype.Of(media)]
}

// distinct reports whether a caller may have a reason to pick the second media type.
func distinct(first, other mediaContent) bool {
	sameSchema := document.Same(first.schema.Node, other.schema.Node)
	was, is := mediatype.Of(first.media), mediatype.Of(other.media)
	base := mediatype.Base(other.media)
	switch {
	case strings.Contains(base, "*"):
		return false
	case strings.Contains(base, "patch"):
		return !sameSchema || mediatype.Base(first.media) != "application/json" || base != "application/merge-patch+json"
	case sameSchema && (was == mediatype.JSON || was == mediatype.Form):
		return is == mediatype.Multipart && hasBinary(other.schema.Node)
	case was == mediatype.JSON || was == mediatype.Form || was == mediatype.Multipart:
		return is == mediatype.JSON || is == mediatype.Form || is == mediatype.Multipart
	}
	return true
}

func hasBinary(n *rawjson.Node) bool {
	if props := n.Get("properties"); props.Is(rawjson.KindObject) {
		return slices.ContainsFunc(props.Items, schemas.IsBinary)
	}
	return false
}
