package twodoor

import (
	"context"
	"encoding/hex"
	"strings"
)

// Trace is a place in a distributed trace (W3C Trace Context, level 1). The zero value is none.
type Trace struct {
	ID      [16]byte
	Span    [8]byte
	Sampled bool
	State   string // the tracestate, passed on as it came
}

// maxTraceState bounds a tracestate, in bytes: "at least 512" are to be passed on (§3.3.1.5).
const maxTraceState = 1024

// ParseTrace reads the two headers of W3C Trace Context, or the keys of _meta by the same names
// (MCP 2026-07-28). What is malformed is no place: a trace begins anew then.
func ParseTrace(traceparent, tracestate string) Trace {
	var t Trace
	var flags [1]byte
	parts := strings.Split(traceparent, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || parts[0] == "00" && len(parts) != 4 ||
		!readHex(t.ID[:], parts[1]) || !readHex(t.Span[:], parts[2]) || !readHex(flags[:], parts[3]) || t.IsZero() || t.Span == [8]byte{} {
		return Trace{}
	}
	t.Sampled = flags[0]&1 == 1
	if len(tracestate) <= maxTraceState {
		t.State = tracestate
	}
	return t
}

// readHex fills dst from exactly as many lower-case digits.
func readHex(dst []byte, text string) bool {
	if len(text) != 2*len(dst) || strings.ToLower(text) != text {
		return false
	}
	_, err := hex.Decode(dst, []byte(text))
	return err == nil
}

// IsZero reports whether it is no place.
func (t Trace) IsZero() bool { return t.ID == [16]byte{} }

// Parent is the traceparent for whoever is called from this place; empty: there is none.
func (t Trace) Parent() string {
	if t.IsZero() {
		return ""
	}
	flags := "-00"
	if t.Sampled {
		flags = "-01"
	}
	return "00-" + hex.EncodeToString(t.ID[:]) + "-" + hex.EncodeToString(t.Span[:]) + flags
}

// TraceID is the id of the trace as text; empty: there is none.
func (t Trace) TraceID() string {
	if t.IsZero() {
		return ""
	}
	return hex.EncodeToString(t.ID[:])
}

// TraceOf is the place in its trace that a running call has reached.
func TraceOf(ctx context.Context) Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return *t
	}
	return Trace{}
}

// WithTrace moves on to a place: what is called from there is told that one.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, &t)
}
