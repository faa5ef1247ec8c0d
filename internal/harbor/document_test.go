package harbor_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/twodoor/twodoor/internal/harbor"
)

// object is a JSON object of the document.
type object = map[string]any

// operation is one documented operation with its references followed.
type operation struct {
	method, path string
	spec         object
	parameters   []object
	pointer      string // where it stands in the document
}

func (op operation) String() string { return op.method + " " + op.path }

// reading is the document as the tests read it.
type reading struct {
	root     object
	compiler *jsonschema.Compiler
}

func read(t *testing.T) *reading {
	t.Helper()
	var root object
	if err := yaml.Unmarshal(harbor.New(harbor.Options{}).Document(), &root); err != nil {
		t.Fatal(err)
	}
	doc := &reading{root: root, compiler: jsonschema.NewCompiler()}
	doc.compiler.AssertFormat()
	strict := toJSON(t, root)
	forbidUndeclared(strict, shared(strict))
	if err := doc.compiler.AddResource("doc.json", strict); err != nil {
		t.Fatal(err)
	}
	return doc
}

// toJSON gives the value as a JSON reader would see it.
func toJSON(t *testing.T, value any) any {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// forbidUndeclared closes every object that lists its properties, so that an answer cannot hold more than is documented.
// Parts of an allOf stay open: they only ever describe half of an object.
func forbidUndeclared(value any, open map[string]bool) {
	switch node := value.(type) {
	case object:
		_, lists := node["properties"].(object)
		if _, said := node["additionalProperties"]; lists && !said {
			node["additionalProperties"] = false
		}
		for name, inner := range node {
			if name == "allOf" || open[name] {
				continue
			}
			forbidUndeclared(inner, open)
		}
	case []any:
		for _, inner := range node {
			forbidUndeclared(inner, open)
		}
	}
}

// shared are the names of the schemas that an allOf takes in.
func shared(value any) map[string]bool {
	found := map[string]bool{}
	var walk func(any)
	walk = func(value any) {
		switch node := value.(type) {
		case object:
			parts, _ := node["allOf"].([]any)
			for _, part := range parts {
				ref, _ := part.(object)["$ref"].(string)
				found[strings.TrimPrefix(ref, "#/components/schemas/")] = true
			}
			for _, inner := range node {
				walk(inner)
			}
		case []any:
			for _, inner := range node {
				walk(inner)
			}
		}
	}
	walk(value)
	return found
}

func (doc *reading) follow(value any) object {
	node, _ := value.(object)
	ref, isRef := node["$ref"].(string)
	if !isRef {
		return node
	}
	var at any = doc.root
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at = at.(object)[part]
	}
	return at.(object)
}

func (doc *reading) operations() []operation {
	var all []operation
	for path, value := range doc.root["paths"].(object) {
		item := value.(object)
		shared, _ := item["parameters"].([]any)
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			spec, has := item[method].(object)
			if !has {
				continue
			}
			own, _ := spec["parameters"].([]any)
			op := operation{method: strings.ToUpper(method), path: path, spec: spec,
				pointer: "doc.json#/paths/" + escape(path) + "/" + method}
			for _, parameter := range append(append([]any{}, shared...), own...) {
				op.parameters = append(op.parameters, doc.follow(parameter))
			}
			all = append(all, op)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].String() < all[j].String() })
	return all
}

func escape(part string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
}

// contents are the declared media types of a body or an answer, with the schema's place.
func (doc *reading) contents(owner any, pointer string) map[string]string {
	node, _ := owner.(object)
	if ref, isRef := node["$ref"].(string); isRef {
		pointer = "doc.json" + ref
	}
	found := map[string]string{}
	contents, _ := doc.follow(owner)["content"].(object)
	for media := range contents {
		found[media] = pointer + "/content/" + escape(media) + "/schema"
	}
	return found
}

