package harbor

import (
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// request is a request whose body was read and whose time is fixed.
type request struct {
	*http.Request
	body  []byte
	query url.Values
	now   time.Time // whole seconds
	exact time.Time
}

// route is one operation: handlers run one at a time and own the state while they run.
type route struct {
	method, path string
	handle       func(*state, *request) (reply, error)
}

// routes lists all that Harbor serves, in the order of its document.
func (s *Server) routes() []route {
	return []route{
		{"GET", "/service", listServices},
		{"GET", "/service/{service_id}", getService},
		{"PATCH", "/service/{service_id}", updateService},
		{"GET", "/service/{service_id}/runbook", getRunbook},
		{"PUT", "/service/{service_id}/runbook", updateRunbook},

		{"GET", "/incident", listIncidents},
		{"POST", "/incident", s.then(createIncident)},
		{"POST", "/incident/search", searchIncidents},
		{"GET", "/incident/export", exportIncidents},
		{"GET", "/incident/{incident_id}", getIncident},
		{"PATCH", "/incident/{incident_id}", s.then(updateIncident)},
		{"DELETE", "/incident/{incident_id}", s.then(deleteIncident)},
		{"POST", "/incident/{incident_id}/ack", s.then(ackIncident)},
		{"POST", "/incident/{incident_id}/close", s.then(closeIncident)},
		{"GET", "/incident/{incident_id}/timeline", getTimeline},
		{"GET", "/incident/{incident_id}/events", s.followIncident},
		{"POST", "/incident/{incident_id}/note", s.then(createNote)},
		{"POST", "/incident/{incident_id}/change", s.then(linkChange)},
		{"POST", "/incident/{incident_id}/escalation", s.then(createEscalation)},
		{"DELETE", "/incident/{incident_id}/escalation", s.then(deleteEscalation)},
		{"POST", "/incident/{incident_id}/attachment", s.then(createAttachment)},
		{"GET", "/incident/{incident_id}/attachment/{attachment_id}", getAttachment},

		{"GET", "/oncall/now", getOncallNow},
		{"GET", "/oncall/schedule", listSchedules},
		{"GET", "/oncall/schedule/{schedule_id}", getSchedule},
		{"POST", "/oncall/schedule/{schedule_id}/override", createOverride},
		{"GET", "/person", listPeople},
		{"GET", "/person/{person_id}", getPerson},

		{"GET", "/change", listChanges},
		{"POST", "/change", createChange},
		{"GET", "/change/{change_id}", getChange},

		{"GET", "/metric", listMetrics},
		{"GET", "/metric/{metric}", getMetric},
		{"POST", "/metric/query", queryMetric},

		{"GET", "/workflow", listWorkflows},
		{"POST", "/workflow", createWorkflow},
		{"GET", "/workflow/{workflow_id}", getWorkflow},
		{"PATCH", "/workflow/{workflow_id}", updateWorkflow},
		{"POST", "/workflow/{workflow_id}/start", startWorkflow},
		{"POST", "/workflow/{workflow_id}/stop", stopWorkflow},

		{"GET", "/log", listLogs},
		{"GET", "/log/{log_id}", getLog},
		{"POST", "/log/{log_id}/hydrate", s.hydrateLog},
		{"GET", "/log/{log_id}/lines", readLog},

		{"GET", "/audit", listAudit},
		{"GET", faultsPath, s.listFaults},
		{"POST", faultsPath, s.createFaults},
		{"DELETE", faultsPath, s.clearFaults},
	}
}

// then wakes those who follow an incident after a handler that changed one.
func (s *Server) then(handle func(*state, *request) (reply, error)) func(*state, *request) (reply, error) {
	return func(st *state, in *request) (reply, error) {
		answer, err := handle(st, in)
		if err == nil {
			s.wake()
		}
		return answer, err
	}
}

// wake tells those who follow an incident to look again. The caller holds mu.
func (s *Server) wake() {
	close(s.change)
	s.change = make(chan struct{})
}

// methodsOf lists the methods that the request's path does take.
func (s *Server) methodsOf(r *http.Request) string {
	var allowed []string
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := s.mux.Handler(probe); pattern != "/" && pattern != "" {
			allowed = append(allowed, method)
		}
	}
	return strings.Join(allowed, ", ")
}

// admits tells whether the request carries the token, where one is wanted.
func (s *Server) admits(r *http.Request) bool {
	if s.options.Token == "" {
		return true
	}
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return s.isToken(bearer) || s.isToken(r.Header.Get("Harbor-Key"))
}

func (s *Server) isToken(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(s.options.Token)) == 1
}
