package twodoor

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/twodoor/twodoor/internal/parley"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/sealed"
)

// askTTL is for how long an answer is waited for.
const askTTL = 10 * time.Minute

// Asked is a Result that asks: the call goes on when it is made again, as it was, with State and
// Answers.
type Asked struct {
	Questions []Question
	State     string // sealed: good once, for this call of this principal
}

// asking is the way of questions from the source to the caller.
type asking struct {
	round  Round
	ticket string // of the parked invocation; empty: it begins again, with the round's state
	yes    yes
}

func (a *asking) Error() string { return "the caller is asked" }

// yes is how far the question is whether something may be destroyed.
type yes string

const (
	yesAsked yes = "asked"
	yesGiven yes = "given"
)

// held is what a sealed state holds.
type held struct {
	Yes    yes    `json:"y,omitempty"`
	Ticket string `json:"t,omitempty"`
	State  []byte `json:"s,omitempty"`
}

// talks reports whether the call's caller can be asked anything.
func (call *Call) talks() bool {
	return (len(call.Declared) > 0 || call.State != "") && call.Mode == Run
}

// asked makes the answer to a call that asks.
func (e *Engine) asked(call *Call, id string, a *asking) (*Result, error) {
	state := held{Yes: a.yes, Ticket: a.ticket, State: a.round.State}
	if call.held.Yes == yesGiven {
		state.Yes = yesGiven
	}
	inner, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	sealed := e.codec().Seal(call.purpose(), time.Now().Add(askTTL), inner)
	return &Result{CallID: id, Operation: call.found.ID, Asked: &Asked{Questions: a.round.Questions, State: sealed}}, nil
}

// reopen opens the state that a call carries.
func (e *Engine) reopen(call *Call) error {
	if call.State == "" {
		return nil
	}
	inner, err := e.codec().OpenOnce(call.purpose(), call.State)
	if err == nil {
		err = json.Unmarshal(inner, &call.held)
	}
	if err != nil {
		return &Error{Code: CodeInvalid, Protocol: true, Message: "the request state is refused: " + err.Error(), Hint: "make the call anew, without a state", Cause: err}
	}
	if call.held.Yes == yesAsked {
		return call.hearYes(call.Answers)
	}
	return nil
}

// purpose is what a state of the call is good for.
func (call *Call) purpose() []byte {
	digest := sha256.Sum256(rawjson.AppendCanonical(nil, call.Arguments))
	var parts rawjson.Array
	for _, part := range []string{"call", call.Of.String(), call.found.ID, call.Principal.Subject, string(digest[:])} {
		parts.AddString(part)
	}
	return parts.Bytes()
}

// codec seals with the engine's key.
func (e *Engine) codec() *sealed.Codec {
	e.sealing.Do(func() { e.sealer = sealed.New(e.Seal) })
	return e.sealer
}

// SealCursor makes a cursor of a list: it opens for the same principal and list only.
func (e *Engine) SealCursor(by Principal, list string, at []byte) string {
	return e.codec().Seal(cursorPurpose(by, list), time.Now().Add(24*time.Hour), at)
}

// OpenCursor is what the cursor holds; false where it is none of this list.
func (e *Engine) OpenCursor(by Principal, list, cursor string) (at []byte, ok bool) {
	at, err := e.codec().Open(cursorPurpose(by, list), cursor)
	return at, err == nil
}

func cursorPurpose(by Principal, list string) []byte {
	var parts rawjson.Array
	for _, part := range []string{"cursor", list, by.Subject} {
		parts.AddString(part)
	}
	return parts.Bytes()
}

// talk is an invocation whose source may ask.
type talk struct {
	*parley.Run[Round, Answers, *Value]
	running *running // its own: a leg's is told when the leg ends
	round   Round    // asked last

	mu  sync.Mutex
	leg *Call // whose caller hears what is said on the way
}

// converse invokes where the caller can be asked.
func (e *Engine) converse(ctx context.Context, call Call, in *Invocation) (*Value, error) {
	in.Answers, in.State = call.Answers, call.held.State
	if call.Asker != nil {
		ctx, clock := parley.Bounded(ctx, e.bound(call, in.Operation))
		defer clock.End()
		in.ask = func(ctx context.Context, _ Round, rest []Question) (Answers, error) {
			defer clock.Stop()()
			return call.askNow(ctx, rest)
		}
		return e.carry(ctx, call, in)
	}
	t, err := e.talkOf(ctx, call, in)
	if err != nil {
		return nil, err
	}
	return e.listen(ctx, call, t)
}

// askNow asks a caller who answers while the call runs.
func (call *Call) askNow(ctx context.Context, questions []Question) (Answers, error) {
	ctx, cancel := context.WithTimeout(ctx, askTTL)
	defer cancel()
	answers, err := call.Asker(ctx, questions)
	if err != nil {
		return nil, err
	}
	if _, rest := answers.to(questions); len(rest) == len(questions) {
		return nil, &Error{Code: CodeDenied, Message: "the caller was asked, and gave no answer that fits " + questions[0].Method}
	}
	return answers, nil
}

