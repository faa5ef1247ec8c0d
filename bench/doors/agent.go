package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/door/mcpserver"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/find"
)

// cost is what tasks took. Tokens are estimated as the product estimates them.
type cost struct {
	Turns   int `json:"turns"`    // calls of the agent; the list that its host reads is none
	Read    int `json:"read"`     // tokens, the list of tools included
	Written int `json:"written"`  // tokens
	Bytes   int `json:"upstream"` // from upstream
	Missed  int `json:"missed"`   // operations that the search did not name
	Failed  int `json:"failed"`   // calls that were answered with an error

	Saved twodoor.Saved `json:"saved"` // by shaping answers, by cause
}

func (c *cost) add(o cost) {
	c.Turns, c.Read, c.Written = c.Turns+o.Turns, c.Read+o.Read, c.Written+o.Written
	c.Bytes, c.Missed, c.Failed = c.Bytes+o.Bytes, c.Missed+o.Missed, c.Failed+o.Failed
	c.Saved = plus(c.Saved, o.Saved)
}

func plus(a, b twodoor.Saved) twodoor.Saved {
	return twodoor.Saved{LeftOut: a.LeftOut + b.LeftOut, Fields: a.Fields + b.Fields, Cut: a.Cut + b.Cut, Encoded: a.Encoded + b.Encoded}
}

// turn counts one exchange.
func (c *cost) turn(written, read string) {
	c.Turns++
	c.Written += rawjson.Weigh([]byte(written))
	c.Read += rawjson.Weigh([]byte(read))
}

// doors are the ways in which the tasks are carried out.
var doors = []struct {
	name string
	run  func(*house, task) (cost, error)
}{{"cli", atCLI}, {"full list", inFull}, {"search", bySearch}, {"search, TOON", asTOON}}

// atCLI is an agent with a shell. It asks find, reads the help of what it found unless the first hit
// carries its schema, and calls.
func atCLI(h *house, t task) (c cost, err error) {
	for _, s := range t.Steps {
		op, err := h.operation(s)
		if err != nil {
			return c, err
		}
		found, err := h.Do(context.Background(), twodoor.Call{Operation: find.FindID, Door: twodoor.DoorCLI, Principal: twodoor.Operator,
			Arguments: rawjson.Set([]byte(`{}`), "query", rawjson.Quote(s.Ask))})
		if err != nil {
			return c, err
		}
		c.turn("twodoor find "+s.Ask, string(found.Value)+strings.Join(found.Notes, "\n"))
		words := strings.Split(op.ID, ".")
		if !c.learns(found.Value, op) {
			help, _ := h.shell(append(words, "--help"), "")
			c.turn("twodoor "+strings.Join(words, " ")+" --help", help)
		}
		line := append(words, "--data", "-")
		if s.Fields != "" {
			line = append(line, fieldsFlag(op), s.Fields)
		}
		if op.Effect == twodoor.Destroys {
			line = append(line, "--yes")
		}
		arguments := string(s.arguments(op))
		told, status := h.shell(line, arguments)
		c.turn("twodoor "+strings.Join(line, " ")+" <<<"+arguments, told)
		c.failed(status != 0)
	}
	c.Bytes, c.Saved = h.far.bytes(), h.saving()
	return c, nil
}

// fieldsFlag is how the flag is spelled beside an input of the same name.
func fieldsFlag(op *twodoor.Operation) string {
	if _, own := rawjson.GetPath(op.Input, "properties", "fields"); own {
		return "--want-fields"
	}
	return "--fields"
}

// shell runs a command line and returns all that it prints.
func (h *house) shell(argv []string, stdin string) (string, int) {
	var out bytes.Buffer
	door := &cli.Door{Engine: h.Engine, Principal: twodoor.Operator, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &out}
	status := door.Run(context.Background(), argv)
	return out.String(), status
}

// inFull is an agent whose host lists every operation.
func inFull(h *house, t task) (c cost, err error) {
	if err := h.list(&c, twodoor.ExposeFull); err != nil {
		return c, err
	}
	for _, s := range t.Steps {
		op, err := h.operation(s)
		if err != nil {
			return c, err
		}
		arguments := s.arguments(op)
		if s.Fields != "" {
			arguments = rawjson.Set(arguments, twodoor.WantKey, want(s, ""))
		}
		if err := h.tool(&c, op.Spelling().MCP, arguments); err != nil {
			return c, err
		}
	}
	c.Bytes, c.Saved = h.far.bytes(), h.saving()
	return c, nil
}

