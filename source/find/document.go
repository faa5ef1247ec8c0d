package find

import (
	"encoding/json"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Topic is what a document tells of.
type Topic uint8

// The topics. TopicAny is for queries only.
const (
	TopicAny Topic = iota
	TopicOperation
	TopicGuide
)

// Document is what the index knows of one thing that can be found.
type Document struct {
	ID          string // required; unique: the operation's id, the guide's name
	Topic       Topic  // required
	Source      string // the source that it belongs to; empty: none
	Name        string // its name without the source, in any spelling
	Title       string // one line, given back with a hit
	Description string
	Group       string // what the source says of its group
	Parameters  []Parameter
	Examples    []string       // titles of its examples
	Intents     []string       // requests that it answers, in the words of who asks
	Effect      twodoor.Effect // empty: not known
	Origin      string         // what it is at the far side: "POST /incidents/{id}/ack"
}

// Parameter is an input of an operation.
type Parameter struct {
	Name        string
	Description string
	Enum        []string
}

// Bounds of what is read of one operation: beyond them nothing is added that a request would name.
const (
	maxParameters = 80
	maxDepth      = 3
	maxEnum       = 40
	maxText       = 1200 // bytes of a description
)

// DocumentOf is the document of an operation. group is what its source says of the group.
func DocumentOf(op *twodoor.Operation, group string) Document {
	_, name, _ := strings.Cut(op.ID, ".")
	doc := Document{
		ID: op.ID, Topic: TopicOperation, Source: op.Source(), Name: name, Title: op.Title,
		Description: clip(op.Description, maxText), Group: group, Effect: op.Effect, Origin: op.Origin,
	}
	if op.Tool != "" && op.Verbatim {
		doc.Name += " " + op.Tool
	}
	for _, example := range op.Examples {
		doc.Examples = append(doc.Examples, example.Title)
	}
	r := reader{op: op, doc: &doc}
	r.properties(op.Input, 0)
	return doc
}

// DocumentsOf lists the documents of a catalog's operations, in the catalog's order. Operations of
// twodoor itself are left out: they are in every agent's hand already.
func DocumentsOf(c *twodoor.Catalog) ([]Document, error) {
	groups := map[string]string{}
	for _, source := range c.Sources() {
		for group, text := range source.Groups {
			groups[source.Name+"."+group] = text
		}
	}
	docs := make([]Document, 0, c.Len())
	for i, entry := range c.Entries() {
		if strings.HasPrefix(entry.ID, twodoor.OwnSource+".") || entry.Export == twodoor.ExportNone {
			continue
		}
		op, err := c.At(i)
		if err != nil {
			return nil, err
		}
		docs = append(docs, DocumentOf(op, groups[entry.ID[:strings.LastIndexByte(entry.ID, '.')]]))
	}
	return docs, nil
}

// reader collects the parameters of an input schema, shared schemas included.
type reader struct {
	op  *twodoor.Operation
	doc *Document
}

// properties reads one level before the levels below it, so that the bound cuts the deepest.
func (r *reader) properties(raw json.RawMessage, depth int) {
	if depth >= maxDepth {
		return
	}
	raw = r.follow(raw)
	properties, _ := rawjson.Get(raw, "properties")
	for name, place := range rawjson.Members(properties) {
		if len(r.doc.Parameters) == maxParameters {
			return
		}
		r.parameter(name, place)
	}
	for _, keyword := range []string{"allOf", "oneOf", "anyOf"} {
		branches, _ := rawjson.Get(raw, keyword)
		for branch := range rawjson.Elements(branches) {
			r.properties(branch, depth+1)
		}
	}
	for _, place := range rawjson.Members(properties) {
		property := r.follow(place)
		r.properties(property, depth+1)
		if items, ok := rawjson.Get(property, "items"); ok {
			r.properties(items, depth+1)
		}
	}
}

// parameter reads one property. What stands beside a reference describes this use of it.
func (r *reader) parameter(name string, place json.RawMessage) {
	property := r.follow(place)
	items, _ := rawjson.Get(property, "items")
	p := Parameter{Name: name, Description: textOf(place, "description")}
	if p.Description == "" {
		p.Description = textOf(property, "description")
	}
	p.Description = clip(p.Description, maxText/6)
	p.Enum = append(enumOf(property), enumOf(r.follow(items))...)
	r.doc.Parameters = append(r.doc.Parameters, p)
}

// follow takes a reference to a shared schema, one step after the other.
func (r *reader) follow(raw json.RawMessage) json.RawMessage {
	for range 4 {
		name, ok := strings.CutPrefix(textOf(raw, "$ref"), "#/$defs/")
		if !ok {
			return raw
		}
		own, found := rawjson.GetPath(r.op.Input, "$defs", name)
		if !found {
			own = r.op.Definition(name)
		}
		raw = own
	}
	return raw
}

func textOf(raw json.RawMessage, key string) string {
	value, _ := rawjson.Get(raw, key)
	text, _ := rawjson.String(value)
	return text
}

func enumOf(raw json.RawMessage) []string {
	var values []string
	list, _ := rawjson.Get(raw, "enum")
	for value := range rawjson.Elements(list) {
		if text, ok := rawjson.String(value); ok && len(values) < maxEnum {
			values = append(values, text)
		}
	}
	return values
}

// clip cuts a text at a word, at most n bytes long.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = text[:n]
	if at := strings.LastIndexAny(text, " \n\t"); at > n/2 {
		return text[:at]
	}
	return strings.ToValidUTF8(text, "")
}

// firstSentence is the first sentence or line of a text, at most n bytes.
func firstSentence(text string, n int) string {
	text = strings.TrimSpace(text)
	if at := strings.IndexByte(text, '\n'); at >= 0 {
		text = text[:at]
	}
	for _, end := range []string{". ", "。", "! ", "? "} {
		if at := strings.Index(text, end); at > 0 {
			text = text[:at+len(end)]
		}
	}
	return strings.TrimSpace(clip(text, n))
}
