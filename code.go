package twodoor

import "fmt"

// Code is the kind of a fault. Each kind is told once, in the table below, and every door tells it
// from there (contracts §3).
type Code uint8

// The codes. The zero value is no fault.
const (
	CodeOK              Code = iota
	CodeInternal             // our bug
	CodeInvalid              // arguments do not fit
	CodeUnknown              // no such operation in this profile
	CodeUnauthenticated      // nobody, or a dead credential of ours
	CodeForbidden            // known, not allowed
	CodeUpstreamAuth         // the far side wants a login that we do not have
	CodeUnavailable          // draining, unreachable, known to be down
	CodeTimeout              // deadline
	CodeNotFound             // the thing asked for is not there
	CodeConflict             // its state forbids this now
	CodeLimited              // rate or quota
	CodeTooLarge             // over a bound
	CodeUpstream             // the far side failed or sent nonsense
	CodeConfirm              // destroys something, needs a yes
	CodeDenied               // refused by policy
	CodeChecksFailed         // check, doctor, smoke or tokens found something
	CodeCanceled             // the caller left
)

// row is what the doors need to know of a code.
type row struct {
	name  string
	exit  int  // exit status of the CLI
	http  int  // status of REST
	rpc   int  // JSON-RPC error code at MCP; 0: a result with isError
	retry bool // the same call may work later
}

var rows = [...]row{
	CodeOK:              {name: "ok", exit: 0, http: 200},
	CodeInternal:        {name: "internal", exit: 1, http: 500, rpc: -32603},
	CodeInvalid:         {name: "invalid", exit: 2, http: 400},
	CodeUnknown:         {name: "unknown", exit: 2, http: 404, rpc: -32602},
	CodeUnauthenticated: {name: "unauthenticated", exit: 3, http: 401},
	CodeForbidden:       {name: "forbidden", exit: 3, http: 403},
	CodeUpstreamAuth:    {name: "upstream_auth", exit: 3, http: 424},
	CodeUnavailable:     {name: "unavailable", exit: 4, http: 503, retry: true},
	CodeTimeout:         {name: "timeout", exit: 4, http: 504, retry: true},
	CodeNotFound:        {name: "not_found", exit: 5, http: 404},
	CodeConflict:        {name: "conflict", exit: 5, http: 409},
	CodeLimited:         {name: "limited", exit: 5, http: 429, retry: true},
	CodeTooLarge:        {name: "too_large", exit: 5, http: 413},
	CodeUpstream:        {name: "upstream", exit: 5, http: 502},
	CodeConfirm:         {name: "confirm", exit: 6, http: 428},
	CodeDenied:          {name: "denied", exit: 6, http: 403},
	CodeChecksFailed:    {name: "checks_failed", exit: 7, http: 500},
	CodeCanceled:        {name: "canceled", exit: 130, http: 499},
}

// Codes lists every code that is a fault, in the order of the table.
func Codes() []Code {
	all := make([]Code, 0, len(rows)-1)
	for c := CodeInternal; int(c) < len(rows); c++ {
		all = append(all, c)
	}
	return all
}

// String is the name of the code as outsiders see it: "not_found".
func (c Code) String() string { return c.row().name }

// Exit is the exit status of the CLI.
func (c Code) Exit() int { return c.row().exit }

// HTTP is the status of a REST answer.
func (c Code) HTTP() int { return c.row().http }

// RPC is the JSON-RPC error code at MCP, or 0 where the fault is told as a result with isError.
func (c Code) RPC() int { return c.row().rpc }

// Retryable reports whether the same call may work later.
func (c Code) Retryable() bool { return c.row().retry }

// MarshalText writes the name.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the name.
func (c *Code) UnmarshalText(text []byte) error {
	for i, r := range rows {
		if r.name == string(text) {
			*c = Code(i)
			return nil
		}
	}
	return fmt.Errorf("unknown code %q", text)
}

func (c Code) row() row {
	if int(c) < len(rows) {
		return rows[c]
	}
	return rows[CodeInternal]
}
