package rest

import (
	"context"
	"net/http"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/hosts"
)

// The types of tools, as existing bridges tell them apart.
const (
	typeMCP     = "mcp"     // of an upstream MCP server
	typeVirtual = "virtual" // our own
	typeCustom  = "custom"  // everything else
)

// kindMCP is the kind of operations that are tools of upstream MCP servers.
const kindMCP = "mcp"

func typeOf(op *twodoor.Operation) string {
	switch {
	case op.Source() == twodoor.OwnSource:
		return typeVirtual
	case op.Kind == kindMCP:
		return typeMCP
	}
	return typeCustom
}

// pathOf is the route that calls an operation.
func pathOf(op *twodoor.Operation) string {
	name := op.Spelling().MCP
	if typeOf(op) == typeMCP {
		return "/tools/mcp/" + op.Source() + "/" + name
	}
	return "/tools/" + typeOf(op) + "/" + name
}

// listTools answers GET /tools: every tool of the profile, and the servers they are of.
func (d *Door) listTools(w http.ResponseWriter, r *http.Request, who asker) {
	query := r.URL.Query()
	format, server, words := query.Get("format"), query.Get("server"), query.Get("q")
	write, known := d.toolFormat(format)
	if !known && format != "servers" {
		refuse(w, r, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no format " + format, Hint: "the formats are mcp, openai, anthropic and servers; without one: the flat list"})
		return
	}
	if format == "servers" {
		body, err := d.serverArray(r.Context(), who, server)
		if err != nil {
			refuse(w, r, err)
			return
		}
		newList(body).serve(w, r)
		return
	}
	tools, err := d.lists.get(d.Engine.Catalog(), keyOf(who, "tools", format, server, words), func() ([]byte, error) {
		return d.toolArray(who, server, words, write)
	})
	if err != nil {
		refuse(w, r, err)
		return
	}
	if format != "" {
		tools.serve(w, r)
		return
	}
	var out rawjson.Object
	out.Put("tools", tools.body)
	out.Put("servers", marshal(d.serverList(r.Context(), who, server)))
	newList(out.Bytes()).serve(w, r)
}

// toolFormat writes one tool in the words of an ecosystem; the empty one is ours.
func (d *Door) toolFormat(name string) (write func(*twodoor.Operation) []byte, known bool) {
	switch name {
	case "":
		return d.flatTool, true
	case "mcp":
		return d.mcpTool, true
	case "openai":
		return openAITool, true
	case "anthropic":
		return anthropicTool, true
	}
	return nil, false
}

// definition is an operation's tool definition as the server that it comes from wrote it; nil: none.
func (d *Door) definition(op *twodoor.Operation) []byte {
	if d.Definition == nil {
		return nil
	}
	return rawjson.Compact(nil, d.Definition(op))
}

func (d *Door) toolArray(who asker, server, words string, write func(*twodoor.Operation) []byte) ([]byte, error) {
	var tools rawjson.Array
	err := d.each(who, "", func(entry twodoor.Entry, op *twodoor.Operation) error {
		if (server == "" || d.isOf(op.Source(), server)) && holds(op, words) {
			tools.Add(write(op))
		}
		return nil
	})
	return tools.Bytes(), err
}

// holds reports whether all words stand in what an operation says of itself.
func holds(op *twodoor.Operation, words string) bool {
	if words == "" {
		return true
	}
	text := strings.ToLower(strings.Join([]string{op.ID, op.Spelling().MCP, op.Title, op.Description}, " "))
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

func (d *Door) flatTool(op *twodoor.Operation) []byte {
	var tool rawjson.Object
	tool.PutString("id", op.ID)
	tool.PutString("name", op.Spelling().MCP)
	tool.PutString("server", d.serverName(op.Source()))
	tool.PutString("type", typeOf(op))
	tool.PutString("description", describe(op))
	tool.Put("input_schema", inputSchema(op))
	tool.PutString("effect", string(op.Effect))
	if op.Permission != "" {
		tool.PutString("permission", op.Permission)
	}
	return tool.Bytes()
}

func (d *Door) mcpTool(op *twodoor.Operation) []byte {
	if definition := d.definition(op); len(definition) > 0 {
		return rawjson.Set(definition, "name", rawjson.Quote(op.Spelling().MCP))
	}
	var tool, hints rawjson.Object
	tool.PutString("name", op.Spelling().MCP)
	if op.Title != "" {
		tool.PutString("title", op.Title)
	}
	tool.PutString("description", describe(op))
	tool.Put("inputSchema", inputSchema(op))
	hints.PutBool("readOnlyHint", op.Effect == twodoor.Reads)
	if op.Effect != twodoor.Reads {
		hints.PutBool("destructiveHint", op.Effect == twodoor.Destroys)
		hints.PutBool("idempotentHint", op.Idempotent)
	}
	hints.PutBool("openWorldHint", op.OpenWorld)
	tool.Put("annotations", hints.Bytes())
	return tool.Bytes()
}

// openAITool is a function tool of the Chat Completions API.
func openAITool(op *twodoor.Operation) []byte {
	var tool, function rawjson.Object
	function.PutString("name", op.Spelling().MCP)
	function.PutString("description", describe(op))
	function.Put("parameters", inputSchema(op))
	tool.PutString("type", "function")
	tool.Put("function", function.Bytes())
	return tool.Bytes()
}

// anthropicTool is a client tool of the Messages API.
func anthropicTool(op *twodoor.Operation) []byte {
	var tool rawjson.Object
	tool.PutString("name", op.Spelling().MCP)
	tool.PutString("description", describe(op))
	tool.Put("input_schema", inputSchema(op))
	return tool.Bytes()
}

// inputSchema is legal for every host. What its owner wrote for hosts stays as it is.
func inputSchema(op *twodoor.Operation) []byte {
	raw := op.InputSchema()
	if op.Verbatim {
		return raw
	}
	return hosts.Rewrite(raw)
}

// describe is the description, with what an agent must know before it calls.
func describe(op *twodoor.Operation) string {
	text := op.Description
	for _, otherwise := range []string{op.Title, op.Origin, op.ID} {
		text = orElse(text, otherwise)
	}
	if op.Verbatim {
		return text
	}
	text = strings.TrimSpace(text)
	for _, line := range [][2]string{{"Deprecated: ", op.Deprecated}, {"Answer: ", op.Answer.Meaning}, {"If empty: ", op.Answer.Empty}} {
		if line[1] != "" {
			text += "\n" + line[0] + line[1]
		}
	}
	if op.Effect == twodoor.Destroys {
		text += "\nDestroys data."
	}
	return text
}

// serverList tells of the sources that an asker sees, and of configured servers without a tool.
func (d *Door) serverList(ctx context.Context, who asker, only string) []ServerStatus {
	counts := map[string]int{}
	_ = d.each(who, "", func(_ twodoor.Entry, op *twodoor.Operation) error { counts[op.Source()]++; return nil })
	profile := d.Engine.Profile(who.profile)
	all := []ServerStatus{}
	for _, s := range d.statuses(ctx) {
		source := orElse(s.Source, s.Name)
		if only != "" && !d.isOf(source, only) {
			continue
		}
		if counts[source] > 0 || s.Tools == 0 && profile != nil && profile.Includes(source+".tool") {
			s.Tools = counts[source]
			all = append(all, s)
		}
	}
	return all
}

// statuses are all sources, with what is known of those that are servers.
func (d *Door) statuses(ctx context.Context) []ServerStatus {
	var all []ServerStatus
	known := map[string]bool{}
	if d.Servers != nil {
		all = d.Servers.Status(ctx)
	}
	for _, s := range all {
		known[orElse(s.Source, s.Name)] = true
	}
	for _, source := range d.Engine.Catalog().Sources() {
		if !known[source.Name] {
			all = append(all, ServerStatus{Name: source.Name, Status: "ok", Description: orElse(source.Title, source.Description), Tools: source.Operations})
		}
	}
	return all
}