func (doc *reading) check(pointer string, body []byte) error {
	schema, err := doc.compiler.Compile(pointer)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// clock is a time that moves only when told to.
type clock struct{ now time.Time }

func newClock() *clock                       { return &clock{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)} }
func (c *clock) Now() time.Time              { return c.now }
func (c *clock) move(d time.Duration) *clock { c.now = c.now.Add(d); return c }

func serve(t *testing.T, options harbor.Options) (*httptest.Server, *harbor.Server) {
	t.Helper()
	if options.Now == nil {
		options.Now = newClock().Now
	}
	service := harbor.New(options)
	server := httptest.NewServer(service.Handler())
	t.Cleanup(server.Close)
	return server, service
}

// answer is what came back, read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func send(t *testing.T, r *http.Request) answer {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, body}
}

// build makes the request of an operation from the examples of its parameters and the example of one body.
func (op operation) build(t *testing.T, base, media string, body any) *http.Request {
	t.Helper()
	path, query := op.path, []string{}
	header, cookies := http.Header{}, []*http.Cookie{}
	for _, parameter := range op.parameters {
		name, example := parameter["name"].(string), parameter["example"]
		if example == nil {
			if parameter["required"] == true {
				t.Fatalf("%s: required %s has no example", op, name)
			}
			continue
		}
		switch parameter["in"] {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(fmt.Sprint(example)))
		case "query":
			query = append(query, styled(parameter, name, example)...)
		case "header":
			header.Set(name, fmt.Sprint(example))
		case "cookie":
			cookies = append(cookies, &http.Cookie{Name: name, Value: fmt.Sprint(example)})
		}
	}
	content, contentType := encodeBody(t, media, body)
	r, err := http.NewRequest(op.method, base+path+"?"+strings.Join(query, "&"), bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for _, cookie := range cookies {
		r.AddCookie(cookie)
	}
	return r
}

// styled writes a query parameter by the style table of OpenAPI 3.1.
func styled(parameter object, name string, example any) []string {
	switch value := example.(type) {
	case object:
		var pairs []string
		for key, inner := range value {
			pairs = append(pairs, name+url.QueryEscape("["+key+"]")+"="+url.QueryEscape(fmt.Sprint(inner)))
		}
		return pairs
	case []any:
		separators := map[any]string{nil: ",", "form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}
		var parts, pairs []string
		for _, item := range value {
			parts = append(parts, url.QueryEscape(fmt.Sprint(item)))
			pairs = append(pairs, name+"="+url.QueryEscape(fmt.Sprint(item)))
		}
		if explode, said := parameter["explode"]; said && explode == false {
			return []string{name + "=" + strings.Join(parts, separators[parameter["style"]])}
		}
		return pairs
	}
	return []string{name + "=" + url.QueryEscape(fmt.Sprint(example))}
}

func encodeBody(t *testing.T, media string, body any) ([]byte, string) {
	t.Helper()
	switch media {
	case "":
		return nil, ""
	case "text/plain":
		return []byte(body.(string)), media
	case "application/x-www-form-urlencoded":
		form := url.Values{}
		for name, value := range body.(object) {
			items, isList := value.([]any)
			if !isList {
				items = []any{value}
			}
			for _, item := range items {
				form.Add(name, fmt.Sprint(item))
			}
		}
		return []byte(form.Encode()), media
	case "multipart/form-data":
		return encodeForm(t, body.(object))
	}
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return raw, media
}

func encodeForm(t *testing.T, fields object) ([]byte, string) {
	t.Helper()
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	for name, value := range fields {
		disposition := map[string]string{"name": name}
		if name == "file" {
			disposition["filename"] = "pool.txt"
		}
		part, err := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {formatDisposition(disposition)}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(part, value)
	}
	form.Close()
	return buffer.Bytes(), form.FormDataContentType()
}

func formatDisposition(fields map[string]string) string {
	text := `form-data; name="` + fields["name"] + `"`
	if fields["filename"] != "" {
		text += `; filename="` + fields["filename"] + `"`
	}
	return text
}
