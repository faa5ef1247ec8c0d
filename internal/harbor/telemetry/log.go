package telemetry

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"
)

const (
	logDays  = 7   // how many days back logs are kept
	logHot   = 2   // how many of these days are readable at once
	logLines = 600 // how many lines each log holds
	logEvery = 24 * time.Hour / logLines
)

var levels = []string{"LEVEL_UNSPECIFIED", "LEVEL_DEBUG", "LEVEL_INFO", "LEVEL_WARN", "LEVEL_ERROR"}

// logFile is what one service wrote on one day.
type logFile struct {
	LogID     string `json:"logId"`
	ServiceID string `json:"serviceId"`
	State     string `json:"state"`
	From      string `json:"from"`
	Until     string `json:"until"`
	Lines     int    `json:"lines"`

	from time.Time
}

type logLine struct {
	At        string         `json:"at"`
	Level     string         `json:"level"`
	ServiceID string         `json:"serviceId"`
	Host      string         `json:"host"`
	TraceID   string         `json:"traceId"`
	Message   string         `json:"message"`
	Fields    map[string]any `json:"fields"`
	RequestID string         `json:"requestId"`
	Received  string         `json:"receivedMs"`

	at time.Time
}

func (s *Server) logs() (all []logFile) {
	for _, service := range services {
		for day := range logDays {
			until := s.began.Add(-time.Duration(day) * 24 * time.Hour)
			file := logFile{
				LogID: "log_" + strings.TrimPrefix(service, "svc_") + "_" + strconv.Itoa(day), ServiceID: service, State: "LOG_STATE_COLD",
				From: stamp(until.Add(-24 * time.Hour)), Until: stamp(until), Lines: logLines, from: until.Add(-24 * time.Hour),
			}
			readyAt, warmed := s.warm[file.LogID]
			switch {
			case day < logHot, warmed && !s.now().Before(readyAt):
				file.State = "LOG_STATE_READY"
			case warmed:
				file.State = "LOG_STATE_WARMING"
			}
			all = append(all, file)
		}
	}
	return all
}

func (s *Server) listLogs(in json.RawMessage) (any, error) {
	want, err := decode[struct {
		ServiceID string `json:"serviceId"`
	}](in)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(s.logs(), func(f logFile) bool { return want.ServiceID != "" && f.ServiceID != want.ServiceID })
	return map[string]any{"logs": all}, nil
}

func (s *Server) logOf(in json.RawMessage) (*logFile, error) {
	want, err := decode[struct {
		LogID string `json:"logId"`
	}](in)
	if err != nil {
		return nil, err
	}
	for _, file := range s.logs() {
		if file.LogID == want.LogID {
			return &file, nil
		}
	}
	return nil, notFound("log", want.LogID, "ListLogs lists all ids; logs are kept for seven days")
}

func (s *Server) getLog(in json.RawMessage) (any, error) { return s.logOf(in) }

// hydrateLog begins to bring a cold log back.
func (s *Server) hydrateLog(in json.RawMessage) (any, error) {
	file, err := s.logOf(in)
	if err == nil && file.State == "LOG_STATE_COLD" {
		s.warm[file.LogID] = s.now().Add(s.hydration)
		file.State = "LOG_STATE_WARMING"
	}
	return file, err
}

func (s *Server) readLog(in json.RawMessage) (any, error) {
	file, err := s.logOf(in)
	if err != nil {
		return nil, err
	}
	if file.State != "LOG_STATE_READY" {
		return nil, connect.NewError(connect.CodeFailedPrecondition, fmt.Errorf("log %s is in cold storage: hydrate it, and read its state until it is ready", file.LogID))
	}
	want, err := decode[struct {
		Contains string
		paging
	}](in)
	if err != nil {
		return nil, err
	}
	lines := []logLine{}
	for n := logLines; n > 0; n-- {
		if line := s.line(file.ServiceID, file.from, n); contains(line, want.Contains) {
			lines = append(lines, line)
		}
	}
	page, next, err := pageOf(lines, want.paging, 100, 500)
	return map[string]any{"lines": page, "nextPageToken": next}, err
}

func contains(line logLine, part string) bool {
	return strings.Contains(strings.ToLower(line.Message), strings.ToLower(part))
}

func (s *Server) searchLogs(in json.RawMessage) (any, error) {
	want, err := decode[struct {
		ServiceIDs []string `json:"serviceIds"`
		AtLeast    string   `json:"atLeast"`
		Contains   string
		Since      *time.Time
		paging
	}](in)
	if err != nil {
		return nil, err
	}
	since, least := s.now().Add(-time.Hour), slices.Index(levels, want.AtLeast)
	if want.Since != nil {
		since = *want.Since
	}
	lines := []logLine{}
	for _, file := range s.logs() {
		if file.from.Before(s.began.Add(-logHot*24*time.Hour)) || len(want.ServiceIDs) > 0 && !slices.Contains(want.ServiceIDs, file.ServiceID) {
			continue
		}
		for n := logLines; n > 0; n-- {
			line := s.line(file.ServiceID, file.from, n)
			if !line.at.Before(since) && slices.Index(levels, line.Level) >= least && contains(line, want.Contains) {
				lines = append(lines, line)
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b logLine) int { return cmp.Compare(b.at.UnixNano(), a.at.UnixNano()) })
	page, next, err := pageOf(lines, want.paging, 100, 500)
	return map[string]any{"lines": page, "nextPageToken": next}, err
}

// tailLogs sends a line now and then, until nobody listens.
func (s *Server) tailLogs(ctx context.Context, in json.RawMessage, send func(any) error) error {
	want, err := decode[struct {
		ServiceIDs []string `json:"serviceIds"`
	}](in)
	if err != nil {
		return err
	}
	if len(want.ServiceIDs) == 0 {
		want.ServiceIDs = services
	}
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for n := 1; ; n++ {
		if err := send(s.line(want.ServiceIDs[n%len(want.ServiceIDs)], s.began, n)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

func (s *Server) rebuildIndex(json.RawMessage) (any, error) { return struct{}{}, nil }

// line is made afresh each time, always the same.
func (s *Server) line(service string, from time.Time, n int) logLine {
	dice, at := roll(service+from.Format(time.DateOnly), n), from.Add(time.Duration(n)*logEvery)
	line := logLine{
		At: stamp(at), Level: "LEVEL_INFO", ServiceID: service, Host: fmt.Sprintf("%s-%d", strings.TrimPrefix(service, "svc_"), dice%5),
		TraceID: traceID(service, n%traceCount), Message: fmt.Sprintf("GET /%s/%d 200 in %d ms", service, dice%9000, 20+dice%180),
		Fields:    map[string]any{"bytes": dice % 40000, "cache": dice%3 == 0, "agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "tags": []string{"eu", "blue"}},
		RequestID: strconv.FormatUint(1<<60+dice%100000, 10), Received: strconv.FormatInt(at.UnixMilli(), 10), at: at,
	}
	switch {
	case s.isTroubled(service, at) && dice%2 == 0:
		line.Level, line.Message = "LEVEL_ERROR", fmt.Sprintf("pool exhausted: waited %d ms for a connection (20 of 20 in use)", 1500+dice%2500)
	case dice%23 == 0:
		line.Level, line.Message = "LEVEL_WARN", fmt.Sprintf("slow query: %d ms", 600+dice%900)
	case dice%9 == 0:
		line.Level, line.Message = "LEVEL_DEBUG", "cache refreshed"
	}
	return line
}
