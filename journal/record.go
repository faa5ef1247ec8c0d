package journal

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Kinds of records.
const (
	KindCall    = "call"    // a call that has ended
	KindIntent  = "intent"  // a call that writes or destroys is about to begin
	KindUnknown = "unknown" // it began, and its program ended before it did: nobody knows what came of it
	KindDropped = "dropped" // so many records were lost to overload, see Dropped
)

// OutcomeOK is the outcome of a call that worked; OutcomeError of one that did not.
const (
	OutcomeOK    = "ok"
	OutcomeError = "error"
)

// Record is one line of the journal (contracts §10). Times are UTC; durations are milliseconds with
// fractions; bytes and tokens are of the answer.
type Record struct {
	Kind       string          `json:"kind"`
	CallID     string          `json:"call_id,omitempty"`
	ParentID   string          `json:"parent_id,omitempty"`
	At         time.Time       `json:"at"` // when the call began
	Door       string          `json:"door,omitempty"`
	Era        string          `json:"era,omitempty"`
	Client     string          `json:"client,omitempty"`
	Principal  string          `json:"principal,omitempty"`
	Session    string          `json:"session,omitempty"`
	Turn       string          `json:"turn,omitempty"`
	Profile    string          `json:"profile,omitempty"`
	Operation  string          `json:"operation,omitempty"` // id, or the name as called where there is no such operation
	Upstream   string          `json:"upstream,omitempty"`  // the source
	Account    string          `json:"account,omitempty"`
	DryRun     bool            `json:"dry_run,omitempty"` // nothing was sent
	Effect     string          `json:"effect,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`       // redacted; a text: the first part of them, or their digest
	ArgsBytes  int             `json:"arguments_bytes,omitempty"` // of the whole, where it was cut
	Answer     json.RawMessage `json:"answer,omitempty"`          // as sent, redacted; a text: the first part of it
	AnsBytes   int             `json:"answer_bytes,omitempty"`    // of the whole, where it was cut
	Outcome    string          `json:"outcome,omitempty"`
	Code       string          `json:"code,omitempty"`
	Fault      *Fault          `json:"fault,omitempty"`
	Duration   float64         `json:"duration_ms,omitempty"`
	UpDuration float64         `json:"upstream_duration_ms,omitempty"`
	BytesIn    int             `json:"bytes_in,omitempty"`  // from upstream
	BytesOut   int             `json:"bytes_out,omitempty"` // as sent
	TokensOut  int             `json:"tokens_out,omitempty"`
	Saved      int             `json:"saved_tokens,omitempty"`
	SavedBy    *twodoor.Saved  `json:"saved_by,omitempty"` // the same by cause
	Cut        *twodoor.Cut    `json:"cut,omitempty"`
	TraceID    string          `json:"trace_id,omitempty"`
	Dropped    int64           `json:"dropped,omitempty"`

	Position Position `json:"-"` // where it lies, as read from the store
}

// Position is where a record lies: its chain, and its number in it.
type Position struct{ Chain, N int64 }

// Fault is what went wrong, as the caller was told.
type Fault struct {
	Message string   `json:"message"`
	Hint    string   `json:"hint,omitempty"`
	Try     []string `json:"try,omitempty"`
	Fields  []string `json:"fields,omitempty"` // paths of the arguments that did not fit
	Cause   string   `json:"cause,omitempty"`  // for an operator; never shown to the caller
}

// RecordOf is the record of an event of the engine, not yet redacted.
func RecordOf(event twodoor.Event) Record {
	r := Record{
		Kind: KindCall, CallID: event.CallID, ParentID: event.ParentID, At: event.At, Door: event.Door, Era: event.Era, Client: event.Client,
		Principal: event.Principal.Subject, Session: event.Session, Turn: event.Principal.Turn, Profile: event.Profile,
		Operation: event.Operation, Account: event.Account, DryRun: event.Mode == twodoor.DryRun, Effect: string(event.Effect),
		Arguments: event.Arguments, Answer: event.Answer, Outcome: OutcomeOK, Code: event.Code.String(),
		Duration: millis(event.Duration), UpDuration: millis(event.Upstream), BytesIn: event.BytesIn, BytesOut: event.BytesOut,
		TokensOut: event.TokensOut, Saved: event.Saved.Total(), Cut: event.Cut, TraceID: event.Trace.TraceID(),
	}
	if r.Saved > 0 {
		r.SavedBy = &event.Saved
	}
	if event.Code != twodoor.CodeUnknown {
		r.Upstream, _, _ = strings.Cut(event.Operation, ".")
	}
	if event.Fault != nil {
		r.Outcome, r.Fault = OutcomeError, faultOf(event.Fault)
	}
	return r
}

// intentOf is the record of a call that is about to change something.
func intentOf(event twodoor.Event) Record {
	r := RecordOf(event)
	r.Kind, r.Outcome, r.Code, r.Duration = KindIntent, "", "", 0
	return r
}

