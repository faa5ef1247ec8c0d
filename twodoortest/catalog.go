package twodoortest

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
)

// Operations of the catalog that [Doors] calls, and that tests of doors may call too.
const (
	Echo  = "suite.answer.echo"  // answers its arguments, byte for byte
	Empty = "suite.answer.empty" // works, and has nothing to say
	Text  = "suite.answer.text"  // plain text, not JSON
	Blob  = "suite.answer.blob"  // one PNG
	Many  = "suite.answer.many"  // 50 records under items
	Wipe  = "suite.state.wipe"   // destroys
	Write = "suite.state.write"  // writes
	Panic = "suite.fault.panic"  // panics
	Stall = "suite.fault.stall"  // waits until the caller leaves
	Relay = "suite.answer.relay" // calls the operation named in its arguments and answers what that answers
)

// FaultOf is the operation that fails with a code.
func FaultOf(code twodoor.Code) string {
	return "suite.fault." + strings.ReplaceAll(code.String(), "_", "-")
}

// PNG is a picture of one pixel, what [Blob] answers.
var PNG = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\xa6\x15\x1b\x00\x00\x00\x00\x00IEND\xaeB`\x82")

// Precise is a value that loses something in a reader that decodes numbers or sorts keys.
const Precise = `{"z":1152921504606846977,"a":1.0,"m":{"n":-0.10,"b":"é\u2028<&>"},"list":[]}`

// Engine is an engine that serves the suite's catalog.
func Engine() *twodoor.Engine {
	source := Source()
	reading, err := source.Read(context.Background())
	if err != nil {
		panic(err)
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		panic(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{twodoor.KindFunc: source}, Seal: []byte("suite")}
	engine.Serve(catalog)
	return engine
}

// Source is the source of the suite's catalog.
func Source() *twodoor.FuncSource {
	open := json.RawMessage(`{"type":"object","properties":{"message":{"type":"string","description":"any text"},"count":{"type":"integer"}}}`)
	reads, writes, destroys := twodoor.Reads, twodoor.Writes, twodoor.Destroys
	source := &twodoor.FuncSource{Name: "suite", Title: "What every door must tell alike", Funcs: []twodoor.Func{
		answering(Echo, "Answers its arguments", reads, open, echo),
		answering(Empty, "Works and answers nothing", reads, nil, func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) { return nil, nil }),
		answering(Text, "Answers plain text", reads, nil, text),
		answering(Blob, "Answers a picture", reads, nil, blob),
		answering(Many, "Answers 50 records", reads, nil, many),
		answering(Write, "Writes something", writes, open, echo),
		answering(Wipe, "Destroys something", destroys, open, echo),
		answering(Panic, "Panics", reads, nil, func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) { panic("on purpose") }),
		answering(Stall, "Waits until the caller leaves", reads, nil, stall),
		answering(Relay, "Calls another operation", reads, json.RawMessage(`{"type":"object","properties":{"call":{"type":"string"},"arguments":{"type":"object"}},"required":["call"]}`), relay),
	}}
	for _, code := range twodoor.Codes() {
		source.Funcs = append(source.Funcs, answering(FaultOf(code), "Fails with "+code.String(), reads, nil, failing(code)))
	}
	return source
}

type run = func(context.Context, *twodoor.Invocation) (*twodoor.Value, error)

func answering(id, title string, effect twodoor.Effect, input json.RawMessage, run run) twodoor.Func {
	return twodoor.Func{Operation: twodoor.Operation{ID: id, Title: title, Effect: effect, Input: input}, Run: run}
}

func echo(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	return &twodoor.Value{JSON: in.Arguments}, nil
}

func text(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
	return &twodoor.Value{JSON: json.RawMessage(`"two\nlines"`), MediaType: "text/plain"}, nil
}

func blob(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
	return &twodoor.Value{Blobs: []twodoor.Blob{{MediaType: "image/png", Name: "pixel.png", Data: PNG}}}, nil
}

func many(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
	records := strings.Repeat(`{"id":1,"name":"one","note":"a record"},`, 50)
	return &twodoor.Value{JSON: json.RawMessage(`{"items":[` + strings.TrimSuffix(records, ",") + `],"total":50}`)}, nil
}

func stall(ctx context.Context, _ *twodoor.Invocation) (*twodoor.Value, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func relay(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	var args struct {
		Call      string
		Arguments json.RawMessage
	}
	if err := json.Unmarshal(in.Arguments, &args); err != nil {
		return nil, err
	}
	result, err := in.Caller.Do(ctx, twodoor.Call{Operation: args.Call, Arguments: args.Arguments})
	if err != nil {
		return nil, err
	}
	return &twodoor.Value{JSON: result.Value, MediaType: result.MediaType, Blobs: result.Blobs}, nil
}

func failing(code twodoor.Code) run {
	return func(context.Context, *twodoor.Invocation) (*twodoor.Value, error) {
		return nil, &twodoor.Error{
			Code: code, Message: "fails with " + code.String(), Hint: "do something else",
			Try: []string{Echo}, RetryAfter: 3 * time.Second,
		}
	}
}
