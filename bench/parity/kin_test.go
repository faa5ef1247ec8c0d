package parity

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"sync"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// secondJudge is openapi3filter over a description that it can load.
type secondJudge struct{ doc *openapi3.T }

// newSecondJudge loads without validating: descriptions of the corpus fail that, and are right enough.
func newSecondJudge(file string, swagger bool) (*secondJudge, error) {
	moreDecoders()
	if !swagger {
		doc, err := openapi3.NewLoader().LoadFromFile(file)
		return &secondJudge{doc}, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var old openapi2.T
	if err := json.Unmarshal(data, &old); err != nil {
		return nil, err
	}
	doc, err := openapi2conv.ToV3(&old)
	return &secondJudge{doc}, err
}

// moreDecoders teaches openapi3filter, once, the media types of the corpus that it cannot decode.
var moreDecoders = sync.OnceFunc(func() {
	openapi3filter.RegisterBodyDecoder("application/apply-patch+yaml", openapi3filter.YamlBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/sdp", openapi3filter.PlainBodyDecoder)
})

// judge checks a request as the far side's own validator would. Of a call with everything at once
// the body is left out where it is a union: everything is no single branch of it.
func (j *secondJudge) judge(o *described, r *received, most bool) error {
	req, err := http.NewRequest(r.method, r.origin+r.path+"?"+r.query, bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	req.Header = r.header.Clone()
	if len(r.body) == 0 { // as a parameter it is to be ignored (OpenAPI 3.1 "Parameter Object"); it is not
		req.Header.Set("Content-Type", "application/json")
	}
	item := j.doc.Paths.Value(o.key)
	values, _, _ := o.template.match(r.below())
	for name, value := range values {
		values[name], _ = url.PathUnescape(value)
	}
	return openapi3filter.ValidateRequest(context.Background(), &openapi3filter.RequestValidationInput{
		Request: req, PathParams: values,
		Route: &routers.Route{Spec: j.doc, Path: o.key, PathItem: item, Method: r.method, Operation: item.GetOperation(r.method)},
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true, RegexCompiler: compileOrPass,
			ExcludeRequestBody: most && o.takesUnion() || o.deepForm(), ExcludeRequestQueryParams: o.deepLists(),
		},
	})
}

// takesUnion reports whether the body is one of several shapes.
func (o *described) takesUnion() (yes bool) {
	if o.body == nil {
		return false
	}
	for _, k := range o.body.kinds {
		o.doc.each(k.schema, false, func(s map[string]any) { yes = yes || s["oneOf"] != nil || s["anyOf"] != nil })
	}
	return yes
}

// deepLists reports whether a list is described as a deepObject, which openapi3filter refuses to read.
func (o *described) deepLists() bool {
	return slices.ContainsFunc(o.params, func(p parameter) bool { return p.style == "deepObject" && !o.doc.types(p.schema)["object"] })
}

// deepForm reports the same of the fields of a form.
func (o *described) deepForm() bool {
	if o.body == nil {
		return false
	}
	return slices.ContainsFunc(o.body.kinds, func(k kind) bool {
		for _, how := range k.encoding {
			if object(how)["style"] == "deepObject" {
				return true
			}
		}
		return false
	})
}

// compileOrPass takes expressions that RE2 does not have (asana: a back-reference) as true.
func compileOrPass(expr string) (openapi3.RegexMatcher, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return regexp.MustCompile(""), nil
	}
	return re, nil
}
