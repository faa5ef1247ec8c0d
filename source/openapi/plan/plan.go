package plan

import (
	"encoding/json"
	"slices"

	"github.com/twodoor/twodoor"
)

// Plan is how one operation becomes an HTTP request: what reading leaves in Operation.Plan, and all
// that invoking knows. Keys are short because a catalog holds thousands of plans.
type Plan struct {
	Method string                     `json:"m"`
	Server string                     `json:"s,omitempty"`  // absolute base URL, variables filled in, no slash at the end; empty: none is known
	Path   string                     `json:"p"`            // template: /incidents/{id}; what followed # is gone
	Query  string                     `json:"q,omitempty"`  // constant query that the path key carried
	Params []Param                    `json:"a,omitempty"`  // in the order of the description
	Body   *Body                      `json:"b,omitempty"`  // nil: no body
	Accept []string                   `json:"ac,omitempty"` // media types of the declared answers, JSON first
	Need   [][]twodoor.Scheme         `json:"n,omitempty"`  // security: any one of these, all of its schemes
	Fix    map[string]json.RawMessage `json:"f,omitempty"`  // inputs that are always sent, and hidden from callers
}

// Param is one parameter of the path, query, header or cookie (OpenAPI 3.1 "Parameter Object").
type Param struct {
	Arg      string `json:"g"`            // the input's name
	Name     string `json:"n,omitempty"`  // its name on the wire; empty: Arg
	In       string `json:"i"`            // path, query, header, cookie
	Style    string `json:"s,omitempty"`  // empty: the default of In: simple or form
	Explode  bool   `json:"e,omitempty"`  // resolved: the default of the style is already in it
	Reserved bool   `json:"r,omitempty"`  // allowReserved
	Media    string `json:"c,omitempty"`  // "content": the value is sent as this media type
	Empty    bool   `json:"ev,omitempty"` // allowEmptyValue
	Required bool   `json:"q,omitempty"`
}

// Body is the request body (OpenAPI 3.1 "Request Body Object").
type Body struct {
	Media    []string `json:"m"`           // the media types that it may have, the one to use first
	Choice   string   `json:"c,omitempty"` // the input by which a caller picks another media type; empty: there is none
	Arg      string   `json:"g,omitempty"` // one input is the whole body; empty: it is an object of Fields
	Fields   []Field  `json:"f,omitempty"` // inputs that are its fields, in the order of the schema
	Rest     bool     `json:"r,omitempty"` // inputs that nothing else names are fields too
	Required bool     `json:"q,omitempty"` // sent as {} when no field is given
}

// Field is one property of an object body, with its encoding where it has one (OpenAPI 3.1 "Encoding Object").
type Field struct {
	Arg     string `json:"g"`
	Name    string `json:"n,omitempty"` // on the wire; empty: Arg
	Media   string `json:"c,omitempty"` // multipart: content type of the part
	Style   string `json:"s,omitempty"` // form: deepObject, …
	Explode bool   `json:"e,omitempty"`
	Binary  bool   `json:"b,omitempty"` // bytes: base64, or a data: URL that carries type and name

	Only []string `json:"o,omitempty"` // the media types of the body that take it; empty: all
	Need []string `json:"d,omitempty"` // those that require it, where not all do
}

// Parted reports whether the media types of the body do not all have the same fields.
func (b *Body) Parted() bool {
	return slices.ContainsFunc(b.Fields, func(f Field) bool { return f.Only != nil || f.Need != nil })
}

// Wire is the parameter's name in the request.
func (p *Param) Wire() string {
	if p.Name != "" {
		return p.Name
	}
	return p.Arg
}

// Wire is the field's name in the body.
func (f *Field) Wire() string {
	if f.Name != "" {
		return f.Name
	}
	return f.Arg
}
