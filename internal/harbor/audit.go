package harbor

import (
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

const auditFirst = 1<<60 + 129

// tell writes into the audit what the request did.
func (st *state) tell(in *request, action, subject string) {
	st.tellAt(in.now, "p_ada", action, subject)
}

func (st *state) tellAt(at time.Time, actor, action, subject string) {
	id := strconv.Itoa(auditFirst + len(st.audit))
	st.audit = append(st.audit, auditEntry{ID: id, At: at, ActorID: actor, Action: action, SubjectID: subject})
}
