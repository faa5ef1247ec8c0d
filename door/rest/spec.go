package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/fields"
)

// maxSpecs bounds the tools of one spec.
const maxSpecs = 50

// spec answers GET /spec?tool=: how tools are called with curl, in a fraction of the tokens that
// their schemas take.
func (d *Door) spec(w http.ResponseWriter, r *http.Request, who asker) {
	query := r.URL.Query()
	var names []string
	for _, key := range []string{"tool", "tool_name"} {
		for _, text := range query[key] {
			names = append(names, namesIn(text)...)
		}
	}
	text, err := d.specText(r.Context(), who, d.baseOf(r), orElse(query.Get("server_name"), query.Get("server")), names)
	if err != nil {
		refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	answerAs(w, http.StatusOK, []byte(text))
}

// namesIn takes one name, a comma list, or a JSON array in a string: agents write all three.
func namesIn(text string) []string {
	var list []string
	if json.Unmarshal([]byte(text), &list) != nil {
		list = strings.Split(text, ",")
	}
	var names []string
	for _, name := range list {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// specText is the compact spec of the tools named; of all tools of a server where none is named.
func (d *Door) specText(ctx context.Context, who asker, base, server string, names []string) (string, error) {
	all, err := d.specified(ctx, who, server, names)
	if err != nil {
		return "", err
	}
	if len(all) > maxSpecs {
		return "", &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("these are %d tools, and a spec holds %d", len(all), maxSpecs), Hint: "name the tools that you need"}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "base: %s\nauth: Authorization: Bearer $MCP_API_TOKEN\ncall: curl --fail-with-body -sS --json '{…}' -H \"$MCP_AUTH\" BASE/PATH; the answer is {success, result, error}\n", base)
	for _, op := range all {
		writeSpec(&b, op)
	}
	return b.String(), nil
}

// specified are the operations that a spec is wanted of. Who may not call one learns nothing of it.
func (d *Door) specified(ctx context.Context, who asker, server string, names []string) ([]*twodoor.Operation, error) {
	profile, err := d.profile(who)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 && server == "" {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "which tool?", Hint: "name it with ?tool=, or a server with ?server_name="}
	}
	var all []*twodoor.Operation
	if len(names) == 0 {
		err := d.each(who, "", func(_ twodoor.Entry, op *twodoor.Operation) error {
			if d.isOf(op.Source(), server) {
				all = append(all, op)
			}
			return nil
		})
		if err == nil && len(all) == 0 {
			if err = d.noTools(ctx, who, server); err == nil {
				err = d.noServer(ctx, who, server)
			}
		}
		return all, err
	}
	show := func(entry twodoor.Entry) bool { return profile.Shows(entry, who.principal, twodoor.DoorREST) }
	for _, name := range names {
		op := d.find(server, name)
		if op == nil || !show(twodoor.EntryOf(op)) {
			if err := d.noTools(ctx, who, server); err != nil {
				return nil, err
			}
			return nil, &twodoor.Error{Code: twodoor.CodeUnknown, Message: "there is no tool " + name, Try: d.Engine.Catalog().Nearest(name, 3, show), Hint: "GET /api/tools?q=WORDS finds tools"}
		}
		all = append(all, op)
	}
	return all, nil
}

// writeSpec writes one tool: the route, what it does, and a line for each input.
func writeSpec(b *strings.Builder, op *twodoor.Operation) {
	fmt.Fprintf(b, "\nPOST %s\n", pathOf(op))
	for line := range strings.Lines(shorten(describe(op), 1000)) {
		fmt.Fprintf(b, "  # %s\n", strings.TrimSpace(line))
	}
	for _, p := range fields.Properties(op.InputSchema(), nil) {
		fmt.Fprintf(b, "  %s: %s", p.Name, typeWord(p))
		if p.Required {
			b.WriteString(" (required)")
		}
		if len(p.Default) > 0 {
			fmt.Fprintf(b, " = %s", rawjson.Compact(nil, p.Default))
		}
		if p.Description != "" {
			fmt.Fprintf(b, " # %s", strings.Join(strings.Fields(shorten(p.Description, 300)), " "))
		}
		b.WriteByte('\n')
	}
}

// typeWord is the type of an input: "string", "integer[]", "one of low|high", or for nested ones
// their schema, which is shorter than words about it.
func typeWord(p fields.Property) string {
	switch {
	case len(p.Enum) > 0 && len(p.Enum) <= 20:
		return "one of " + strings.ReplaceAll(strings.Join(p.Enum, "|"), `"`, "")
	case p.Flat && p.Type == "array":
		return p.ItemType + "[]"
	case p.Flat || len(p.Raw) > 600:
		return p.Type
	}
	return p.Type + " " + string(rawjson.Compact(nil, p.Raw))
}

// baseOf is the address of this door as the caller reached it, with its /api.
func (d *Door) baseOf(r *http.Request) string {
	if d.PublicURL != "" {
		return strings.TrimSuffix(d.PublicURL, "/") + "/api"
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host + "/api"
}

// specTool is the name under which existing agents ask for the spec as a tool.
const specTool = "get_api_spec"

// specAnswer is the spec as the answer of a tool. Its arguments are {tool_name, server_name}; tool_name
// is a name, an array of names, or such an array in a string.
func (d *Door) specAnswer(r *http.Request, who asker, arguments []byte) (*twodoor.Result, error) {
	tool, _ := rawjson.Get(arguments, "tool_name")
	names, isText := rawjson.String(tool)
	if !isText {
		names = string(tool)
	}
	server, _ := rawjson.Get(arguments, "server_name")
	serverName, _ := rawjson.String(server)
	text, err := d.specText(r.Context(), who, d.baseOf(r), serverName, namesIn(names))
	if err != nil {
		return nil, err
	}
	return &twodoor.Result{Value: rawjson.Quote(text), MediaType: "text/plain"}, nil
}
