package find

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema/fields"
	"github.com/twodoor/twodoor/internal/schema/hosts"
)

// How sure a search must be.
const (
	sure        = .6   // the first hit carries its schema
	weak        = .2   // below: what is near is told as such
	none        = .04  // below: nothing is told as a hit
	schemaBound = 1200 // estimated tokens of a schema that a hit carries
)

// find answers find_operations.
func (i *Invoker) find(in *twodoor.Invocation, view View) (*twodoor.Value, error) {
	var args struct {
		Query string
		Limit int
		Kind  string
	}
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the arguments do not fit: " + err.Error(), Cause: err}
	}
	if strings.TrimSpace(args.Query) == "" {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the query is empty", Hint: `say what is to be done, like {"query":"close an incident"}`}
	}
	catalog := view.Catalog()
	index, err := i.index(catalog)
	if err != nil {
		return nil, &twodoor.Error{
			Code: twodoor.CodeUnavailable, Message: "search is unavailable just now; that says nothing of what exists",
			Hint: "call describe_operations with ids that you know", Cause: err,
		}
	}
	r := reply{catalog: catalog, view: view}
	found := index.Search(Query{Text: args.Query, Limit: args.Limit, Topic: topicOf(args.Kind), Show: r.shows})
	if named := r.named(args.Query); named != "" {
		found = withNamed(found, named)
	}
	return r.write(found)
}

func topicOf(name string) Topic {
	switch name {
	case "operation":
		return TopicOperation
	case "guide":
		return TopicGuide
	}
	return TopicAny
}

// reply tells what was found.
type reply struct {
	catalog *twodoor.Catalog
	view    View
}

// shows reports whether the caller is shown a document. Guides are for everybody.
func (r *reply) shows(id string) bool {
	entry, known := entryOf(r.catalog, id)
	return !known && !strings.Contains(id, ".") || known && r.view.Shows(entry)
}

// named is the id of an operation that the query names in any spelling, or nothing.
func (r *reply) named(query string) string {
	query = strings.Trim(query, " `\"'")
	if strings.ContainsAny(query, " \n") {
		return ""
	}
	op, _, err := r.catalog.Find(query)
	if err != nil || op == nil || !r.view.Shows(twodoor.EntryOf(op)) || op.Source() == twodoor.OwnSource {
		return ""
	}
	return op.ID
}

// withNamed puts an operation that was named in front.
func withNamed(found Found, id string) Found {
	hits := []Hit{{ID: id, Topic: TopicOperation, Score: 1}}
	for _, hit := range found.Hits {
		if hit.ID != id {
			hits = append(hits, hit)
		}
	}
	return Found{Hits: hits[:max(1, min(len(hits), len(found.Hits)))], Confidence: 1}
}

func (r *reply) write(found Found) (*twodoor.Value, error) {
	if found.Confidence < none {
		found.Hits = nil
	}
	var list rawjson.Array
	var first *twodoor.Operation
	for n, hit := range found.Hits {
		row, op, err := r.row(hit, n == 0 && found.Confidence >= sure)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			first = op
		}
		list.Add(row)
	}
	var out rawjson.Object
	out.Put("confidence", strconv.AppendFloat(nil, math.Round(found.Confidence*100)/100, 'f', -1, 64))
	out.Put("hits", list.Bytes())
	value := &twodoor.Value{JSON: out.Bytes()}
	value.Notes = append(value.Notes, r.advice(found, first))
	return value, nil
}

// row tells one hit: id, what it does, what it needs, its effect.
func (r *reply) row(hit Hit, withSchema bool) ([]byte, *twodoor.Operation, error) {
	var row rawjson.Object
	if hit.Topic == TopicGuide {
		row.PutString("guide", hit.ID)
		row.PutString("does", hit.Line)
		return row.Bytes(), nil, nil
	}
	op, _, err := r.catalog.Find(hit.ID)
	if err != nil || op == nil {
		return nil, nil, err
	}
	row.PutString("id", op.ID)
	row.PutString("does", lineOf(op))
	if needs := required(op); len(needs) > 0 {
		row.PutStrings("needs", needs)
	}
	row.PutString("effect", string(op.Effect))
	if len(hit.Also) > 0 {
		row.PutStrings("also", hit.Also)
	}
	if op.Deprecated != "" {
		row.PutString("deprecated", op.Deprecated)
	}
	if slim := hosts.Rewrite(op.InputSchema()); withSchema && rawjson.Weigh(slim) <= schemaBound {
		row.Put("schema", slim)
	}
	return row.Bytes(), op, nil
}

// lineOf says in one line what an operation does.
func lineOf(op *twodoor.Operation) string {
	if op.Title != "" {
		return op.Title
	}
	return firstSentence(op.Description, maxHeapText)
}

func required(op *twodoor.Operation) []string {
	var names []string
	for _, p := range fields.Properties(op.Input, func(name string) []byte { return op.Definition(name) }) {
		if p.Required {
			names = append(names, p.Name)
		}
	}
	return names
}

// advice is the next step.
func (r *reply) advice(found Found, first *twodoor.Operation) string {
	switch {
	case len(found.Hits) == 0:
		return "nothing here does that; none is an answer. Here are: " + r.sources()
	case found.Confidence < weak:
		return "nothing fits well: these only come near. Try other words, or do without. Here are: " + r.sources()
	case first == nil:
		return "read a guide with read_guides; describe_operations tells all of an operation"
	case found.Confidence >= sure:
		return fmt.Sprintf("call it with %s {id, arguments}; describe_operations tells more", callTool(first.Effect))
	}
	return "choose one; describe_operations tells its arguments, then call it with the tool of its effect: read_, write_ or destroy_operation"
}

// maxSources is how many sources an answer names.
const maxSources = 12

// sources names the sources that hold something for the caller.
func (r *reply) sources() string {
	var names []string
	for _, source := range r.catalog.Sources() {
		if source.Name == twodoor.OwnSource || !r.holds(source.Name) {
			continue
		}
		if len(names) == maxSources {
			names = append(names, "and more")
			break
		}
		name := source.Name
		if source.Title != "" {
			name += " (" + clip(source.Title, 60) + ")"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "no sources"
	}
	return strings.Join(names, ", ")
}

func (r *reply) holds(source string) bool {
	for _, entry := range r.catalog.Below(source + ".") {
		if r.view.Shows(entry) {
			return true
		}
	}
	return false
}

// callTool is the tool that calls operations of an effect.
func callTool(effect twodoor.Effect) string {
	switch effect {
	case twodoor.Writes:
		return "write_operation"
	case twodoor.Destroys:
		return "destroy_operation"
	}
	return "read_operation"
}
