package parity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/auth/outbound"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/door/mcpserver"
	"github.com/twodoor/twodoor/source/openapi"
)

// target stands for the servers of a description that names none.
const target = "http://stub.test/base/v9"

// house is one description behind both doors.
type house struct {
	doc     *document
	stub    *stub
	reading *twodoor.Reading
	engine  *twodoor.Engine
	handler http.Handler
	defs    map[string]any
}

// build reads a description, and stands its doors before the stub.
func build(file string) (*house, error) {
	doc, err := readDocument(file)
	if err != nil {
		return nil, err
	}
	source := &openapi.Source{Name: "api", File: file}
	if doc.root["servers"] == nil && doc.root["host"] == nil {
		source.Target = target
	}
	far := &stub{doc: doc}
	client := &outbound.Client{Transport: far, Sources: map[string]outbound.Rule{}}
	rule := outbound.Rule{Origins: []string{target}}
	client.Connections, rule.ByScheme = doc.connections()
	for _, o := range doc.operations {
		if at, err := url.Parse(o.base); err == nil && at.Host != "" && !slices.Contains(rule.Origins, at.Scheme+"://"+at.Host) {
			rule.Origins = append(rule.Origins, at.Scheme+"://"+at.Host)
		}
	}
	client.Sources["api"] = rule
	h, err := stand(source, client)
	if err != nil {
		return nil, err
	}
	h.doc, h.stub = doc, far
	return h, nil
}

// to is a visit of an operation where its description says it is.
func to(o *described) *visit {
	if o.base == "" {
		return &visit{of: o, base: target}
	}
	return &visit{of: o, base: o.base}
}

// stand reads a description with the product, and stands its doors before a far side.
func stand(source *openapi.Source, far openapi.Doer) (*house, error) {
	h := &house{defs: map[string]any{}}
	var err error
	if h.reading, err = source.Read(context.Background()); err != nil {
		return nil, err
	}
	catalog, err := twodoor.NewCatalog(h.reading)
	if err != nil {
		return nil, err
	}
	h.engine = &twodoor.Engine{Invokers: map[string]twodoor.Invoker{openapi.Kind: &openapi.Invoker{Doer: far}}}
	h.engine.Serve(catalog)
	h.handler = (&mcpserver.Door{Engine: h.engine, Name: "parity", Version: "1"}).Handler()
	return h, nil
}

// definition is a shared schema of the operations' inputs, decoded once.
func (h *house) definition(ref string) any {
	name, ok := strings.CutPrefix(ref, "#/$defs/")
	if !ok {
		return nil
	}
	if _, known := h.defs[name]; !known {
		h.defs[name] = json2any(h.reading.Definitions[name])
	}
	return h.defs[name]
}

// outcome is what a door gave back.
type outcome struct {
	came []*received
	text string // the value: of the CLI its stdout, of MCP the first block
	note string // everything said beside it
	ok   bool
	cut  bool
}

// callCLI makes a call by command line.
func (h *house) callCLI(o *described, l line) outcome {
	v := to(o)
	var out, said bytes.Buffer
	door := &cli.Door{Engine: h.engine, Principal: twodoor.Operator, Stdin: strings.NewReader(l.stdin), Stdout: &out, Stderr: &said}
	status := door.Run(visiting(context.Background(), v), l.words)
	return outcome{came: v.came, text: out.String(), note: said.String(), ok: status == 0}
}

// callMCP makes a call by tools/call of the modern revision.
func (h *house) callMCP(o *described, op *twodoor.Operation, args []byte) outcome {
	v := to(o)
	tool := op.Spelling().MCP
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"parity","version":"1"}}}}`, tool, args)
	req := httptest.NewRequestWithContext(visiting(context.Background(), v), "POST", "http://127.0.0.1/mcp", strings.NewReader(body))
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool} {
		req.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, req)
	var answer struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
			Meta    map[string]json.RawMessage `json:"_meta"`
		}
		Error json.RawMessage
	}
	out := outcome{came: v.came}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Error != nil {
		out.note = w.Body.String()
		return out
	}
	for i, block := range answer.Result.Content {
		if i == 0 {
			out.text = block.Text
		}
		out.note += block.Text + "\n"
	}
	out.ok = !answer.Result.IsError
	out.cut = answer.Result.Meta["twodoor/cut"] != nil
	return out
}

// differ says in what two requests are not the same: method, address, headers, and the body by its kind.
func differ(a, b *received) (faults []string) {
	if a.method != b.method || a.origin+a.path != b.origin+b.path {
		faults = append(faults, fmt.Sprintf("%s %s%s and %s %s%s", a.method, a.origin, a.path, b.method, b.origin, b.path))
	}
	if x, y := alike(a.query), alike(b.query); x != y {
		faults = append(faults, fmt.Sprintf("the query %s and %s", cut(x), cut(y)))
	}
	for _, name := range slices.Sorted(keysOf(a.header, b.header)) {
		x, y := strings.Join(a.header[name], "\n"), strings.Join(b.header[name], "\n")
		if name == "Content-Type" && strings.HasPrefix(x, "multipart/") {
			x, y = a.media(), b.media()
		}
		if x != y && name != "Content-Length" {
			faults = append(faults, fmt.Sprintf("the header %s: %q and %q", name, x, y))
		}
	}
	if x, y := a.content(), b.content(); !equal(x, y) {
		faults = append(faults, fmt.Sprintf("the body %s and %s", cut(string(a.body)), cut(string(b.body))))
	}
	return faults
}

func keysOf(headers ...http.Header) func(yield func(string) bool) {
	seen := map[string]bool{}
	return func(yield func(string) bool) {
		for _, h := range headers {
			for name := range h {
				if !seen[name] && !yield(name) {
					return
				}
				seen[name] = true
			}
		}
	}
}

// alike is a query or form whose pairs are sorted by name: the order of names says nothing, that
// within one name does.
func alike(query string) string {
	all := pairs(query)
	slices.SortStableFunc(all, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	out := ""
	for _, q := range all {
		out += "&" + q.name + "=" + q.value
	}
	return out
}

// content is a body as a value that compares.
func (r *received) content() any {
	switch media := r.media(); {
	case strings.HasSuffix(media, "json"):
		return json2any(r.body)
	case media == "application/x-www-form-urlencoded":
		return alike(string(r.body))
	case strings.HasPrefix(media, "multipart/"):
		_, boundary, _ := strings.Cut(r.header.Get("Content-Type"), "boundary=")
		parts := strings.Split(string(r.body), strings.Trim(boundary, `"`))
		slices.Sort(parts)
		return strings.Join(parts, "")
	}
	return string(r.body)
}
