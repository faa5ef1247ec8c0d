package harbor

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// event is a line of an incident's timeline.
type event struct {
	ID      int       `json:"id"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	ActorID string    `json:"actor_id"`
	Text    string    `json:"text"`
}

// happened adds a line to the timeline and makes a new version of the incident.
func (inc *incident) happened(at time.Time, kind, actor, text string) event {
	line := event{ID: len(inc.timeline) + 1, At: at, Kind: kind, ActorID: actor, Text: text}
	inc.timeline = append(inc.timeline, line)
	inc.Version = len(inc.timeline)
	return line
}

func getTimeline(st *state, in *request) (reply, error) {
	inc, err := st.incident(in)
	if err != nil {
		return reply{}, err
	}
	p := in.params()
	kinds := p.list("kind", ",", eventKinds...)
	if err := p.err(); err != nil {
		return reply{}, err
	}
	return ok(map[string]any{"items": keep(inc.timeline, func(line event) bool { return wants(kinds, line.Kind) })})
}

var eventKinds = []string{"created", "acked", "updated", "note", "escalated", "escalation_ended", "change_linked", "attached", "closed"}

// ackIncident says that somebody is on it. A second time changes nothing.
func ackIncident(st *state, in *request) (reply, error) {
	inc, err := st.openIncident(in)
	if err != nil {
		return reply{}, err
	}
	body := struct {
		PersonID string `json:"person_id"`
	}{PersonID: "p_ada"}
	if len(in.body) > 0 {
		if err := in.decode(&body); err != nil {
			return reply{}, err
		}
	}
	if _, err := st.person(body.PersonID); err != nil {
		return reply{}, invalid("person_id", "is no person; GET /person lists all ids")
	}
	if inc.Status == "open" {
		inc.Status, inc.AssigneeID, inc.AckedAt = "acked", &body.PersonID, &in.now
		inc.happened(in.now, "acked", body.PersonID, "Acknowledged.")
		st.tell(in, "incident.ack", inc.ID)
	}
	return ok(inc)
}

// closeIncident wants an acked incident, so that somebody always answered for it.
func closeIncident(st *state, in *request) (reply, error) {
	inc, err := st.openIncident(in)
	if err != nil {
		return reply{}, err
	}
	var body struct {
		Resolution    string `json:"resolution"`
		CauseChangeID string `json:"cause_change_id"`
	}
	if err := in.decode(&body); err != nil {
		return reply{}, err
	}
	if strings.TrimSpace(body.Resolution) == "" {
		return reply{}, invalid("resolution", "is required: one sentence on what ended it")
	}
	if body.CauseChangeID != "" && st.change(body.CauseChangeID) == nil {
		return reply{}, invalid("cause_change_id", "is no change; GET /change lists all ids")
	}
	if inc.Status == "open" {
		return reply{}, &problem{Status: http.StatusConflict, Code: "not_acked", Detail: "Incident " + inc.ID + " was not acknowledged yet.",
			Hint: "Acknowledge it first, then close it.", Next: &step{"POST", "/incident/" + inc.ID + "/ack"}}
	}
	inc.Status, inc.ClosedAt, inc.Resolution, inc.Escalation = "closed", &in.now, body.Resolution, nil
	if body.CauseChangeID != "" {
		inc.link(body.CauseChangeID)
	}
	inc.happened(in.now, "closed", "p_ada", body.Resolution)
	st.tell(in, "incident.close", inc.ID)
	return ok(inc)
}

func (inc *incident) link(changeID string) {
	if !slices.Contains(inc.ChangeIDs, changeID) {
		inc.ChangeIDs = append(inc.ChangeIDs, changeID)
	}
}

func createNote(st *state, in *request) (reply, error) {
	inc, err := st.incident(in)
	if err != nil {
		return reply{}, err
	}
	var body struct {
		Text string `json:"text"`
	}
	if err := in.decode(&body); err != nil {
		return reply{}, err
	}
	if strings.TrimSpace(body.Text) == "" {
		return reply{}, invalid("text", "is required")
	}
	st.tell(in, "incident.note", inc.ID)
	return created(inc.happened(in.now, "note", "p_ada", body.Text))
}

func linkChange(st *state, in *request) (reply, error) {
	inc, err := st.openIncident(in)
	if err != nil {
		return reply{}, err
	}
	var body struct {
		ChangeID string `json:"change_id"`
		Why      string `json:"why"`
	}
	if err := in.decode(&body); err != nil {
		return reply{}, err
	}
	if st.change(body.ChangeID) == nil {
		return reply{}, invalid("change_id", "is required and must be a change; GET /change lists all ids")
	}
	inc.link(body.ChangeID)
	st.tell(in, "incident.link", inc.ID)
	return created(inc.happened(in.now, "change_linked", "p_ada", strings.TrimSpace(body.ChangeID+" "+body.Why)))
}

// escalation is the page that went up the ladder of the service's schedule.
type escalation struct {
	Level   int       `json:"level"`
	PagedID string    `json:"paged_id"`
	At      time.Time `json:"at"`
}

const (
	escalationPause = time.Minute // between two pages of one incident
	escalationTop   = 3
)

// createEscalation pages the next level, at most once a minute.
func createEscalation(st *state, in *request) (reply, error) {
	inc, err := st.openIncident(in)
	if err != nil {
		return reply{}, err
	}
	if left := inc.escalatedAt.Add(escalationPause).Sub(in.now); left > 0 {
		return reply{}, &problem{Status: http.StatusTooManyRequests, Code: "limited", RetryAfter: int(left.Seconds()),
			Detail: "Incident " + inc.ID + " paged somebody less than a minute ago.", Hint: "Wait, or reach the person paged; GET /person/{person_id} has the address."}
	}
	next := escalation{Level: 1, At: in.now}
	if inc.Escalation != nil {
		next.Level = inc.Escalation.Level + 1
	}
	if next.Level > escalationTop {
		return reply{}, &problem{Status: http.StatusConflict, Code: "top_level", Detail: "Incident " + inc.ID + " is at the highest level already.",
			Hint: "End the escalation to start again from level 1.", Next: &step{"DELETE", "/incident/" + inc.ID + "/escalation"}}
	}
	next.PagedID = st.rung(inc.ServiceID, next.Level, in.now)
	inc.Escalation, inc.escalatedAt = &next, in.now
	inc.happened(in.now, "escalated", "p_ada", "Paged "+next.PagedID+" at level "+strconv.Itoa(next.Level)+".")
	st.tell(in, "incident.escalate", inc.ID)
	return created(next)
}

func deleteEscalation(st *state, in *request) (reply, error) {
	inc, err := st.openIncident(in)
	if err != nil {
		return reply{}, err
	}
	if inc.Escalation == nil {
		return reply{}, notFound("escalation of", inc.ID, "Nothing to end: nobody was paged for it.")
	}
	inc.Escalation = nil
	inc.happened(in.now, "escalation_ended", "p_ada", "Paging was stopped.")
	st.tell(in, "incident.deescalate", inc.ID)
	return noContent()
}
