package harbor

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	statuses   = []string{"open", "acked", "closed"}
	severities = []string{"sev1", "sev2", "sev3", "sev4"}
)

type incident struct {
	ID          string          `json:"id"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Status      string          `json:"status"`
	Severity    string          `json:"severity"`
	ServiceID   string          `json:"service_id"`
	AssigneeID  *string         `json:"assignee_id"`
	Labels      []string        `json:"labels"`
	LogID       *string         `json:"log_id"`
	ChangeIDs   []string        `json:"change_ids"`
	Attachments []attachment    `json:"attachments"`
	Escalation  *escalation     `json:"escalation"`
	Fields      json.RawMessage `json:"fields,omitempty"`
	Version     int             `json:"version"`
	CreatedAt   time.Time       `json:"created_at"`
	AckedAt     *time.Time      `json:"acked_at"`
	ClosedAt    *time.Time      `json:"closed_at"`
	Resolution  string          `json:"resolution"`

	timeline    []event
	escalatedAt time.Time
}

func listIncidents(st *state, in *request) (reply, error) {
	p := in.params()
	offset, limit := p.cursor("cursor"), p.whole("limit", 1, 100, 30)
	found := st.filterIncidents(p)
	sort := p.one("sort", "-created_at", "created_at", "-created_at", "severity")
	if err := p.err(); err != nil {
		return reply{}, err
	}
	return ok(pageFrom(sorted(found, sort), offset, limit))
}

// filterIncidents reads the filters that list and export share: each parameter has its own style.
func (st *state) filterIncidents(p *params) []*incident {
	status := p.list("status", ",", statuses...)
	severity := p.list("severity", "|", severities...)
	service, labels := p.text("service_id"), p.in.query["label"]
	since, until := p.moment("since", time.Time{}), p.moment("until", time.Time{})
	return keep(st.incidents, func(inc *incident) bool {
		return wants(status, inc.Status) && wants(severity, inc.Severity) && (service == "" || inc.ServiceID == service) &&
			hasAll(inc.Labels, labels) && within(inc.CreatedAt, since, until)
	})
}

func hasAll(have, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(label string) bool { return !slices.Contains(have, label) })
}

// sorted orders incidents that come newest first.
func sorted(incidents []*incident, by string) []*incident {
	switch by {
	case "created_at":
		slices.Reverse(incidents)
	case "severity":
		slices.SortStableFunc(incidents, func(a, b *incident) int { return strings.Compare(a.Severity, b.Severity) })
	}
	return incidents
}

func (st *state) incident(in *request) (*incident, error) {
	id := in.PathValue("incident_id")
	for _, inc := range st.incidents {
		if inc.ID == id {
			return inc, nil
		}
	}
	return nil, notFound("incident", id, "GET /incident lists all ids; POST /incident/search finds one by its words.")
}

// openIncident is an incident that may still be changed.
func (st *state) openIncident(in *request) (*incident, error) {
	inc, err := st.incident(in)
	if err == nil && inc.Status == "closed" {
		return nil, &problem{Status: http.StatusConflict, Code: "incident_closed",
			Detail: "Incident " + inc.ID + " is closed, and a closed incident stays as it is.",
			Hint:   "Create a new incident and name this one in its description.", Next: &step{"POST", "/incident"}}
	}
	return inc, err
}

// getIncident answers JSON, or a paragraph for a chat message to those who ask for text.
func getIncident(st *state, in *request) (reply, error) {
	inc, err := st.incident(in)
	if err != nil {
		return reply{}, err
	}
	if strings.HasPrefix(in.Header.Get("Accept"), "text/plain") {
		return typed(http.StatusOK, "text/plain; charset=utf-8", []byte(inc.brief())), nil
	}
	answer, err := ok(inc)
	return answer.with("ETag", strconv.Quote(strconv.Itoa(inc.Version))), err
}

func (inc *incident) brief() string {
	assignee := "nobody"
	if inc.AssigneeID != nil {
		assignee = *inc.AssigneeID
	}
	return inc.ID + " (" + inc.Severity + ", " + inc.Status + "): " + inc.Title + "\n" +
		"Service " + inc.ServiceID + ", with " + assignee + " since " + inc.CreatedAt.Format(time.RFC3339) + ".\n"
}

type incidentDraft struct {
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Severity    string          `json:"severity"`
	ServiceID   string          `json:"service_id"`
	AssigneeID  *string         `json:"assignee_id"`
	Labels      []string        `json:"labels"`
	Fields      json.RawMessage `json:"fields"`
}

// createIncident makes one incident per Idempotency-Key: a repeat answers the first one again.
func createIncident(st *state, in *request) (reply, error) {
	var draft incidentDraft
	if err := in.decode(&draft); err != nil {
		return reply{}, err
	}
	if err := draft.check(st); err != nil {
		return reply{}, err
	}
	key := in.Header.Get("Idempotency-Key")
	if known := st.incidentByID(st.once[key]); known != nil {
		return createdAt(known)
	}
	inc := st.open(in.now, draft)
	if key != "" {
		st.once[key] = inc.ID
	}
	st.tell(in, "incident.create", inc.ID)
	return createdAt(inc)
}

func createdAt(inc *incident) (reply, error) {
	answer, err := created(inc)
	return answer.with("Location", "/incident/"+inc.ID), err
}

func (st *state) incidentByID(id string) *incident {
	at := slices.IndexFunc(st.incidents, func(inc *incident) bool { return inc.ID == id })
	if at < 0 {
		return nil
	}
	return st.incidents[at]
}

// open adds a new incident in front.
func (st *state) open(now time.Time, draft incidentDraft) *incident {
	st.lastIncident++
	inc := &incident{ID: "inc_" + strconv.Itoa(st.lastIncident), Title: draft.Title, Description: draft.Description, Status: "open",
		Severity: draft.Severity, ServiceID: draft.ServiceID, AssigneeID: draft.AssigneeID, Labels: orEmpty(draft.Labels), Fields: draft.Fields,
		LogID: st.logOf(draft.ServiceID, now), ChangeIDs: []string{}, Attachments: []attachment{}, Version: 1, CreatedAt: now}
	inc.happened(now, "created", "p_ada", "Opened as "+draft.Severity+".")
	st.incidents = append([]*incident{inc}, st.incidents...)
	return inc
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (draft *incidentDraft) check(st *state) error {
	var wrong []misfit
	if strings.TrimSpace(draft.Title) == "" || len(draft.Title) > titleMax {
		wrong = append(wrong, misfit{"title", "is required, 1 to 200 bytes"})
	}
	if draft.Severity == "" {
		draft.Severity = "sev3"
	}
	wrong = append(wrong, checkSeverity(draft.Severity)...)
	if _, err := st.service(draft.ServiceID); err != nil {
		wrong = append(wrong, misfit{"service_id", "is required and must be a service; GET /service lists all ids"})
	}
	wrong = append(wrong, checkAssignee(st, draft.AssigneeID)...)
	wrong = append(wrong, checkFields(draft.Fields)...)
	if len(wrong) > 0 {
		return misfits(wrong)
	}
	return nil
}

const titleMax = 200

func checkSeverity(severity string) []misfit {
	if slices.Contains(severities, severity) {
		return nil
	}
	return []misfit{{"severity", "knows no " + strconv.Quote(severity) + "; it takes " + strings.Join(severities, ", ")}}
}

func checkAssignee(st *state, id *string) []misfit {
	if id != nil {
		if _, err := st.person(*id); err != nil {
			return []misfit{{"assignee_id", "is no person; GET /person lists all ids"}}
		}
	}
	return nil
}

func checkFields(fields json.RawMessage) []misfit {
	if len(fields) > 0 && fields[0] != '{' {
		return []misfit{{"fields", "must be an object"}}
	}
	return nil
}

type incidentPatch struct {
	Title       *string         `json:"title"`
	Description *string         `json:"description"`
	Severity    *string         `json:"severity"`
	AssigneeID  json.RawMessage `json:"assignee_id"` // null takes the assignee away
	Labels      *[]string       `json:"labels"`
	Fields      json.RawMessage `json:"fields"`
}

func updateIncident(st *state, in *request) (reply, error) {
	inc, err := st.openIncident(in)
	if err != nil {
		return reply{}, err
	}
	if err := inc.checkVersion(in.Header.Get("If-Match")); err != nil {
		return reply{}, err
	}
	var patch incidentPatch
	if err := in.decode(&patch); err != nil {
		return reply{}, err
	}
	if err := patch.apply(st, inc); err != nil {
		return reply{}, err
	}
	inc.happened(in.now, "updated", "p_ada", "Fields were changed.")
	st.tell(in, "incident.update", inc.ID)
	return ok(inc)
}

func (inc *incident) checkVersion(ifMatch string) error {
	if ifMatch == "" || strings.Trim(ifMatch, `"`) == strconv.Itoa(inc.Version) {
		return nil
	}
	return &problem{Status: http.StatusPreconditionFailed, Code: "changed_meanwhile",
		Detail: "Incident " + inc.ID + " is at version " + strconv.Itoa(inc.Version) + ", not " + ifMatch + ".",
		Hint:   "Read the incident again and send its version.", Next: &step{"GET", "/incident/" + inc.ID}}
}

func (patch *incidentPatch) apply(st *state, inc *incident) error {
	changed := *inc
	set(&changed.Title, patch.Title)
	set(&changed.Description, patch.Description)
	set(&changed.Severity, patch.Severity)
	set(&changed.Labels, patch.Labels)
	if len(patch.Fields) > 0 {
		changed.Fields = patch.Fields
	}
	if len(patch.AssigneeID) > 0 {
		changed.AssigneeID = nil
		if err := json.Unmarshal(patch.AssigneeID, &changed.AssigneeID); err != nil {
			return invalid("assignee_id", "must be a person's id or null")
		}
	}
	draft := incidentDraft{Title: changed.Title, Severity: changed.Severity, ServiceID: changed.ServiceID,
		AssigneeID: changed.AssigneeID, Fields: changed.Fields}
	if err := draft.check(st); err != nil {
		return err
	}
	*inc = changed
	return nil
}

func deleteIncident(st *state, in *request) (reply, error) {
	inc, err := st.incident(in)
	if err != nil {
		return reply{}, err
	}
	st.incidents = slices.DeleteFunc(st.incidents, func(other *incident) bool { return other == inc })
	st.tell(in, "incident.delete", inc.ID)
	return noContent()
}
