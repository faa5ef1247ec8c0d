package rest

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"

	"github.com/twodoor/twodoor"
)

// Calls reads the journal.
type Calls interface {
	// List is {"calls":[…]} of the calls that a query picks, the latest first, and "next" where there
	// are more.
	List(ctx context.Context, query url.Values) (json.RawMessage, error)
	// Call is everything that is known of a call.
	Call(ctx context.Context, id string) (json.RawMessage, error)
	// Follow tells of calls that a query picks as they end, until the context does. It begins after
	// resume, the Resume of an earlier News; empty: now.
	Follow(ctx context.Context, query url.Values, resume string) (iter.Seq2[News, error], error)
}

// News is a call that has ended, or that some were missed.
type News struct {
	Call   json.RawMessage
	Missed int64  // so many were lost before they could be told
	Resume string // names the place after it
}

func (d *Door) journal(who asker) (Calls, error) {
	if err := who.onlyOperator("read the journal"); err != nil {
		return nil, err
	}
	if d.Calls == nil {
		return nil, &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "this server keeps no journal"}
	}
	return d.Calls, nil
}

func (d *Door) listCalls(w http.ResponseWriter, r *http.Request, who asker) {
	calls, err := d.journal(who)
	if err != nil {
		refuse(w, r, err)
		return
	}
	list, err := calls.List(r.Context(), r.URL.Query())
	if err != nil {
		refuse(w, r, err)
		return
	}
	answerRaw(w, http.StatusOK, list)
}

func (d *Door) readCall(w http.ResponseWriter, r *http.Request, who asker) {
	calls, err := d.journal(who)
	if err != nil {
		refuse(w, r, err)
		return
	}
	call, err := calls.Call(r.Context(), r.PathValue("id"))
	if err != nil {
		refuse(w, r, err)
		return
	}
	answerRaw(w, http.StatusOK, call)
}
