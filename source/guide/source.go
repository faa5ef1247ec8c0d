package guide

import (
	"context"

	"github.com/twodoor/twodoor"
)

// Source serves guides as operations of twodoor's own: list-guides and read-guides.
type Source struct {
	// Library holds the guides at the time of a call; nil or an answer of nil: none.
	Library func() *Library
}

// Kind is the kind of the operations of this package.
const Kind = "guide"

// Ids of the operations.
const (
	ListID = twodoor.OwnSource + ".list-guides"
	ReadID = twodoor.OwnSource + ".read-guides"
)

// Read gives the two operations. It reads no guide: which ones there are may change while serving.
func (s *Source) Read(context.Context) (*twodoor.Reading, error) {
	return &twodoor.Reading{
		Source: twodoor.OwnSource, Title: "twodoor",
		Operations: []twodoor.Operation{listOperation(), readOperation()},
	}, nil
}

func listOperation() twodoor.Operation {
	return twodoor.Operation{
		ID: ListID, Kind: Kind, Effect: twodoor.Reads, Idempotent: true, Title: "List the guides",
		Description: "Lists the guides: what each is for and when to read it. Read the one that fits before a task of several steps.",
		Input:       []byte(`{"type":"object","properties":{},"additionalProperties":false}`),
		Output: []byte(`{"type":"object","required":["guides"],"properties":{"guides":{"type":"array","items":{"type":"object","required":["name","title"],"properties":{` +
			`"name":{"type":"string"},"title":{"type":"string"},"when":{"type":"string"},"intents":{"type":"array","items":{"type":"string"}},` +
			`"operations":{"type":"array","items":{"type":"string"}},"source":{"type":"string"},"tokens":{"type":"integer"}}}}}}`),
		Answer: twodoor.Answer{Root: "guides", Fields: []string{"name", "title", "when", "tokens"}, Empty: "there are no guides: find an operation instead"},
	}
}

func readOperation() twodoor.Operation {
	return twodoor.Operation{
		ID: ReadID, Kind: Kind, Effect: twodoor.Reads, Idempotent: true, Title: "Read guides",
		Description: "Reads guides by name, whole, as Markdown. One guide fits one read; ask for several only where the task needs them.",
		Input: []byte(`{"type":"object","required":["names"],"additionalProperties":false,"properties":{"names":{"type":"array","minItems":1,"maxItems":5,` +
			`"items":{"type":"string"},"description":"names as list_guides tells them"}}}`),
		Output: []byte(`{"type":"object","required":["guides"],"properties":{"guides":{"type":"array","items":{"type":"object","required":["name","title","text"],` +
			`"properties":{"name":{"type":"string"},"title":{"type":"string"},"text":{"type":"string","description":"Markdown"}}}}}}`),
		Positional: []string{"names"},
		Answer:     twodoor.Answer{Root: "guides"},
	}
}
