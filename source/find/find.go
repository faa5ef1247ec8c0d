package find

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/twodoor/twodoor"
)

// Kind is the kind of these operations: it picks the [Invoker].
const Kind = "find"

// The ids of the operations.
const (
	FindID     = twodoor.OwnSource + ".find-operations"
	DescribeID = twodoor.OwnSource + ".describe-operations"
	ReadID     = twodoor.OwnSource + ".read-operation"
	WriteID    = twodoor.OwnSource + ".write-operation"
	DestroyID  = twodoor.OwnSource + ".destroy-operation"
	ResultID   = twodoor.OwnSource + ".read-result"
)

// Source is twodoor's own operations that find and call others. The zero value is ready.
type Source struct{}

// Read lists them.
func (Source) Read(context.Context) (*twodoor.Reading, error) {
	reading := &twodoor.Reading{Source: twodoor.OwnSource, Title: "Find, describe and call operations"}
	for _, op := range operations {
		op.Kind = Kind
		reading.Operations = append(reading.Operations, op)
	}
	return reading, nil
}

const callInput = `{"type":"object","properties":{
"id":{"type":"string","description":"from find_operations"},
"arguments":{"type":"object","description":"as the operation's schema says"},
"want":{"type":"object","description":"how much of the answer: {fields, jq, limit, page, all, summary, budget}; confirm after a yes"}},
"required":["id"]}`

// operations are what Read lists. Their texts are prompts.
var operations = []twodoor.Operation{
	{
		ID: FindID, Effect: twodoor.Reads, Idempotent: true, Title: "Find operations",
		Description: "Finds operations by what they do. Say one wish in plain words, several as sentences of their own. " +
			"Answers the best hits with id, required arguments and effect, and how sure it is (0 to 1); a sure first hit carries its schema and can be called at once. " +
			"No hits means that nothing here does it.",
		Input: json.RawMessage(`{"type":"object","properties":{
"query":{"type":"string","description":"like: close an incident"},
"limit":{"type":"integer","minimum":1,"maximum":50,"description":"hits at most, 8 unless said"},
"kind":{"type":"string","enum":["operation","guide","any"],"description":"any unless said"}},
"required":["query"]}`),
		Examples: []twodoor.Example{{Title: "one wish", Arguments: json.RawMessage(`{"query":"list open incidents"}`)}},
	},
	{
		ID: DescribeID, Effect: twodoor.Reads, Idempotent: true, Title: "Describe operations",
		Description: "Tells all of up to 8 operations: what they do, their arguments as a schema, an example. " +
			"A big schema names its deeper parts; ask for one with part.",
		Input: json.RawMessage(`{"type":"object","properties":{
"ids":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":8},
"depth":{"type":"integer","minimum":1,"maximum":20,"description":"levels of nested objects; as many as fit unless said"},
"part":{"type":"string","description":"only this part of the arguments, like steps[].match"}},
"required":["ids"]}`),
		Examples: []twodoor.Example{{Arguments: json.RawMessage(`{"ids":["harbor.incident.list"]}`)}},
	},
	{
		ID: ReadID, Effect: twodoor.Reads, OpenWorld: true, Title: "Call an operation that reads",
		Description: "Calls an operation whose effect is reads; it changes nothing. Others are refused.",
		Input:       json.RawMessage(callInput),
	},
	{
		ID: WriteID, Effect: twodoor.Writes, OpenWorld: true, Title: "Call an operation that writes",
		Description: "Calls an operation whose effect is writes. Those that only read or that destroy are refused.",
		Input:       json.RawMessage(callInput),
	},
	{
		ID: DestroyID, Effect: twodoor.Destroys, OpenWorld: true, Title: "Call an operation that destroys",
		Description: "Calls an operation whose effect is destroys: what it removes may be gone for good. Others are refused.",
		Input:       json.RawMessage(callInput),
	},
	{
		ID: ResultID, Effect: twodoor.Reads, Idempotent: true, Title: "Read more of an answer",
		Description: "Reads from an answer that was cut, without asking the far side again. Say which part with jq, or with fields, offset and limit.",
		Input: json.RawMessage(`{"type":"object","properties":{
"handle":{"type":"string","description":"from the cut answer"},
"jq":{"type":"string","description":"a jq program over the whole answer"},
"fields":{"description":"kept of each record, like id,owner.login"},
"offset":{"type":"integer","minimum":0,"description":"records to pass over"},
"limit":{"type":"integer","minimum":1,"description":"records at most"}},
"required":["handle"]}`),
		Examples: []twodoor.Example{{Arguments: json.RawMessage(`{"handle":"a1b2","offset":20,"limit":20}`)}},
	},
}

// View is what the running call may see. The Caller of an invocation is one.
type View interface {
	Catalog() *twodoor.Catalog
	Shows(entry twodoor.Entry) bool // by profile, principal and door of the call
}

// Invoker carries the operations out.
type Invoker struct {
	View  func(in *twodoor.Invocation) View              // nil: the Caller of the invocation is the view
	Index func(catalog *twodoor.Catalog) (*Index, error) // of this catalog, from its bundle; nil: built when first searched
	Shelf Shelf                                          // nil: no answers are kept

	built atomic.Pointer[built]
}

// built is an index made here, for the catalog that it is of.
type built struct {
	of    *twodoor.Catalog
	index *Index
}

// Invoke carries one call out.
func (i *Invoker) Invoke(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	if in.Operation.ID == ResultID {
		return i.readResult(ctx, in)
	}
	view, err := i.view(in)
	if err != nil {
		return nil, err
	}
	switch in.Operation.ID {
	case FindID:
		return i.find(in, view)
	case DescribeID:
		return i.describe(in, view)
	}
	return i.call(ctx, in, view, twodoor.Run)
}

// Preview shows what the call of another operation would send.
func (i *Invoker) Preview(ctx context.Context, in *twodoor.Invocation) (*twodoor.Preview, error) {
	if !callsOthers(in.Operation.ID) {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: in.Operation.ID + " sends nothing: there is nothing to preview", Hint: "call it"}
	}
	view, err := i.view(in)
	if err != nil {
		return nil, err
	}
	value, err := i.call(ctx, in, view, twodoor.DryRun)
	if err != nil {
		return nil, err
	}
	return value.Preview, nil
}

func (i *Invoker) view(in *twodoor.Invocation) (View, error) {
	if i.View != nil {
		return i.View(in), nil
	}
	if view, ok := in.Caller.(View); ok {
		return view, nil
	}
	return nil, &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "nothing can be found here: the catalog of this call is not known"}
}

// index is the index of a catalog.
func (i *Invoker) index(catalog *twodoor.Catalog) (*Index, error) {
	if i.Index != nil {
		return i.Index(catalog)
	}
	if b := i.built.Load(); b != nil && b.of == catalog {
		return b.index, nil
	}
	docs, err := DocumentsOf(catalog)
	if err != nil {
		return nil, err
	}
	index := Build(docs)
	i.built.Store(&built{catalog, index})
	return index, nil
}

// entryOf is the entry of an id.
func entryOf(catalog *twodoor.Catalog, id string) (twodoor.Entry, bool) {
	for _, entry := range catalog.Below(id) {
		return entry, entry.ID == id
	}
	return twodoor.Entry{}, false
}
