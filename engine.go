package twodoor

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twodoor/twodoor/internal/parley"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/sealed"
)

// Engine carries calls to operations and back. No state of a call outlives it.
// It must not be copied.
type Engine struct {
	Invokers map[string]Invoker  // required; by kind of source, until Reconfigure
	Profiles map[string]*Profile // by name, until Reconfigure; without a default one, the default shows everything
	Observer Observer            // may be nil
	Place    func(Trace) Trace   // the place of a call in the trace of its caller; nil: the caller's own is passed on
	Keeper   Keeper              // may be nil: an answer that is cut is then lost
	Timeout  time.Duration       // bound of a call that names none; 0: one minute
	Seal     []byte              // key of the confirm tokens, and of the state that callers carry; required where a profile asks for a yes

	catalog atomic.Pointer[Catalog]
	parts   atomic.Pointer[parts] // in place of Invokers and Profiles
	names   nameBook
	sealing sync.Once
	sealer  *sealed.Codec
	parked  parley.Table[*talk]
}

// parts is what an engine works with beside the catalog.
type parts struct {
	invokers map[string]Invoker
	profiles map[string]*Profile
}

// Serve makes the engine carry calls to this catalog from now on. Calls under way keep theirs.
func (e *Engine) Serve(c *Catalog) { e.catalog.Store(c) }

// Reconfigure makes the engine serve this catalog with these invokers and profiles from now on:
// doors that hold the engine go on, and so do the sessions of their clients.
func (e *Engine) Reconfigure(c *Catalog, invokers map[string]Invoker, profiles map[string]*Profile) {
	e.parts.Store(&parts{invokers, profiles})
	e.Serve(c)
}

// Catalog is the one being served; never nil.
func (e *Engine) Catalog() *Catalog {
	if c := e.catalog.Load(); c != nil {
		return c
	}
	return OpenCatalog(&memory{})
}

func (e *Engine) invoker(kind string) Invoker {
	if p := e.parts.Load(); p != nil {
		return p.invokers[kind]
	}
	return e.Invokers[kind]
}

func (e *Engine) profile(name string) *Profile {
	if p := e.parts.Load(); p != nil {
		return p.profiles[name]
	}
	return e.Profiles[name]
}

// Profile is the profile of a name, or nil. The empty name is the default profile.
func (e *Engine) Profile(name string) *Profile {
	if name == "" {
		name = DefaultProfile
	}
	if p := e.profile(name); p != nil || name != DefaultProfile {
		return p
	}
	return &Profile{}
}

// Do carries a call to its operation and back. It is safe for concurrent use and keeps nothing of
// the call. Every error it returns is an *Error.
func (e *Engine) Do(ctx context.Context, call Call) (result *Result, err error) {
	ctx, end := e.tell(ctx, &call)
	defer func() { result, err = end(result, err) }()

	op, err := e.find(ctx, &call)
	if err != nil {
		return nil, err
	}
	ctx, err = e.admit(ctx, call, op)
	if err != nil {
		return nil, err
	}
	args, err := e.bind(call, op)
	if err != nil {
		return nil, e.wayOut(ctx, call, op, call.Arguments, err)
	}
	value, err := e.invoke(ctx, call, op, args)
	if err != nil {
		return nil, e.wayOut(ctx, call, op, args, err)
	}
	return e.shape(ctx, call, op, value)
}

// find resolves the name in the profile of the call, and takes what the caller wrote of the
// projection out of the arguments: what is left is the operation's own.
func (e *Engine) find(ctx context.Context, call *Call) (*Operation, error) {
	profile := e.Profile(call.Profile)
	if profile == nil {
		return nil, e.noProfile(call.Profile)
	}
	op, err := e.named(ctx, call, profile)
	if err != nil {
		return nil, err
	}
	if call.Arguments, err = objectOf(call.Arguments); err != nil {
		return nil, err
	}
	if err := call.takeWant(op); err != nil {
		return nil, err
	}
	return op, e.reopen(call)
}

