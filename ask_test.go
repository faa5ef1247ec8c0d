package twodoor_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twodoor/twodoor"
)

const everything = `{"elicitation":{},"sampling":{},"roots":{}}`

func formOf(key, message string) twodoor.Question {
	return twodoor.Question{Key: key, Method: twodoor.AskPerson, Params: json.RawMessage(`{"message":"` + message + `"}`)}
}

func filled(content string) json.RawMessage {
	return json.RawMessage(`{"action":"accept","content":` + content + `}`)
}

// greeter asks for two names, one after the other, and greets both. With a state it does not wait.
func greeter(states bool) func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
	return func(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
		first, told := strings.CutPrefix(string(in.State), "first:")
		if !told {
			round := twodoor.Round{Questions: []twodoor.Question{formOf("a", "first?")}}
			if states {
				round.State = []byte("begun")
			}
			answers, err := in.Ask(ctx, round)
			if err != nil {
				return nil, err
			}
			first = string(answers["a"])
		}
		round := twodoor.Round{Questions: []twodoor.Question{formOf("b", "second?")}}
		if states {
			round.State = []byte("first:" + first)
		}
		answers, err := in.Ask(ctx, round)
		if err != nil {
			return nil, err
		}
		return &twodoor.Value{JSON: json.RawMessage(`[` + first + `,` + string(answers["b"]) + `]`)}, nil
	}
}

func asking(t *testing.T) *twodoor.Engine {
	t.Helper()
	source := &twodoor.FuncSource{Name: "lab", Funcs: []twodoor.Func{
		{Operation: twodoor.Operation{ID: "lab.x.wait", Effect: twodoor.Reads}, Run: greeter(false)},
		{Operation: twodoor.Operation{ID: "lab.x.state", Effect: twodoor.Reads}, Run: greeter(true)},
		{Operation: twodoor.Operation{ID: "lab.x.wipe", Effect: twodoor.Destroys}, Run: func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
			return &twodoor.Value{JSON: json.RawMessage(`"gone"`)}, nil
		}},
		{Operation: twodoor.Operation{ID: "lab.x.through", Effect: twodoor.Reads}, Run: func(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
			result, err := in.Caller.Do(ctx, twodoor.Call{Operation: "lab.x.state"})
			if err != nil {
				return nil, err
			}
			return &twodoor.Value{JSON: result.Value}, nil
		}},
	}}
	reading, err := source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	e := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}, Seal: []byte("seal"),
		Profiles: map[string]*twodoor.Profile{twodoor.DefaultProfile: {}, "careful": {Confirm: twodoor.ConfirmAsk}}}
	e.Serve(catalog)
	return e
}

func callOf(operation string) twodoor.Call {
	return twodoor.Call{Operation: operation, Principal: twodoor.Operator, Door: twodoor.DoorMCP, Declared: json.RawMessage(everything)}
}

// next makes the call again with answers.
func next(call twodoor.Call, result *twodoor.Result, answers twodoor.Answers) twodoor.Call {
	call.State, call.Answers = result.Asked.State, answers
	return call
}

// Two rounds work alike whether the source waits or begins again, and through a call of a call.
func TestRounds(t *testing.T) {
	for _, operation := range []string{"lab.x.wait", "lab.x.state", "lab.x.through"} {
		t.Run(operation, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := asking(t)
				call := callOf(operation)
				result, err := e.Do(t.Context(), call)
				if err != nil || result.Asked == nil || result.Asked.Questions[0].Key != "a" || result.Value != nil {
					t.Fatalf("first leg: %+v %v", result, err)
				}
				time.Sleep(5 * time.Minute) // longer than a call may take
				second := next(call, result, twodoor.Answers{"a": filled(`{"n":1}`), "extra": filled(`{}`)})
				result, err = e.Do(t.Context(), second)
				if err != nil || result.Asked == nil || result.Asked.Questions[0].Key != "b" {
					t.Fatalf("second leg: %+v %v", result, err)
				}
				if _, err := e.Do(t.Context(), second); twodoor.AsError(err).Code != twodoor.CodeInvalid || !twodoor.AsError(err).Protocol {
					t.Errorf("the first state again: %v", err)
				}
				result, err = e.Do(t.Context(), next(call, result, twodoor.Answers{"b": filled(`{"n":2}`)}))
				if want := `[{"action":"accept","content":{"n":1}},{"action":"accept","content":{"n":2}}]`; err != nil || string(result.Value) != want {
					t.Errorf("third leg: %+v %v", result, err)
				}
			})
		})
	}
}

