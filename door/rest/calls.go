package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/twodoor/twodoor"
)

// Calls reads the journal.
type Calls interface {
	// List is {"calls":[…]} of the calls that a filter lets through, the latest first.
	List(ctx context.Context, filter url.Values) (json.RawMessage, error)
	// Call is everything that is known of a call.
	Call(ctx context.Context, id string) (json.RawMessage, error)
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