// bySearch is an agent whose host lists the tools that find others.
func bySearch(h *house, t task) (cost, error) { return searching(h, t, "") }

func searching(h *house, t task, format twodoor.Format) (c cost, err error) {
	if err := h.list(&c, twodoor.ExposeSearch); err != nil {
		return c, err
	}
	for _, s := range t.Steps {
		op, err := h.operation(s)
		if err != nil {
			return c, err
		}
		found, err := h.mcp(&c, "find_operations", rawjson.Set([]byte(`{}`), "query", rawjson.Quote(s.Ask)))
		if err != nil {
			return c, err
		}
		if !c.learns(found, op) {
			if _, err := h.mcp(&c, "describe_operations", fmt.Appendf(nil, `{"ids":[%q]}`, op.ID)); err != nil {
				return c, err
			}
		}
		call := rawjson.Object{}
		call.PutString("id", op.ID)
		call.Put("arguments", s.arguments(op))
		if s.Fields != "" || format != "" {
			call.Put("want", want(s, format))
		}
		tool := map[twodoor.Effect]string{twodoor.Reads: "read_operation", twodoor.Writes: "write_operation", twodoor.Destroys: "destroy_operation"}[op.Effect]
		if err := h.tool(&c, tool, call.Bytes()); err != nil {
			return c, err
		}
	}
	c.Bytes, c.Saved = h.far.bytes(), h.saving()
	return c, nil
}

// asTOON is an agent by search that asks for its answers as TOON.
func asTOON(h *house, t task) (cost, error) { return searching(h, t, twodoor.FormatTOON) }

// learns reports whether what was found tells the schema of the operation, and counts one that was
// not found at all.
func (c *cost) learns(found []byte, op *twodoor.Operation) bool {
	hits, _ := rawjson.Get(found, "hits")
	for hit := range rawjson.Elements(hits) {
		if id, _ := rawjson.Get(hit, "id"); string(id) == string(rawjson.Quote(op.ID)) {
			_, carried := rawjson.Get(hit, "schema")
			return carried
		}
	}
	c.Missed++
	return false
}

func (c *cost) failed(failed bool) {
	if failed {
		c.Failed++
	}
}

func want(s step, format twodoor.Format) []byte {
	var w rawjson.Object
	if s.Fields != "" {
		w.PutString("fields", s.Fields)
	}
	if format != "" {
		w.PutString("format", string(format))
	}
	return w.Bytes()
}

// operation is the one of a step; a stub answers for it from now on.
func (h *house) operation(s step) (*twodoor.Operation, error) {
	op, _, err := h.Catalog().Find(s.Operation)
	if err == nil && op == nil {
		err = fmt.Errorf("there is no operation %s", s.Operation)
	}
	h.far.next = op
	return op, err
}

// list reads the tools as a host does once, before the first turn.
func (h *house) list(c *cost, expose twodoor.Expose) error {
	tools, err := (&mcpserver.Door{Engine: h.Engine}).Tools(twodoor.Operator, "", expose)
	for _, tool := range tools {
		c.Read += rawjson.Weigh(tool)
	}
	return err
}

func (h *house) tool(c *cost, name string, arguments []byte) error {
	_, err := h.mcp(c, name, arguments)
	return err
}

// mcp makes a tools/call and returns the first block of its content; all blocks are read.
func (h *house) mcp(c *cost, name string, arguments []byte) ([]byte, error) {
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}}}}`+"\n", name, rawjson.Compact(nil, arguments))
	var out bytes.Buffer
	if err := (&mcpserver.Door{Engine: h.Engine}).ServeStdio(context.Background(), bytes.NewReader(line), &out); err != nil && err != io.EOF {
		return nil, err
	}
	var answer struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
		Error json.RawMessage
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", name, err)
	}
	read := string(answer.Error)
	for _, block := range answer.Result.Content {
		read += block.Text + "\n"
	}
	c.turn(name+" "+string(arguments), read)
	c.failed(answer.Result.IsError || answer.Error != nil)
	if len(answer.Result.Content) == 0 {
		return nil, nil
	}
	return []byte(answer.Result.Content[0].Text), nil
}

func splitPath(path string) []string { return strings.Split(path, ".") }