// named is what the call names, as its profile shows it.
func (e *Engine) named(ctx context.Context, call *Call, profile *Profile) (*Operation, error) {
	if call.Of != OfOperation {
		return e.findThing(ctx, call, profile)
	}
	op, alias, err := e.Catalog().Find(call.Operation)
	if err != nil {
		return nil, err
	}
	if op == nil || !profile.Includes(op.ID) || !op.Export.Reaches(call.Door) && !call.plain {
		return nil, e.unknown(call, op, profile)
	}
	if alias {
		call.notes = append(call.notes, fmt.Sprintf("%s is an old name of %s", call.Operation, op.ID))
	}
	call.found = op
	return op, nil
}

// admit decides whether this principal may make this call now. Here, and nowhere else, the
// principal enters the context.
func (e *Engine) admit(ctx context.Context, call Call, op *Operation) (context.Context, error) {
	profile := e.Profile(call.Profile)
	switch {
	case !profile.Allows(op.Effect):
		return nil, &Error{
			Code:    CodeDenied,
			Message: fmt.Sprintf("%s %s, and this profile does not allow that", op.ID, op.Effect),
			Hint:    "ask whoever runs this twodoor for another profile",
		}
	case op.Permission != "" && call.Principal.IsNobody():
		return nil, &Error{Code: CodeUnauthenticated, Message: op.ID + " is not for strangers", Hint: "sign in and call again"}
	case !call.Principal.Holds(op.Permission):
		return nil, &Error{
			Code:    CodeForbidden,
			Message: fmt.Sprintf("%s needs the permission %q, which %s does not hold", op.ID, op.Permission, call.Principal.Subject),
		}
	case e.asks(call, op, profile) && !e.confirmed(call, op):
		if err := e.askYes(ctx, call, op); err != nil {
			return nil, err
		}
	}
	return context.WithValue(ctx, principalKey{}, call.Principal), nil
}

// bind makes the arguments fit: repairs what clients are known to write, fills what the description
// fills, and names every misfit at once.
func (e *Engine) bind(call Call, op *Operation) (json.RawMessage, error) {
	if call.Of != OfOperation {
		return call.bindThing()
	}
	if err := call.Projection.check(op); err != nil {
		return nil, err
	}
	check, err := op.kept.input()
	if err != nil {
		return nil, fmt.Errorf("compile the input schema of %s: %w", op.ID, err)
	}
	args := check.Default(check.Fit(call.Arguments))
	misfits := check.Check(args)
	if len(misfits) == 0 {
		return args, nil
	}
	return nil, op.misfit(check, args, misfits)
}

// invoke hands the call to the far side within the bound of time. Where the far side asks its caller
// something, it waits or is begun again.
func (e *Engine) invoke(ctx context.Context, call Call, op *Operation, args json.RawMessage) (*Value, error) {
	in := e.invocation(ctx, call, op, args)
	if call.talks() {
		return e.converse(ctx, call, in)
	}
	ctx, cancel := context.WithTimeout(ctx, e.bound(call, op))
	defer cancel()
	return e.carry(ctx, call, in)
}

// invocation is the call as the source sees it.
func (e *Engine) invocation(ctx context.Context, call Call, op *Operation, args json.RawMessage) *Invocation {
	in := &Invocation{
		CallID: callID(ctx), Operation: op, Name: call.Operation, Arguments: args, Principal: call.Principal,
		Session: call.Session, Account: call.Account, Progress: call.Progress, Log: call.Log,
		Declared: call.Declared, Completing: call.Completing,
	}
	in.Caller = child{engine: e, of: call, id: in.CallID, in: in}
	return in
}

