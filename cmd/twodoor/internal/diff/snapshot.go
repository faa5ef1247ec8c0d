package diff

import (
	"encoding/json"
	"fmt"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/hosts"
	"github.com/twodoor/twodoor/source/guide"
)

// Snapshot writes what outsiders see of a catalog as JSON that can be reviewed line by line and compared
// as values: of each operation the tool, the command, the answer, and the weight of its definition.
func Snapshot(catalog *twodoor.Catalog, tree *guide.Tree) (json.RawMessage, error) {
	commands := map[string]*guide.Command{}
	for i := range tree.Commands {
		commands[tree.Commands[i].ID] = &tree.Commands[i]
	}
	var all rawjson.Object
	total := 0
	for i := range catalog.Entries() {
		op, err := catalog.At(i)
		if err != nil {
			return nil, err
		}
		entry, weight, err := entryOf(op, commands[op.ID])
		if err != nil {
			return nil, err
		}
		total += weight
		all.Put(op.ID, entry)
	}
	var out rawjson.Object
	out.PutInt("operations", int64(catalog.Len()))
	out.PutInt("tokens", int64(total))
	out.Put("catalog", all.Bytes())
	return append(rawjson.Indent(nil, out.Bytes(), " "), '\n'), nil
}

func entryOf(op *twodoor.Operation, command *guide.Command) (json.RawMessage, int, error) {
	input := op.InputSchema()
	if !op.Verbatim {
		input = hosts.Rewrite(input)
	}
	var tool rawjson.Object
	tool.PutString("name", op.Spelling().MCP)
	tool.PutString("description", op.Description)
	tool.Put("inputSchema", input)
	weight := rawjson.Weigh(tool.Bytes())

	var o rawjson.Object
	o.PutString("effect", string(op.Effect))
	if op.Permission != "" {
		o.PutString("permission", op.Permission)
	}
	o.PutInt("tokens", int64(weight))
	o.Put("tool", tool.Bytes())
	if command != nil {
		slim := *command
		slim.ID, slim.Description = "", ""
		raw, err := json.Marshal(slim)
		if err != nil {
			return nil, 0, fmt.Errorf("write the command of %s: %w", op.ID, err)
		}
		o.Put("command", raw)
	}
	return o.Bytes(), weight, nil
}

// Mismatch is one operation whose snapshot is not what it was.
type Mismatch struct {
	ID   string `json:"operation"`
	Part string `json:"part"` // "tool.inputSchema", "effect"; empty: all of it
	Says string `json:"says"`
}

// Mismatches compares two snapshots as values: the order of members and the layout do not count.
func Mismatches(kept, now json.RawMessage) []Mismatch {
	var list []Mismatch
	before, _ := rawjson.Get(kept, "catalog")
	after, _ := rawjson.Get(now, "catalog")
	for id, entry := range rawjson.Members(before) {
		other, ok := rawjson.Get(after, id)
		if !ok {
			list = append(list, Mismatch{id, "", "is gone"})
			continue
		}
		list = append(list, parts(id, "", entry, other)...)
	}
	for id := range rawjson.Members(after) {
		if _, ok := rawjson.Get(before, id); !ok {
			list = append(list, Mismatch{id, "", "is new"})
		}
	}
	return list
}

// parts tells in which parts two entries differ.
func parts(id, at string, a, b json.RawMessage) []Mismatch {
	if rawjson.Equal(a, b) {
		return nil
	}
	if at != "" && at != "tool" && at != "command" {
		return []Mismatch{{id, at, "changed"}}
	}
	var list []Mismatch
	seen := map[string]bool{}
	for _, side := range []json.RawMessage{a, b} {
		for name := range rawjson.Members(side) {
			if seen[name] {
				continue
			}
			seen[name] = true
			x, _ := rawjson.Get(a, name)
			y, _ := rawjson.Get(b, name)
			path := name
			if at != "" {
				path = at + "." + name
			}
			if x == nil || y == nil {
				list = append(list, Mismatch{id, path, "changed"})
				continue
			}
			list = append(list, parts(id, path, x, y)...)
		}
	}
	return list
}
