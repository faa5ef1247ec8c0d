package rest

import (
	"context"
	"net/http"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// serverArray is the array of servers with their tools that existing clients read.
func (d *Door) serverArray(ctx context.Context, who asker, only string) ([]byte, error) {
	if _, err := d.profile(who); err != nil {
		return nil, err
	}
	var servers rawjson.Array
	for _, s := range d.serverList(ctx, who, only) {
		tools, names, err := d.detailsOf(who, orElse(s.Source, s.Name))
		if err != nil {
			return nil, err
		}
		var one rawjson.Object
		one.PutString("name", s.Name)
		one.PutString("server", s.Name)
		one.PutString("status", s.Status)
		if s.Error != "" {
			one.PutString("error", s.Error)
		}
		one.PutString("description", s.Description)
		one.PutInt("toolsEnabled", int64(len(names)))
		one.PutStrings("function_names", names)
		one.Put("tools", tools)
		servers.Add(one.Bytes())
	}
	return servers.Bytes(), nil
}

// detailsOf are the tools of a server with their schemas, and the names they are called by.
func (d *Door) detailsOf(who asker, server string) (tools []byte, names []string, err error) {
	var list rawjson.Array
	names = []string{}
	err = d.each(who, server+".", func(entry twodoor.Entry, op *twodoor.Operation) error {
		list.Add(detailOf(op))
		names = append(names, entry.Tool)
		return nil
	})
	return list.Bytes(), names, err
}

func detailOf(op *twodoor.Operation) []byte {
	input := inputSchema(op)
	var tool rawjson.Object
	tool.PutString("name", op.Spelling().MCP)
	tool.PutString("id", op.ID)
	tool.PutString("type", typeOf(op))
	tool.PutString("description", describe(op))
	parameters, _ := rawjson.Get(input, "properties")
	tool.Put("parameters", parameters)
	required, ok := rawjson.Get(input, "required")
	if !ok {
		required = []byte("[]")
	}
	tool.Put("required", required)
	tool.Put("input_schema", input)
	tool.Put("output_schema", op.OutputSchema())
	return tool.Bytes()
}

// toolDetail answers GET /tools/detail?server_name=: the tools of one server, with their schemas.
func (d *Door) toolDetail(w http.ResponseWriter, r *http.Request, who asker) {
	name := orElse(r.URL.Query().Get("server_name"), r.URL.Query().Get("server"))
	if name == "" {
		refuse(w, r, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "which server?", Hint: "name it with ?server_name=; GET /api/tools lists them"})
		return
	}
	servers := d.serverList(r.Context(), who, name)
	if len(servers) == 0 {
		refuse(w, r, d.noServer(r.Context(), who, name))
		return
	}
	s := servers[0]
	tools, _, err := d.detailsOf(who, orElse(s.Source, s.Name))
	if err != nil {
		refuse(w, r, err)
		return
	}
	var out rawjson.Object
	out.PutString("server_name", s.Name)
	out.PutString("status", s.Status)
	if s.Error != "" {
		out.PutString("error", s.Error)
	}
	out.Put("tools", tools)
	newList(out.Bytes()).serve(w, r)
}

// noServer says that there is no server of a name, and which there are.
func (d *Door) noServer(ctx context.Context, who asker, name string) error {
	var names []string
	for _, s := range d.serverList(ctx, who, "") {
		names = append(names, s.Name)
	}
	return &twodoor.Error{Code: twodoor.CodeNotFound, Message: "there is no server " + name, Try: rawjson.Nearest(names, name, 3), Hint: "GET /api/tools lists the servers"}
}
