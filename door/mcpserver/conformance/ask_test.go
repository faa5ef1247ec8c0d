package conformance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/twodoor/twodoor"
)

// The questions of the suite's scenarios.
const (
	nameForm    = `{"message":"What is your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`
	okForm      = `{"message":"Please confirm","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}`
	colorForm   = `{"message":"Step 2: What is your favorite color?","requestedSchema":{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}}`
	contextForm = `{"message":"What context should the prompt use?","requestedSchema":{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}}`
	capital     = `{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":100}`
	defaults    = `{"message":"Please review and update the form fields with defaults","requestedSchema":{"type":"object","properties":{
		"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}}`
	enums = `{"message":"Please select options from the enum fields","requestedSchema":{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"}]}}}}}`
)

func question(key, method, params string) twodoor.Question {
	return twodoor.Question{Key: key, Method: method, Params: json.RawMessage(params)}
}

// askers are the fixtures of the scenarios in which a server asks its client. Some of them wait for
// the answer, some begin again with a state: to the client both are alike.
func askers() []twodoor.Func {
	name := question("user_name", twodoor.AskPerson, nameForm)
	roots := question("client_roots", twodoor.AskRoots, `{}`)
	return []twodoor.Func{
		tool("test_sampling", "Asks the client's model", `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`, sample),
		tool("test_elicitation", "Asks a person", `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`, elicit),
		tool("test_elicitation_sep1034_defaults", "Asks with defaults", "", asks(nil, question("form", twodoor.AskPerson, defaults))),
		tool("test_elicitation_sep1330_enums", "Asks with choices", "", asks(nil, question("form", twodoor.AskPerson, enums))),
		tool("test_streaming_elicitation", "Tells progress on its stream, then asks", "", asks(nil, name)),
		tool("test_input_required_result_elicitation", "Asks a person", "", asks(nil, name)),
		tool("test_input_required_result_sampling", "Asks the client's model", "", asks(nil, question("capital_question", twodoor.AskModel, capital))),
		tool("test_input_required_result_list_roots", "Asks for the client's folders", "", asks([]byte("roots"), roots)),
		tool("test_input_required_result_request_state", "Asks, and keeps its state with the client", "", asks([]byte("state-ok"), question("confirm", twodoor.AskPerson, okForm))),
		tool("test_input_required_result_tampered_state", "Asks, and keeps its state with the client", "", asks([]byte("state-ok"), question("confirm", twodoor.AskPerson, okForm))),
		tool("test_input_required_result_multiple_inputs", "Asks three things at once", "", asks([]byte("three"), name, question("greeting", twodoor.AskModel, capital), roots)),
		tool("test_input_required_result_multi_round", "Asks twice", "", twice),
		tool("test_input_required_result_capabilities", "Asks what the client can answer", "", askWhatCanBe),
	}
}

// asks asks one round and tells the answers.
func asks(state []byte, questions ...twodoor.Question) run {
	return func(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
		if in.Progress != nil {
			in.Progress(twodoor.Progress{Done: 1, Total: 2})
		}
		answers, err := in.Ask(ctx, twodoor.Round{Questions: questions, State: state})
		if err != nil {
			return nil, err
		}
		text := string(in.State)
		for _, q := range questions {
			content, accepted := twodoor.Accepted(answers[q.Key])
			text += fmt.Sprintf(" %s completed: action=%v, content=%s of %s", q.Key, accepted, content, answers[q.Key])
		}
		return textOf(text), nil
	}
}

func sample(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	var args struct{ Prompt json.RawMessage }
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		return nil, err
	}
	params := `{"messages":[{"role":"user","content":{"type":"text","text":` + string(args.Prompt) + `}}],"maxTokens":100}`
	answers, err := in.Ask(ctx, twodoor.Round{Questions: []twodoor.Question{question("sample", twodoor.AskModel, params)}})
	if err != nil {
		return nil, err
	}
	return textOf("LLM response: " + string(answers["sample"])), nil
}

func elicit(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	var args struct{ Message json.RawMessage }
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		return nil, err
	}
	params := `{"message":` + string(args.Message) + `,"requestedSchema":{"type":"object","properties":{"username":{"type":"string","description":"User's response"},` +
		`"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}}`
	answers, err := in.Ask(ctx, twodoor.Round{Questions: []twodoor.Question{question("form", twodoor.AskPerson, params)}})
	if err != nil {
		return nil, err
	}
	return textOf("User response: " + string(answers["form"])), nil
}

func twice(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	if string(in.State) != "second" {
		if _, err := in.Ask(ctx, twodoor.Round{Questions: []twodoor.Question{question("step1", twodoor.AskPerson, nameForm)}, State: []byte("first")}); err != nil {
			return nil, err
		}
	}
	answers, err := in.Ask(ctx, twodoor.Round{Questions: []twodoor.Question{question("step2", twodoor.AskPerson, colorForm)}, State: []byte("second")})
	if err != nil {
		return nil, err
	}
	return textOf(string(answers["step2"])), nil
}

func askWhatCanBe(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	round := twodoor.Round{}
	for _, q := range []twodoor.Question{question("user_name", twodoor.AskPerson, nameForm), question("capital_question", twodoor.AskModel, capital)} {
		if in.Asks(q) {
			round.Questions = append(round.Questions, q)
		}
	}
	answers, err := in.Ask(ctx, round)
	if err != nil {
		return nil, err
	}
	return textOf(fmt.Sprint(len(answers), " answers")), nil
}
