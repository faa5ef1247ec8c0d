package twodoor

import (
	"context"
	"encoding/json"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// The methods of questions, in MCP's words: what a server may ask its client (2026-07-28, "Input
// Required Results").
const (
	AskPerson = "elicitation/create"     // a person fills in a form, or follows an address
	AskModel  = "sampling/createMessage" // the caller's model writes a message
	AskRoots  = "roots/list"             // the folders that the caller works in
)

// Question is one thing that the caller is asked in the middle of a call.
type Question struct {
	Key    string          // required; what its answer is found by, unique in its round
	Method string          // required; AskPerson, …
	Params json.RawMessage // an object, as MCP defines it for the method; nil: {}
}

// Answers are what the caller said, by the key of the question: results as MCP defines them for the
// question's method.
type Answers map[string]json.RawMessage

// Round is what is asked at once.
type Round struct {
	Questions []Question
	// State, where it is not nil, says that the source need not wait: for a caller who cannot be asked
	// while the call runs the invocation ends, with the error of Ask, and another one begins with this
	// state and the answers. It is sealed on its way.
	State []byte
}

// Asker puts questions to a caller who can answer while the call runs, and waits. An answer may be
// missing from what it returns.
type Asker func(ctx context.Context, questions []Question) (Answers, error)

// Ask asks the caller, and gives the answer to each question. Answers that came with the call, and
// fit, are taken first. Only what the caller declared is asked: else the error tells what is missing.
// An error of Ask is handed on as it is, or wrapped.
func (in *Invocation) Ask(ctx context.Context, round Round) (Answers, error) {
	if err := in.undeclared(round); err != nil {
		return nil, err
	}
	answers, rest := in.Answers.to(round.Questions)
	for len(rest) > 0 {
		more, err := in.ask(ctx, round, rest)
		if err != nil {
			return nil, err
		}
		got, left := more.to(rest)
		for key, answer := range got {
			answers[key] = answer
		}
		rest = left
	}
	return answers, nil
}

// Asks reports whether the caller can be asked something.
func (in *Invocation) Asks(q Question) bool {
	return in.ask != nil && len(missing(in.Declared, q)) == 0
}

// undeclared is the error where the caller cannot be asked a part of a round.
func (in *Invocation) undeclared(round Round) error {
	var lacks []byte
	for _, q := range round.Questions {
		for capability, settings := range rawjson.Members(missing(in.Declared, q)) {
			known, _ := rawjson.Get(lacks, capability)
			for name, value := range rawjson.Members(settings) {
				known = rawjson.Set(known, name, value)
			}
			if len(known) == 0 {
				known = settings
			}
			lacks = rawjson.Set(lacks, capability, known)
		}
	}
	if lacks == nil && in.ask != nil {
		return nil
	}
	return &Error{
		Code: CodeDenied, Needs: lacks, Message: in.Operation.ID + " must ask its caller, and this caller cannot be asked that",
		Hint: "call it with a client that declares " + string(lacks),
	}
}

// missing is the capability that a question needs and the caller lacks, as MCP writes client
// capabilities; nil: none.
func missing(declared []byte, q Question) []byte {
	has := func(path ...string) bool { _, ok := rawjson.GetPath(declared, path...); return ok }
	switch q.Method {
	case AskPerson:
		mode, _ := rawjson.Get(q.Params, "mode")
		switch url, _ := rawjson.String(mode); {
		case url == "url" && !has("elicitation", "url"):
			return []byte(`{"elicitation":{"url":{}}}`)
		case url != "url" && (!has("elicitation") || has("elicitation", "url") && !has("elicitation", "form")):
			return []byte(`{"elicitation":{}}`)
		}
	case AskModel:
		tools, asked := rawjson.Get(q.Params, "tools")
		switch asked = asked && rawjson.KindOf(tools) == rawjson.KindArray; {
		case asked && !has("sampling", "tools"):
			return []byte(`{"sampling":{"tools":{}}}`)
		case !has("sampling"):
			return []byte(`{"sampling":{}}`)
		}
	case AskRoots:
		if !has("roots") {
			return []byte(`{"roots":{}}`)
		}
	default:
		return []byte(`{"experimental":{}}`)
	}
	return nil
}

// to picks the answers that fit the questions, and tells which questions have none.
func (a Answers) to(questions []Question) (answers Answers, rest []Question) {
	answers = Answers{}
	for _, q := range questions {
		if answer := a[q.Key]; q.fits(answer) {
			answers[q.Key] = answer
		} else {
			rest = append(rest, q)
		}
	}
	return answers, rest
}

// fits reports whether an answer is of the form that the question's method has.
func (q Question) fits(answer []byte) bool {
	key, kind := "", rawjson.KindString
	switch q.Method {
	case AskPerson:
		key = "action"
	case AskModel:
		key = "role"
	case AskRoots:
		key, kind = "roots", rawjson.KindArray
	}
	value, ok := rawjson.Get(answer, key)
	return ok && rawjson.KindOf(value) == kind
}

// Accepted is the content that a person sent off with a form; false where they declined or went away.
func Accepted(answer json.RawMessage) (content json.RawMessage, ok bool) {
	action, _ := rawjson.Get(answer, "action")
	content, _ = rawjson.Get(answer, "content")
	return content, string(action) == `"accept"`
}