// A state is good for its principal, its operation and its arguments, unaltered and in time.
func TestStatesAreBound(t *testing.T) {
	for name, change := range map[string]func(*twodoor.Call){
		"another principal": func(c *twodoor.Call) { c.Principal = twodoor.Principal{Subject: "eve", Permissions: []string{"*"}} },
		"other arguments":   func(c *twodoor.Call) { c.Arguments = json.RawMessage(`{"x":1}`) },
		"another operation": func(c *twodoor.Call) { c.Operation = "lab.x.wait" },
		"altered":           func(c *twodoor.Call) { c.State += "x" },
		"too old":           func(*twodoor.Call) { time.Sleep(11 * time.Minute) },
	} {
		synctest.Test(t, func(t *testing.T) {
			e := asking(t)
			call := callOf("lab.x.state")
			result, err := e.Do(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			call = next(call, result, twodoor.Answers{"a": filled(`{}`)})
			change(&call)
			if _, err := e.Do(t.Context(), call); err == nil || twodoor.AsError(err).Code != twodoor.CodeInvalid {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// Nobody waits for ever: a parked call ends by itself, and its state is then good for nothing.
func TestParkedCallsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := asking(t)
		call := callOf("lab.x.wait")
		result, err := e.Do(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10*time.Minute + time.Second)
		if _, err := e.Do(t.Context(), next(call, result, twodoor.Answers{"a": filled(`{}`)})); err == nil {
			t.Error("answered after its time")
		}
		for range 100 {
			if _, err := e.Do(t.Context(), call); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := e.Do(t.Context(), call); twodoor.AsError(err).Code != twodoor.CodeLimited {
			t.Errorf("the 101st: %v", err)
		}
		other := call
		other.Principal = twodoor.Principal{Subject: "bob", Permissions: []string{"*"}}
		if _, err := e.Do(t.Context(), other); err != nil {
			t.Errorf("another principal: %v", err)
		}
		time.Sleep(11 * time.Minute)
	})
}

func TestAnswersThatDoNotFit(t *testing.T) {
	e := asking(t)
	call := callOf("lab.x.state")
	call.Answers = twodoor.Answers{"a": json.RawMessage(`12345`)}
	result, err := e.Do(t.Context(), call)
	if err != nil || result.Asked == nil || result.Asked.Questions[0].Key != "a" {
		t.Fatalf("a number is no answer: %+v %v", result, err)
	}
	result, err = e.Do(t.Context(), next(call, result, nil))
	if err != nil || result.Asked == nil || result.Asked.Questions[0].Key != "a" {
		t.Fatalf("without an answer it is asked again: %+v %v", result, err)
	}
	call.Answers = twodoor.Answers{"a": filled(`1`), "b": filled(`2`)}
	if result, err = e.Do(t.Context(), call); err != nil || result.Asked != nil {
		t.Errorf("answers that come unasked are taken: %+v %v", result, err)
	}
}

func TestOnlyWhatIsDeclaredIsAsked(t *testing.T) {
	e := asking(t)
	for _, declared := range []string{`{"sampling":{}}`, `{"elicitation":{"url":{}}}`, ``} {
		call := callOf("lab.x.wait")
		call.Declared = json.RawMessage(declared)
		_, err := e.Do(t.Context(), call)
		if fault := twodoor.AsError(err); fault == nil || fault.Code != twodoor.CodeDenied || string(fault.Needs) != `{"elicitation":{}}` {
			t.Errorf("declared %s: %v", declared, err)
		}
	}
}

// A caller who can be asked while the call runs never sees a state.
func TestAskWhileItRuns(t *testing.T) {
	for _, operation := range []string{"lab.x.wait", "lab.x.state", "lab.x.through"} {
		e := asking(t)
		call := callOf(operation)
		call.Asker = func(_ context.Context, questions []twodoor.Question) (twodoor.Answers, error) {
			return twodoor.Answers{questions[0].Key: filled(`"` + questions[0].Key + `"`)}, nil
		}
		result, err := e.Do(t.Context(), call)
		if err != nil || !strings.Contains(string(result.Value), `"content":"b"`) {
			t.Errorf("%s: %+v %v", operation, result, err)
		}
		call.Asker = func(context.Context, []twodoor.Question) (twodoor.Answers, error) { return nil, nil }
		if _, err := e.Do(t.Context(), call); twodoor.AsError(err).Code != twodoor.CodeDenied {
			t.Errorf("%s without an answer: %v", operation, err)
		}
	}
}

func TestConfirmByForm(t *testing.T) {
	e := asking(t)
	call := callOf("lab.x.wipe")
	call.Profile = "careful"
	result, err := e.Do(t.Context(), call)
	if err != nil || result.Asked == nil {
		t.Fatalf("%+v %v", result, err)
	}
	result, err = e.Do(t.Context(), next(call, result, twodoor.Answers{"confirm": filled(`{"confirm":true}`)}))
	if err != nil || string(result.Value) != `"gone"` {
		t.Errorf("after a yes: %+v %v", result, err)
	}
	for _, no := range []string{`{"action":"decline"}`, `{"action":"accept","content":{"confirm":false}}`, `{"action":"accept"}`} {
		result, err := e.Do(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = e.Do(t.Context(), next(call, result, twodoor.Answers{"confirm": json.RawMessage(no)})); twodoor.AsError(err).Code != twodoor.CodeDenied {
			t.Errorf("after %s: %v", no, err)
		}
	}
	forged := call
	forged.Answers = twodoor.Answers{"confirm": filled(`{"confirm":true}`)}
	if result, err := e.Do(t.Context(), forged); err != nil || result.Asked == nil {
		t.Errorf("a yes that nobody asked for: %+v %v", result, err)
	}
	call.Declared = nil
	if _, err := e.Do(t.Context(), call); twodoor.AsError(err).Code != twodoor.CodeConfirm || twodoor.AsError(err).Token == "" {
		t.Errorf("who cannot be asked gets a token: %v", err)
	}
}

// Who is asked while the call runs, and never answers, does not hold it for ever.
func TestNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := callOf("lab.x.wait")
		call.Asker = func(ctx context.Context, _ []twodoor.Question) (twodoor.Answers, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		begun := time.Now()
		if _, err := asking(t).Do(t.Context(), call); twodoor.AsError(err).Code != twodoor.CodeTimeout || time.Since(begun) != 10*time.Minute {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
	})
}