// talkOf begins an invocation, or lets the one go on that waits for the call's answers.
func (e *Engine) talkOf(ctx context.Context, call Call, in *Invocation) (*talk, error) {
	if call.held.Ticket == "" {
		return e.begin(ctx, call, in), nil
	}
	t, waits := e.parked.Take(call.held.Ticket)
	if !waits {
		return nil, &Error{Code: CodeInvalid, Protocol: true, Message: "the call that this answers has ended", Hint: "make the call anew, without a state"}
	}
	t.mu.Lock()
	t.leg = &call
	t.mu.Unlock()
	t.Answer(call.Answers)
	return t, nil
}

// begin starts the invocation in a goroutine of its own, which may outlive the leg.
func (e *Engine) begin(ctx context.Context, call Call, in *Invocation) *talk {
	t := &talk{leg: &call, running: runningOf(ctx).copy()}
	in.Progress, in.Log = t.progress, t.log
	bound := e.bound(call, in.Operation)
	t.Run = parley.Start(ctx, bound, func(ctx context.Context, ask parley.Ask[Round, Answers]) (*Value, error) {
		in.ask = func(ctx context.Context, round Round, rest []Question) (Answers, error) {
			if round.State != nil {
				return nil, &asking{round: round}
			}
			return ask(ctx, Round{Questions: rest})
		}
		t.running.Context = ctx
		return e.carry(t.running, call, in)
	})
	return t
}

// listen waits until the invocation has ended, or parks it where it asks.
func (e *Engine) listen(ctx context.Context, call Call, t *talk) (*Value, error) {
	value, round, asks, err := t.Wait(ctx)
	if !asks {
		leg := runningOf(ctx)
		leg.upstream, leg.bytesIn = t.running.upstream, t.running.bytesIn
		return value, err
	}
	t.round = round
	ticket, err := e.parked.Park(t, call.Principal.Subject, askTTL)
	if errors.Is(err, parley.ErrFull) {
		return nil, &Error{Code: CodeLimited, Message: "too many calls wait for an answer of their caller", Hint: "answer those that wait, then call again", Cause: err}
	}
	return nil, &asking{round: round, ticket: ticket}
}

func (t *talk) progress(p Progress) {
	if leg := t.now(); leg.Progress != nil {
		leg.Progress(p)
	}
}

func (t *talk) log(n Note) {
	if leg := t.now(); leg.Log != nil {
		leg.Log(n)
	}
}

func (t *talk) now() *Call {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.leg
}

// confirmKey is the question whether something may be destroyed.
const confirmKey = "confirm"

// askYes asks a person whether the call may destroy what it destroys.
func (e *Engine) askYes(ctx context.Context, call Call, op *Operation) error {
	question := Question{Key: confirmKey, Method: AskPerson, Params: confirmForm(call, op)}
	if !call.talks() || missing(call.Declared, question) != nil {
		return &Error{
			Code:    CodeConfirm,
			Message: op.ID + " destroys something and needs a yes",
			Hint:    `ask the person; after a yes send the same call again with the token as "confirm" in _want (--yes on the CLI)`,
			Token:   e.confirmToken(call, op),
		}
	}
	if call.Asker == nil {
		return &asking{round: Round{Questions: []Question{question}}, yes: yesAsked}
	}
	answers, err := call.askNow(ctx, []Question{question})
	if err != nil {
		return err
	}
	return call.hearYes(answers)
}

// hearYes takes the answer of a person, where there is one.
func (call *Call) hearYes(answers Answers) error {
	answer := answers[confirmKey]
	if !(Question{Method: AskPerson}).fits(answer) {
		return nil // asked again
	}
	content, accepted := Accepted(answer)
	if said, _ := rawjson.Get(content, confirmKey); !accepted || string(said) != "true" {
		return &Error{Code: CodeDenied, Message: "the person said no", Hint: "do not call it again without being asked to"}
	}
	call.held.Yes = yesGiven
	return nil
}

// confirmForm is the form that asks.
func confirmForm(call Call, op *Operation) json.RawMessage {
	title := op.ID
	if op.Title != "" {
		title = op.Title + " (" + op.ID + ")"
	}
	var form rawjson.Object
	form.PutString("message", title+" destroys something. Its arguments: "+shorten(string(rawjson.Compact(nil, call.Arguments)), 500))
	form.Put("requestedSchema", []byte(`{"type":"object","properties":{"confirm":{"type":"boolean","title":"Go on","default":false}},"required":["confirm"]}`))
	return form.Bytes()
}

// shorten cuts a text at a bound of bytes.
func shorten(text string, bound int) string {
	if len(text) <= bound {
		return text
	}
	for bound > 0 && text[bound]&0xC0 == 0x80 {
		bound--
	}
	return text[:bound] + "…"
}
