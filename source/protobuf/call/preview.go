package call

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/protobuf/plan"
)

// Preview shows the request that Invoke would send: over gRPC as a grpcurl command, which needs the
// server's reflection, else as curl; and as data. Where the Doer is a Masker it shows where the key
// goes, masked.
func (v *Invoker) Preview(ctx context.Context, in *twodoor.Invocation) (*twodoor.Preview, error) {
	m, err := v.ready(in.Operation)
	if err != nil {
		return nil, err
	}
	if err := m.reachable(in.Operation.Source()); err != nil {
		return nil, err
	}
	c := &calling{invoker: v, method: m, in: in}
	req, body, err := c.shown(ctx)
	if err != nil {
		return nil, err
	}
	if masker, ok := v.Doer.(Masker); ok {
		if req, err = masker.Mask(req, c.access()); err != nil {
			return nil, err
		}
	}
	return &twodoor.Preview{Text: c.command(req, body), Detail: detail(req, body)}, nil
}

// shown is the request with its message as JSON, whatever the wire makes of it.
func (c *calling) shown(ctx context.Context) (*http.Request, []byte, error) {
	if c.method.Wire == plan.REST {
		return c.httpRequest(ctx)
	}
	body, err := c.inputJSON()
	if err != nil {
		return nil, nil, err
	}
	if _, err := c.input(); err != nil { // what cannot be sent is told here too
		return nil, nil, err
	}
	address, verb := c.method.Server+c.method.Path(), http.MethodPost
	if c.method.Wire == plan.Connect && c.method.Safe && !c.method.Stream {
		query := url.Values{"connect": {"v1"}, "encoding": {"json"}, "message": {string(body)}}
		if get := address + "?" + query.Encode(); len(get) <= maxURL {
			address, verb, body = get, http.MethodGet, nil
		}
	}
	req, err := http.NewRequestWithContext(ctx, verb, address, bytes.NewReader(body))
	if err != nil {
		return nil, nil, fmt.Errorf("build the request of %s: %w", c.in.Operation.ID, err)
	}
	if req.Header.Set("User-Agent", c.invoker.agent()); body != nil {
		req.Header.Set("Content-Type", c.contentType())
	}
	if c.method.Wire == plan.Connect || c.method.Wire == plan.ConnectBinary {
		req.Header.Set("Connect-Protocol-Version", "1")
	}
	return req, body, nil
}

func (c *calling) contentType() string {
	switch c.method.Wire {
	case plan.GRPC:
		return "application/grpc"
	case plan.GRPCWeb:
		return "application/grpc-web"
	}
	if c.method.Stream {
		return "application/connect+json"
	}
	return "application/json" // curl sends JSON to a server that takes either
}

// command is the request as a command line.
func (c *calling) command(req *http.Request, body []byte) string {
	if c.method.Wire == plan.GRPC {
		return c.grpcurl(req, body)
	}
	lines := []string{"curl " + quoteShell(req.URL.String())}
	if req.Method != http.MethodGet || body != nil {
		lines[0] = "curl -X " + req.Method + " " + quoteShell(req.URL.String())
	}
	for _, name := range headerNames(req.Header) {
		lines = append(lines, "-H "+quoteShell(name+": "+strings.Join(req.Header[name], ", ")))
	}
	if body != nil {
		lines = append(lines, "--data-raw "+quoteShell(string(body)))
	}
	return strings.Join(lines, " \\\n  ")
}

func (c *calling) grpcurl(req *http.Request, body []byte) string {
	lines := []string{"grpcurl"}
	host := req.URL.Host
	if req.URL.Scheme == "http" {
		lines[0] += " -plaintext"
	} else if req.URL.Port() == "" {
		host += ":443"
	}
	for _, name := range headerNames(req.Header) {
		if name != "Content-Type" && name != "User-Agent" {
			lines = append(lines, "-H "+quoteShell(name+": "+strings.Join(req.Header[name], ", ")))
		}
	}
	lines = append(lines, "-d "+quoteShell(string(body)), host+" "+c.method.Service+"/"+c.method.Method)
	return strings.Join(lines, " \\\n  ")
}

// detail is the request as {"method","url","headers","body"}.
func detail(req *http.Request, body []byte) json.RawMessage {
	var headers, out rawjson.Object
	for _, name := range headerNames(req.Header) {
		headers.PutString(name, strings.Join(req.Header[name], ", "))
	}
	out.PutString("method", req.Method)
	out.PutString("url", req.URL.String())
	out.Put("headers", headers.Bytes())
	out.Put("body", body)
	return out.Bytes()
}

func headerNames(header http.Header) []string {
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// quoteShell makes one word of a text for a POSIX shell.
func quoteShell(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