// carry makes the call, after what must be called before it: page by page where more than one is
// wanted, and safe from a panic of the source.
func (e *Engine) carry(ctx context.Context, call Call, in *Invocation) (value *Value, err error) {
	op := in.Operation
	invoker := e.invoker(op.Kind)
	if invoker == nil {
		return nil, fmt.Errorf("no invoker for operations of kind %q", op.Kind)
	}
	defer func() {
		if p := recover(); p != nil {
			value, err = nil, fmt.Errorf("%s panicked: %v\n%s", op.ID, p, debug.Stack())
		}
	}()
	if call.Of != OfOperation {
		return call.take(ctx, invoker, in)
	}
	if call.Mode == DryRun {
		return preview(ctx, invoker, in, call.Projection)
	}
	if err := e.prepare(ctx, in); err != nil {
		return nil, err
	}
	if err := e.intend(ctx, call, op); err != nil {
		return nil, err
	}
	return reach(ctx, invoker, in, call.Projection)
}

// shape cuts the answer to what is wanted and to what may be had, and says what comes next.
func (e *Engine) shape(ctx context.Context, call Call, op *Operation, value *Value) (*Result, error) {
	if call.Of != OfOperation {
		return &Result{CallID: callID(ctx), Operation: op.ID, Value: value.JSON, Blobs: value.Blobs, Messages: value.Messages, Raw: value.Raw}, nil
	}
	result := &Result{
		CallID: callID(ctx), Operation: op.ID, Value: value.JSON, MediaType: value.MediaType, Blobs: value.Blobs,
		Preview: value.Preview, Cut: value.Cut, Format: value.Format, Notes: append(call.notes, value.Notes...),
	}
	if result.Cut == nil {
		result.Cut = toldMore(ctx, call, op, result, value)
	}
	if err := e.project(ctx, call, op, result, value.Shaped); err != nil {
		return nil, err
	}
	if call.Projection.over(op).IsZero() && value.Cut == nil {
		result.Raw = value.Raw
	}
	result.Next = append(value.Next, e.suggest(ctx, call, op, value.JSON)...)
	e.fit(ctx, call, op, result, value.Shaped)
	e.encode(call, op, result)
	if op.Deprecated != "" {
		result.Notes = append(result.Notes, op.ID+" is deprecated: "+op.Deprecated)
	}
	return result, nil
}

// tell gives the call its id, and tells the observer when it ends, or asks.
func (e *Engine) tell(ctx context.Context, call *Call) (context.Context, func(*Result, error) (*Result, error)) {
	r := &running{Context: ctx, id: newCallID(), begun: time.Now(), trace: call.Trace}
	if e.Place != nil {
		r.trace = e.Place(call.Trace)
	}
	return r, func(result *Result, err error) (*Result, error) {
		if a, ok := errors.AsType[*asking](err); ok && call.Asker == nil {
			result, err = e.asked(call, r.id, a)
		}
		fault := AsError(err)
		if fault != nil {
			told := *fault
			told.CallID = r.id
			fault = &told
		}
		if e.Observer != nil {
			e.Observer.Observe(r.event(call, result, fault))
		}
		if fault == nil {
			return result, nil
		}
		return nil, fault
	}
}

// intend tells whoever keeps account of it that the call is about to change something. Our own tool
// changes nothing: the call that it makes does.
func (e *Engine) intend(ctx context.Context, call Call, op *Operation) error {
	intender, ok := e.Observer.(Intender)
	if !ok || op.Effect == Reads || op.Source() == OwnSource {
		return nil
	}
	return intender.Intend(ctx, runningOf(ctx).event(&call, nil, nil))
}

// noProfile says that there is no such profile, and which there are.
func (e *Engine) noProfile(name string) error {
	profiles := e.Profiles
	if p := e.parts.Load(); p != nil {
		profiles = p.profiles
	}
	names := slices.Sorted(maps.Keys(profiles))
	if len(names) == 0 {
		names = []string{DefaultProfile}
	}
	return &Error{Code: CodeUnknown, Message: fmt.Sprintf("there is no profile %q", name), Hint: "the profiles are: " + strings.Join(names, ", ")}
}

