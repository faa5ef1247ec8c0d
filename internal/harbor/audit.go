package harbor

import (
	"net/url"
	"slices"
	"strconv"
	"time"
)

// auditEntry is one thing somebody did. Its id is an int64 written as a string.
type auditEntry struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`
	ActorID   string    `json:"actor_id"`
	Action    string    `json:"action"`
	SubjectID string    `json:"subject_id"`
}

// auditFirst is the id of the oldest entry, above what a float64 counts exactly.
const auditFirst int64 = 1<<60 + 129

// tell writes into the audit what the request did.
func (st *state) tell(in *request, action, subject string) {
	st.tellAt(in.now, "p_ada", action, subject)
}

func (st *state) tellAt(at time.Time, actor, action, subject string) {
	id := strconv.FormatInt(auditFirst+int64(len(st.audit)), 10)
	st.audit = append(st.audit, auditEntry{ID: id, At: at, ActorID: actor, Action: action, SubjectID: subject})
}

// numberAudit puts what was seeded in the order of time, and the ids with it.
func (st *state) numberAudit() {
	slices.SortStableFunc(st.audit, func(a, b auditEntry) int { return a.At.Compare(b.At) })
	for i := range st.audit {
		st.audit[i].ID = strconv.FormatInt(auditFirst+int64(i), 10)
	}
}

// listAudit answers a bare array, newest first; where the next page is stands in the header Link (RFC 8288).
func listAudit(st *state, in *request) (reply, error) {
	p := in.params()
	limit, before := p.whole("limit", 1, 100, 20), p.text("before_id")
	last, err := strconv.ParseInt(before, 10, 64)
	if before != "" && err != nil {
		p.fault("before_id", "must be the id of an entry")
	}
	if err := p.err(); err != nil {
		return reply{}, err
	}
	end := len(st.audit)
	if before != "" {
		end = int(min(max(last-auditFirst, 0), int64(end)))
	}
	page := slices.Clone(st.audit[max(0, end-limit):end])
	slices.Reverse(page)
	answer, err := ok(page)
	if end > limit {
		answer = answer.with("Link", nextLink(in, page[len(page)-1].ID))
	}
	return answer.with("X-Total-Count", strconv.Itoa(len(st.audit))), err
}

// nextLink is the same request, going on after an entry.
func nextLink(in *request, after string) string {
	query := url.Values{}
	for name, values := range in.query {
		query[name] = values
	}
	query.Set("before_id", after)
	return "<http://" + in.Host + in.URL.Path + "?" + query.Encode() + `>; rel="next"`
}
