package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

// The types of tools, as existing bridges tell them apart. An unknown one counts as custom.
const (
	typeMCP     = "mcp"
	typeCustom  = "custom"
	typeVirtual = "virtual"
)

// foreignTag begins the tag of a list that came without one.
const foreignTag = "list:"

// tool is an entry of a list of tools: what a bridge is handed, and what an orchestrator answers.
type tool struct {
	Name        string
	Description string
	Input       json.RawMessage
	Output      json.RawMessage
	Server      string
	Type        string
	Effect      twodoor.Effect
}

// Tools reads a list of tool entries as bridges are handed them: {name, description, input_schema,
// server?, type: mcp|custom|virtual}. It is the reading of a relay: names stay as they are.
func (s *Source) Tools(raw json.RawMessage) (*twodoor.Reading, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if rawjson.Check(raw) != nil || rawjson.KindOf(raw) != rawjson.KindArray {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the list of tools is not a JSON array", Hint: `write it like [{"name":"search","description":"…","input_schema":{"type":"object"},"server":"notes","type":"mcp"}]`}
	}
	var tools []tool
	for entry := range rawjson.Elements(raw) {
		tools = append(tools, readTool(entry, ""))
	}
	return s.readTools(tools), nil
}

// lookForeign reads the tool list of an orchestrator that is no twodoor.
func (s *Source) lookForeign(ctx context.Context, tag string) (*Far, error) {
	var raw json.RawMessage
	_, err := s.get(ctx, s.toolsRoute(), "", &raw)
	if errors.Is(err, errNoRoute) {
		return nil, &twodoor.Error{Code: twodoor.CodeUpstream, Message: hostOf(s.URL) + " has no list of tools at " + base(s.URL) + s.toolsRoute(), Hint: "is this the address of a twodoor or of an orchestrator's API? Else hand the tools over as a list"}
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	newTag := foreignTag + hex.EncodeToString(sum[:12])
	if newTag == tag {
		return nil, nil
	}
	return &Far{Reading: s.readTools(foreignTools(raw)), Tag: newTag, Foreign: true}, nil
}

func (s *Source) toolsRoute() string {
	if strings.HasSuffix(base(s.URL), "/api") {
		return "/tools"
	}
	return "/api/tools"
}

// foreignTools takes both shapes in use: a flat list under tools, and an array of servers with their
// tools.
func foreignTools(raw json.RawMessage) (tools []tool) {
	list := raw
	if inner, ok := rawjson.Get(raw, "tools"); ok {
		list = inner
	}
	for entry := range rawjson.Elements(list) {
		inner, isServer := rawjson.Get(entry, "tools")
		if !isServer || rawjson.KindOf(inner) != rawjson.KindArray {
			tools = append(tools, readTool(entry, ""))
			continue
		}
		server := text(entry, "name")
		for one := range rawjson.Elements(inner) {
			tools = append(tools, readTool(one, server))
		}
	}
	return tools
}

// readTool reads one entry, in any of the spellings of its keys.
func readTool(raw json.RawMessage, server string) tool {
	if name, ok := rawjson.String(raw); ok {
		return tool{Name: name, Server: server, Type: typeMCP}
	}
	t := tool{Name: text(raw, "name"), Description: text(raw, "description"), Server: text(raw, "server"), Type: text(raw, "type"), Effect: effectOf(raw)}
	if t.Server == "" {
		t.Server = server
	}
	if t.Type == "" && t.Server != "" {
		t.Type = typeMCP
	}
	for _, key := range []string{"input_schema", "inputSchema", "parameters"} {
		if value, ok := rawjson.Get(raw, key); ok && rawjson.KindOf(value) == rawjson.KindObject && t.Input == nil {
			t.Input = value
		}
	}
	for _, key := range []string{"output_schema", "outputSchema"} {
		if value, ok := rawjson.Get(raw, key); ok && rawjson.KindOf(value) == rawjson.KindObject {
			t.Output = value
		}
	}
	return t
}

// effectOf takes what an entry says of its effect. Who says nothing writes.
func effectOf(raw json.RawMessage) twodoor.Effect {
	switch said := twodoor.Effect(text(raw, "effect")); said {
	case twodoor.Reads, twodoor.Writes, twodoor.Destroys:
		return said
	}
	reads, _ := rawjson.GetPath(raw, "annotations", "readOnlyHint")
	destroys, _ := rawjson.GetPath(raw, "annotations", "destructiveHint")
	switch {
	case string(reads) == "true":
		return twodoor.Reads
	case string(destroys) == "true":
		return twodoor.Destroys
	}
	return twodoor.Writes
}

// readTools makes operations of tools. One bad entry takes no other with it.
func (s *Source) readTools(tools []tool) *twodoor.Reading {
	reading := &twodoor.Reading{Source: s.Name, Title: "tools at " + hostOf(s.URL), Origins: []string{originOf(s.URL)}}
	spelled, ids := map[string]bool{}, map[string]bool{}
	for i := range tools {
		op := s.operationOf(&tools[i])
		if spelled[op.Spelling().MCP] && tools[i].Server != "" {
			op.Tool = tools[i].Server + "_" + tools[i].Name
			reading.Notes = append(reading.Notes, fmt.Sprintf("two tools are named %s: that of %s is %s", tools[i].Name, tools[i].Server, op.Spelling().MCP))
		}
		why := problemOf(op)
		if ids[op.ID] || spelled[op.Spelling().MCP] {
			why = "an earlier tool has its name"
		}
		if why != "" {
			reading.Exceptions = append(reading.Exceptions, twodoor.Exception{Operation: tools[i].Name, At: op.At, Reason: why})
			continue
		}
		ids[op.ID], spelled[op.Spelling().MCP] = true, true
		reading.Operations = append(reading.Operations, op)
	}
	return reading
}

func (s *Source) operationOf(t *tool) twodoor.Operation {
	p := plan{Source: s.Name, URL: base(s.URL), Relay: true, Type: t.Type, Server: t.Server, Tool: t.Name}
	if t.Type == typeMCP && t.Server == "" {
		p.Type = typeCustom
	}
	group := t.Server
	if group == "" {
		group = "tool"
	}
	op := twodoor.Operation{
		ID: s.Name + "." + idWord(group) + "." + idWord(t.Name), Kind: Kind, Description: t.Description, Effect: t.Effect,
		Input: objectSchema(t.Input), Output: t.Output, Verbatim: true, Plan: p.bytes(), Origin: "tool " + t.Name, At: "tool " + t.Name,
	}
	if s.Relay {
		op.Tool = t.Name
	}
	return op
}

// objectSchema is an input schema that hosts take: an empty one is that of an empty object.
func objectSchema(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || rawjson.Len(raw) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if _, typed := rawjson.Get(raw, "type"); !typed {
		return rawjson.Set(raw, "type", []byte(`"object"`))
	}
	return raw
}

func problemOf(op twodoor.Operation) string {
	if op.Tool == "" && strings.HasSuffix(op.ID, ".") {
		return "it has no name"
	}
	if _, err := schema.Compile(op.Input); err != nil {
		return "its input schema does not compile: " + err.Error()
	}
	return ""
}

// idWord is a name without what an id cannot hold.
func idWord(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r <= ' ' || r == '.' || r == '/' {
			return '-'
		}
		return r
	}, name), "-")
}

func text(raw []byte, key string) string {
	value, _ := rawjson.Get(raw, key)
	text, _ := rawjson.String(value)
	return text
}
