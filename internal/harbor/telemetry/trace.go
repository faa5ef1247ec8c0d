package telemetry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

const traceCount = 60 // of one service

type traceLine struct {
	TraceID string `json:"traceId"`
	Name    string `json:"name"`
	Begun   string `json:"begun"`
	Took    string `json:"took"`
	Failed  bool   `json:"failed"`

	took time.Duration
}

func traceID(service string, n int) string {
	return fmt.Sprintf("%014x%016x%02x", roll(service, n)&0xffffffffffffff, roll("trace"+service, n), n)
}

// trace is the nth trace of a service.
func (s *Server) trace(service string, n int) traceLine {
	begun := s.began.Add(-time.Duration(n) * 7 * time.Minute)
	took := time.Duration(40+roll(service, n)%400) * time.Millisecond
	failed := roll(service, n)%17 == 0
	if s.isTroubled(service, begun) {
		took, failed = took*9, n%2 == 0
	}
	name := strings.TrimPrefix(service, "svc_")
	return traceLine{traceID(service, n), "GET /" + name, stamp(begun), span(took), failed, took}
}

func (s *Server) searchTraces(in json.RawMessage) (any, error) {
	want, err := decode[struct {
		ServiceID  string `json:"serviceId"`
		SlowerThan string `json:"slowerThan"`
		Failed     bool
		paging
	}](in)
	if err != nil {
		return nil, err
	}
	bound, err := time.ParseDuration(cmp.Or(want.SlowerThan, "0s"))
	if err != nil {
		return nil, invalid("slower_than is a duration, as in 0.5s")
	}
	lines := []traceLine{}
	for _, service := range services {
		for n := range traceCount {
			line := s.trace(service, n)
			if (want.ServiceID == "" || want.ServiceID == service) && line.took >= bound && (line.Failed || !want.Failed) {
				lines = append(lines, line)
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b traceLine) int { return cmp.Compare(b.took, a.took) })
	page, next, err := pageOf(lines, want.paging, 20, 100)
	return map[string]any{"traces": page, "nextPageToken": next}, err
}

func (s *Server) getTrace(in json.RawMessage) (any, error) {
	want, err := decode[struct {
		TraceID string `json:"traceId"`
	}](in)
	if err != nil {
		return nil, err
	}
	for _, service := range services {
		for n := range traceCount {
			if traceID(service, n) == want.TraceID {
				line := s.trace(service, n)
				return map[string]any{"traceId": line.TraceID, "root": s.spanOf(service, n, line.took, 0, line.Failed)}, nil
			}
		}
	}
	return nil, notFound("trace", want.TraceID, "SearchTraces lists ids")
}

// spanOf is a piece of work with what it waited for, three deep.
func (s *Server) spanOf(service string, n int, took time.Duration, depth int, failed bool) map[string]any {
	begun := s.began.Add(-time.Duration(n) * 7 * time.Minute)
	out := map[string]any{
		"name": "GET /" + strings.TrimPrefix(service, "svc_"), "serviceId": service, "begun": stamp(begun), "took": span(took),
		"attributes": map[string]string{"host": fmt.Sprintf("%s-%d", strings.TrimPrefix(service, "svc_"), roll(service, n)%5), "region": "eu"},
	}
	if failed {
		out["failure"] = map[string]any{"message": "pool exhausted: 20 of 20 connections in use", "stack": strings.Repeat("at pool.acquire (pool.ts:118)\n", 12)}
	} else {
		out["success"] = map[string]any{"status": 200}
	}
	children := []any{}
	for i := range 2 * (2 - depth) {
		other := services[(n+depth+i)%len(services)]
		children = append(children, s.spanOf(other, n+i+1, took/time.Duration(3+i), depth+1, failed && i == 0))
	}
	if len(children) > 0 {
		out["children"] = children
	}
	return out
}