// unknown says that there is no such operation here, and which ones are near.
func (e *Engine) unknown(call *Call, hidden *Operation, profile *Profile) error {
	show := func(entry Entry) bool { return profile.Shows(entry, call.Principal, call.Door) }
	fault := &Error{
		Code:    CodeUnknown,
		Message: fmt.Sprintf("there is no operation %q", call.Operation),
		Try:     e.Catalog().Nearest(call.Operation, 3, show),
	}
	if hidden != nil && call.Principal.Holds("*") {
		fault.Message = fmt.Sprintf("%s exists, but is not shown in this profile at this door", hidden.ID)
	}
	if finder, _, _ := e.Catalog().Find(OwnSource + ".find-operations"); finder != nil && profile.Shows(EntryOf(finder), call.Principal, call.Door) {
		fault.Hint = "search in plain words: find_operations, on the CLI find WORDS"
	} else if len(fault.Try) == 0 {
		fault.Hint = "list what there is first: nothing has a name like this"
	}
	return fault
}

// objectOf takes arguments as an object, or as a JSON string that holds one.
func objectOf(raw json.RawMessage) (json.RawMessage, error) {
	if text, ok := rawjson.String(raw); ok {
		raw = json.RawMessage(text)
	}
	if len(raw) == 0 || rawjson.KindOf(raw) == rawjson.KindNull {
		return json.RawMessage(`{}`), nil
	}
	if err := rawjson.Check(raw); err != nil {
		return nil, &Error{Code: CodeInvalid, Message: "the arguments are not JSON: " + err.Error()}
	}
	if rawjson.KindOf(raw) != rawjson.KindObject {
		return nil, &Error{Code: CodeInvalid, Message: "the arguments are not a JSON object", Hint: `write them like {"name":"value"}`}
	}
	return raw, nil
}

// bound is how long the call may take.
func (e *Engine) bound(call Call, op *Operation) time.Duration {
	if call.Timeout > 0 {
		return call.Timeout
	}
	if op.Timeout != "" {
		if d, err := time.ParseDuration(op.Timeout); err == nil && d > 0 {
			return d
		}
	}
	if e.Timeout > 0 {
		return e.Timeout
	}
	return time.Minute
}

// preview asks the invoker what it would send.
func preview(ctx context.Context, invoker Invoker, in *Invocation, want Projection) (*Value, error) {
	previewer, ok := invoker.(Previewer)
	if !ok {
		return nil, &Error{Code: CodeInvalid, Message: in.Operation.ID + " has no dry run", Hint: "its kind of source cannot show what it would do"}
	}
	if err := setPage(in, want); err != nil {
		return nil, err
	}
	p, err := previewer.Preview(ctx, in)
	if err != nil {
		return nil, err
	}
	return &Value{Preview: p}, nil
}

// asks reports whether the call needs a yes. Our own tool that destroys does not: the call that it
// makes does.
func (e *Engine) asks(call Call, op *Operation, profile *Profile) bool {
	return op.Effect == Destroys && profile.Confirm == ConfirmAsk && call.Mode == Run && op.Source() != OwnSource
}

// confirmToken is bound to the operation, the arguments and the principal, so that a yes to one
// call is no yes to another.
func (e *Engine) confirmToken(call Call, op *Operation) string {
	mac := hmac.New(sha256.New, e.Seal)
	for _, part := range [][]byte{[]byte(op.ID), []byte(call.Principal.Subject), rawjson.Compact(nil, call.Arguments)} {
		mac.Write(part)
		mac.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:12])
}

func (e *Engine) confirmed(call Call, op *Operation) bool {
	if call.held.Yes == yesGiven || call.Confirm == ConfirmYes && call.Door == DoorCLI {
		return true
	}
	return hmac.Equal([]byte(call.Confirm), []byte(e.confirmToken(call, op)))
}

type principalKey struct{}

// PrincipalOf is on whose behalf the running call is made: nobody outside of a call.
func PrincipalOf(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}