func faultOf(e *twodoor.Error) *Fault {
	f := &Fault{Message: e.Error(), Hint: e.Hint, Try: e.Try}
	for _, field := range e.Fields {
		f.Fields = append(f.Fields, field.Path)
	}
	if e.Cause != nil {
		f.Cause = e.Cause.Error()
	}
	return f
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// maxName bounds what callers name themselves and operations, in bytes.
const maxName = 256

// maxText bounds a message of a fault, in bytes.
const maxText = 1000

// appendRecord writes the record as one line of JSON, like encoding/json would but for less.
func appendRecord(dst []byte, r *Record) []byte {
	dst = append(dst, `{"kind":`...)
	dst = rawjson.AppendString(dst, r.Kind)
	dst = appendText(dst, "call_id", r.CallID, maxName)
	dst = appendText(dst, "parent_id", r.ParentID, maxName)
	dst = append(dst, `,"at":"`...)
	dst = r.At.UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, '"')
	for _, f := range [...]struct{ name, text string }{
		{"door", r.Door}, {"era", r.Era}, {"client", r.Client}, {"principal", r.Principal}, {"session", r.Session}, {"turn", r.Turn},
		{"profile", r.Profile}, {"operation", r.Operation}, {"upstream", r.Upstream}, {"account", r.Account}, {"effect", r.Effect},
	} {
		dst = appendText(dst, f.name, f.text, maxName)
	}
	if r.DryRun {
		dst = append(dst, `,"dry_run":true`...)
	}
	dst = appendRaw(dst, "arguments", r.Arguments)
	dst = appendNumber(dst, "arguments_bytes", int64(r.ArgsBytes))
	dst = appendRaw(dst, "answer", r.Answer)
	dst = appendNumber(dst, "answer_bytes", int64(r.AnsBytes))
	dst = appendText(dst, "outcome", r.Outcome, maxName)
	dst = appendText(dst, "code", r.Code, maxName)
	if r.Fault != nil {
		dst = appendFault(dst, r.Fault)
	}
	dst = appendMillis(dst, "duration_ms", r.Duration)
	dst = appendMillis(dst, "upstream_duration_ms", r.UpDuration)
	dst = appendNumber(dst, "bytes_in", int64(r.BytesIn))
	dst = appendNumber(dst, "bytes_out", int64(r.BytesOut))
	dst = appendNumber(dst, "tokens_out", int64(r.TokensOut))
	dst = appendNumber(dst, "saved_tokens", int64(r.Saved))
	if by := r.SavedBy; by != nil {
		dst = append(dst, `,"saved_by":{"total":`...)
		dst = strconv.AppendInt(dst, int64(by.Total()), 10)
		dst = appendNumber(dst, "left_out", int64(by.LeftOut))
		dst = appendNumber(dst, "fields", int64(by.Fields))
		dst = appendNumber(dst, "cut", int64(by.Cut))
		dst = append(appendNumber(dst, "encoded", int64(by.Encoded)), '}')
	}
	if r.Cut != nil {
		cut, _ := json.Marshal(twodoor.Cut{Shown: r.Cut.Shown, Total: r.Cut.Total, Handle: r.Cut.Handle, How: bounded(r.Cut.How, maxText)}) // cannot fail: numbers and texts
		dst = appendRaw(dst, "cut", cut)
	}
	dst = appendText(dst, "trace_id", r.TraceID, maxName)
	dst = appendNumber(dst, "dropped", r.Dropped)
	return append(dst, '}')
}

func appendFault(dst []byte, f *Fault) []byte {
	dst = append(dst, `,"fault":{"message":`...)
	dst = rawjson.AppendString(dst, bounded(f.Message, maxText))
	dst = appendText(dst, "hint", f.Hint, maxText)
	if len(f.Try) > 0 {
		dst = append(dst, `,"try":`...)
		dst = rawjson.AppendStrings(dst, f.Try[:min(8, len(f.Try))])
	}
	if len(f.Fields) > 0 {
		dst = append(dst, `,"fields":`...)
		dst = rawjson.AppendStrings(dst, f.Fields[:min(16, len(f.Fields))])
	}
	dst = appendText(dst, "cause", f.Cause, maxText)
	return append(dst, '}')
}

func appendText(dst []byte, name, text string, most int) []byte {
	if text == "" {
		return dst
	}
	return rawjson.AppendString(appendName(dst, name), bounded(text, most))
}

func appendRaw(dst []byte, name string, raw []byte) []byte {
	if len(raw) == 0 {
		return dst
	}
	return append(appendName(dst, name), raw...)
}

func appendNumber(dst []byte, name string, n int64) []byte {
	if n == 0 {
		return dst
	}
	return strconv.AppendInt(appendName(dst, name), n, 10)
}

func appendMillis(dst []byte, name string, ms float64) []byte {
	if ms == 0 {
		return dst
	}
	return strconv.AppendFloat(appendName(dst, name), ms, 'f', -1, 64)
}

func appendName(dst []byte, name string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

// bounded cuts a text between characters, and makes it one that every database takes.
func bounded(text string, most int) string {
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most] + "…"
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	}
	return text
}
