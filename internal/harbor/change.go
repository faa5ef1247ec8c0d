package harbor

import (
	"strconv"
	"time"
)

// change is something that was rolled out. Its build id is larger than a float64 can hold exactly.
type change struct {
	ID        string    `json:"id"`
	BuildID   int64     `json:"build_id"`
	ServiceID string    `json:"service_id"`
	Kind      string    `json:"kind"`
	Summary   string    `json:"summary"`
	AuthorID  string    `json:"author_id"`
	At        time.Time `json:"at"`
	Reverted  bool      `json:"reverted"`
}

// buildFirst is 2^60 + 1, the first integer above 2^60 that a float64 loses.
const buildFirst int64 = 1<<60 + 1

var changeKinds = []string{"deploy", "config", "flag", "migration"}

type offsetPage[T any] struct {
	Items  []T `json:"items"`
	Offset int `json:"offset"`
	Limit  int `json:"limit"`
	Total  int `json:"total"`
}

func listChanges(st *state, in *request) (reply, error) {
	p := in.params()
	offset, limit := p.whole("offset", 0, 100000, 0), p.whole("limit", 1, 200, 50)
	services, kind := p.list("service_ids", " "), p.one("kind", "", changeKinds...)
	since, until := p.moment("since", time.Time{}), p.moment("until", time.Time{})
	build := p.text("build_id")
	if _, err := strconv.ParseInt(build, 10, 64); build != "" && err != nil {
		p.fault("build_id", "must be a 64-bit integer")
	}
	if err := p.err(); err != nil {
		return reply{}, err
	}
	found := keep(st.changes, func(ch change) bool {
		return wants(services, ch.ServiceID) && (kind == "" || ch.Kind == kind) && within(ch.At, since, until) &&
			(build == "" || strconv.FormatInt(ch.BuildID, 10) == build)
	})
	return ok(offsetPage[change]{Items: window(found, offset, limit), Offset: offset, Limit: limit, Total: len(found)})
}

func getChange(st *state, in *request) (reply, error) {
	id := in.PathValue("change_id")
	ch := st.change(id)
	if ch == nil {
		return reply{}, notFound("change", id, "GET /change lists all ids.")
	}
	return ok(ch)
}

func (st *state) change(id string) *change {
	return find(st.changes, id, func(ch *change) string { return ch.ID })
}

type changeDraft struct {
	BuildID   int64  `json:"build_id"`
	ServiceID string `json:"service_id"`
	Kind      string `json:"kind"`
	Summary   string `json:"summary"`
}

func createChange(st *state, in *request) (reply, error) {
	draft := changeDraft{Kind: "deploy"}
	if err := in.decode(&draft); err != nil {
		return reply{}, err
	}
	if err := draft.check(st); err != nil {
		return reply{}, err
	}
	ch := change{ID: changeID(len(st.changes) + 1), BuildID: draft.BuildID, ServiceID: draft.ServiceID, Kind: draft.Kind,
		Summary: draft.Summary, AuthorID: "p_ada", At: in.now}
	st.changes = append([]change{ch}, st.changes...)
	st.tell(in, "change.create", ch.ID)
	answer, err := created(ch)
	return answer.with("Location", "/change/"+ch.ID), err
}

func (draft changeDraft) check(st *state) error {
	p := &params{}
	if draft.BuildID < 1 {
		p.fault("build_id", "is required, a positive integer")
	}
	if draft.Summary == "" {
		p.fault("summary", "is required")
	}
	if _, err := st.service(draft.ServiceID); err != nil {
		p.fault("service_id", "is required and must be a service; GET /service lists all ids")
	}
	p.among("kind", draft.Kind, changeKinds)
	return p.err()
}

func changeID(number int) string {
	text := strconv.Itoa(number)
	return "chg_" + "0000"[min(len(text), 4):] + text
}
