package harbor

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// hit is an incident that a search found, and why.
type hit struct {
	Incident   *incident `json:"incident"`
	Score      int       `json:"score"`
	Highlights []string  `json:"highlights"`
}

type incidentSearch struct {
	Text       string    `json:"text"`
	Status     []string  `json:"status"`
	Severity   []string  `json:"severity"`
	ServiceIDs []string  `json:"service_ids"`
	Since      time.Time `json:"since"`
	Until      time.Time `json:"until"`
	Limit      int       `json:"limit"`
}

// searchIncidents ranks by how many of the words stand in an incident. It reads, though it is a POST.
func searchIncidents(st *state, in *request) (reply, error) {
	want := incidentSearch{Limit: 10}
	if err := in.decode(&want); err != nil {
		return reply{}, err
	}
	if err := want.check(); err != nil {
		return reply{}, err
	}
	words := strings.Fields(strings.ToLower(want.Text))
	hits := []hit{}
	for _, inc := range st.incidents {
		if found := inc.match(words); found.Score > 0 && want.passes(inc) {
			hits = append(hits, found)
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.Score - a.Score })
	return ok(map[string]any{"items": window(hits, 0, want.Limit), "total": len(hits)})
}

func (want incidentSearch) check() error {
	p := &params{}
	if strings.TrimSpace(want.Text) == "" {
		p.fault("text", "is required")
	}
	if want.Limit < 1 || want.Limit > 50 {
		p.fault("limit", "must be an integer from 1 to 50")
	}
	p.amongAll("status", want.Status, statuses)
	p.amongAll("severity", want.Severity, severities)
	return p.err()
}

func (want incidentSearch) passes(inc *incident) bool {
	return wants(want.Status, inc.Status) && wants(want.Severity, inc.Severity) && wants(want.ServiceIDs, inc.ServiceID) &&
		within(inc.CreatedAt, want.Since, want.Until)
}

// match counts a word of the title double.
func (inc *incident) match(words []string) hit {
	found := hit{Incident: inc, Highlights: []string{}}
	title, text := strings.ToLower(inc.Title), strings.ToLower(inc.Description+" "+inc.Resolution+" "+inc.ServiceID)
	for _, word := range words {
		if strings.Contains(title, word) {
			found.Score += 2
			found.Highlights = append(found.Highlights, word)
		} else if strings.Contains(text, word) {
			found.Score++
			found.Highlights = append(found.Highlights, word)
		}
	}
	return found
}

// exportIncidents writes one incident a line.
func exportIncidents(st *state, in *request) (reply, error) {
	p := in.params()
	found := st.filterIncidents(p)
	if err := p.err(); err != nil {
		return reply{}, err
	}
	var lines bytes.Buffer
	for _, inc := range found {
		line, err := encode(inc)
		if err != nil {
			return reply{}, err
		}
		lines.Write(line)
	}
	return typed(http.StatusOK, "application/x-ndjson", lines.Bytes()), nil
}

// followIncident sends the timeline as server-sent events: first what was, then what happens while it waits.
func (s *Server) followIncident(st *state, in *request) (reply, error) {
	inc, err := st.incident(in)
	if err != nil {
		return reply{}, err
	}
	p := in.params()
	most, seconds := p.whole("max", 1, 100, 20), p.whole("wait_s", 0, 60, 0)
	after := p.lastEvent()
	if err := p.err(); err != nil {
		return reply{}, err
	}
	follower := follower{server: s, id: inc.ID, request: in.Request, sent: after, left: most}
	return reply{header: http.Header{"Content-Type": {"text/event-stream"}, "Cache-Control": {"no-store"}},
		stream: func(w http.ResponseWriter) { follower.run(w, time.Duration(seconds)*time.Second) }}, nil
}

func (p *params) lastEvent() int {
	text := p.in.Header.Get("Last-Event-ID")
	if text == "" {
		return 0
	}
	id, err := strconv.Atoi(text)
	if err != nil || id < 0 {
		p.fault("Last-Event-ID", "must be the id of an event")
	}
	return id
}

// follower sends the events of one incident to one caller.
type follower struct {
	server  *Server
	id      string
	request *http.Request
	sent    int // id of the last event sent
	left    int // events that may still be sent
}

func (f *follower) run(w http.ResponseWriter, patience time.Duration) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for why := ""; why == ""; {
		lines, change, gone := f.news()
		if err := f.send(w, lines); err != nil {
			return
		}
		switch {
		case gone:
			why = "deleted"
		case f.left == 0:
			why = "max"
		case patience == 0:
			why = "wait"
		default:
			why = f.pause(timer, change)
		}
		if why != "" {
			_, _ = fmt.Fprintf(w, "event: end\ndata: {\"why\":%q,\"last_id\":%d}\n\n", why, f.sent)
		}
	}
}

// news are the events not sent yet, a channel that closes when there may be more, and whether the incident is gone.
func (f *follower) news() (lines []event, change <-chan struct{}, gone bool) {
	f.server.mu.Lock()
	defer f.server.mu.Unlock()
	inc := f.server.state.incidentByID(f.id)
	if inc == nil {
		return nil, nil, true
	}
	return slices.Clone(window(inc.timeline, f.sent, f.left)), f.server.change, false
}

func (f *follower) send(w http.ResponseWriter, lines []event) error {
	for _, line := range lines {
		if err := sendEvent(w, line); err != nil {
			return err
		}
		f.sent = line.ID
		f.left--
	}
	return http.NewResponseController(w).Flush()
}

// pause waits for a change and tells why there is nothing more to wait for, if so.
func (f *follower) pause(timer *time.Timer, change <-chan struct{}) string {
	select {
	case <-change:
		return ""
	case <-timer.C:
		return "wait"
	case <-f.request.Context().Done():
		return "left"
	}
}

func sendEvent(w http.ResponseWriter, line event) error {
	data, err := encode(line)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", line.ID, line.Kind, bytes.TrimSpace(data))
	return err
}
