package rest

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// operationQuery is which operations are listed, and how much of each.
type operationQuery struct {
	source string // empty: all
	brief  bool   // what a list shows; else the operation whole, with its schemas
}

// listOperations answers GET /v1/operations.
func (d *Door) listOperations(w http.ResponseWriter, r *http.Request, who asker) {
	query := r.URL.Query()
	brief, _ := strconv.ParseBool(query.Get("brief"))
	list, err := d.operations(who, operationQuery{query.Get("source"), brief})
	if err != nil {
		refuse(w, r, err)
		return
	}
	list.serve(w, r)
}

// operations is {"profile":{…},"sources":[…],"operations":[…]} as an asker sees it.
func (d *Door) operations(who asker, query operationQuery) (*list, error) {
	profile, err := d.profile(who)
	if err != nil {
		return nil, err
	}
	return d.lists.get(d.Engine.Catalog(), keyOf(who, "operations", query.source, query.brief), func() ([]byte, error) {
		var operations, sources rawjson.Array
		counts := map[string]int{}
		prefix := ""
		if query.source != "" {
			prefix = query.source + "."
		}
		err := d.each(who, prefix, func(entry twodoor.Entry, op *twodoor.Operation) error {
			counts[op.Source()]++
			if query.brief {
				operations.Add(briefOperation(entry, op, profile))
			} else {
				operations.Add(d.wholeOperation(op))
			}
			return nil
		})
		for _, info := range d.Engine.Catalog().Sources() {
			if info.Operations = counts[info.Name]; info.Operations > 0 {
				sources.Add(marshal(info))
			}
		}
		var out, told rawjson.Object
		told.PutString("name", orElse(who.profile, twodoor.DefaultProfile))
		told.PutString("expose", orElse(string(profile.Expose), string(twodoor.ExposeAuto)))
		told.PutBool("output_schemas", profile.OutputSchemas)
		out.Put("profile", told.Bytes())
		out.Put("sources", sources.Bytes())
		out.Put("operations", operations.Bytes())
		return out.Bytes(), err
	})
}

func briefOperation(entry twodoor.Entry, op *twodoor.Operation, profile *twodoor.Profile) []byte {
	var out rawjson.Object
	out.PutString("id", entry.ID)
	out.PutString("tool", entry.Tool)
	if entry.Title != "" {
		out.PutString("title", entry.Title)
	}
	out.PutString("effect", string(entry.Effect))
	out.PutString("type", typeOf(op))
	if entry.Deprecated {
		out.PutBool("deprecated", true)
	}
	if slices.ContainsFunc(profile.Pins, func(glob string) bool { return twodoor.Match(glob, entry.ID) }) {
		out.PutBool("pinned", true)
	}
	return out.Bytes()
}

// wholeOperation is an operation with schemas that stand alone, and without its plan: how the far
// side is reached is nobody's business, and neither is where it is described.
func (d *Door) wholeOperation(op *twodoor.Operation) []byte {
	told := *op
	told.Input, told.Output, told.Plan, told.At = op.InputSchema(), op.OutputSchema(), nil, ""
	told.Tool = op.Spelling().MCP
	whole := marshal(&told)
	if definition := d.definition(op); definition != nil {
		whole = rawjson.Set(whole, "definition", definition)
	}
	return whole
}

// readOperation answers GET /v1/operations/{id}, in any spelling.
func (d *Door) readOperation(w http.ResponseWriter, r *http.Request, who asker) {
	found, err := d.specified(r.Context(), who, "", []string{r.PathValue("id")})
	if err != nil {
		refuse(w, r, err)
		return
	}
	newList(d.wholeOperation(found[0])).serve(w, r)
}
