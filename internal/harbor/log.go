package harbor

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	logDays  = 7   // how many days back logs are kept
	logHot   = 2   // how many of these days are readable at once
	logLines = 600 // how many lines each log holds
	logEvery = 24 * time.Hour / logLines
)

// logFile is what one service wrote on one day. An old one is cold: it must be hydrated before it can be read.
type logFile struct {
	ID        string     `json:"id"`
	ServiceID string     `json:"service_id"`
	From      time.Time  `json:"from"`
	Until     time.Time  `json:"until"`
	State     string     `json:"state"` // cold, warming, ready
	ReadyAt   *time.Time `json:"ready_at"`
	Lines     int        `json:"lines"`
}

// logLine is fat on purpose: who asks for less should get less.
type logLine struct {
	N       int            `json:"n"`
	At      time.Time      `json:"at"`
	Level   string         `json:"level"`
	Host    string         `json:"host"`
	TraceID string         `json:"trace_id"`
	Message string         `json:"message"`
	Fields  map[string]any `json:"fields"`
}

var (
	logStates = []string{"cold", "warming", "ready"}
	logLevels = []string{"debug", "info", "warn", "error"}
)

// logID names the log that a service wrote so many days ago.
func logID(serviceID string, daysAgo int) string {
	return "log_" + strings.TrimPrefix(serviceID, "svc_") + "_" + strconv.Itoa(daysAgo)
}

// logOf names the log that was written at a time, or nothing when it is gone already.
func (st *state) logOf(serviceID string, at time.Time) *string {
	days := max(0, int(st.seededAt.Sub(at)/(24*time.Hour)))
	if days >= logDays {
		return nil
	}
	id := logID(serviceID, days)
	return &id
}

func listLogs(st *state, in *request) (reply, error) {
	p := in.params()
	service, states := p.text("service_id"), p.list("state", ",", logStates...)
	offset, limit := p.cursor("cursor"), p.whole("limit", 1, 100, 20)
	if err := p.err(); err != nil {
		return reply{}, err
	}
	all := keep(st.logs(in.exact), func(file logFile) bool {
		return (service == "" || file.ServiceID == service) && wants(states, file.State)
	})
	return ok(pageFrom(all, offset, limit))
}

// logs are all logs, the newest day of each service first, as they stand at a time.
func (st *state) logs(now time.Time) []logFile {
	var all []logFile
	for _, svc := range st.services {
		for day := range logDays {
			all = append(all, st.logFile(svc.ID, day, now))
		}
	}
	return all
}

func (st *state) logFile(serviceID string, day int, now time.Time) logFile {
	until := st.seededAt.Add(-time.Duration(day) * 24 * time.Hour)
	file := logFile{ID: logID(serviceID, day), ServiceID: serviceID, From: until.Add(-24 * time.Hour), Until: until, State: "cold", Lines: logLines}
	readyAt, warmed := st.warm[file.ID]
	switch {
	case day < logHot, warmed && !now.Before(readyAt):
		file.State = "ready"
	case warmed:
		file.State = "warming"
	}
	if warmed {
		file.ReadyAt = &readyAt
	}
	return file
}

func (st *state) log(in *request) (*logFile, error) {
	id := in.PathValue("log_id")
	file := find(st.logs(in.exact), id, func(file *logFile) string { return file.ID })
	if file == nil {
		return nil, notFound("log", id, "GET /log lists all ids; logs are kept for seven days.")
	}
	return file, nil
}

func getLog(st *state, in *request) (reply, error) {
	file, err := st.log(in)
	if err != nil {
		return reply{}, err
	}
	return ok(file)
}

// hydrateLog begins to bring a cold log back; a second time changes nothing.
func (s *Server) hydrateLog(st *state, in *request) (reply, error) {
	file, err := st.log(in)
	if err != nil {
		return reply{}, err
	}
	if file.State == "cold" {
		readyAt := in.exact.Add(s.options.Hydration)
		st.warm[file.ID] = readyAt
		file.State, file.ReadyAt = "warming", &readyAt
	}
	return jsonReply(http.StatusAccepted, file)
}

func readLog(st *state, in *request) (reply, error) {
	file, err := st.log(in)
	if err != nil {
		return reply{}, err
	}
	p := in.params()
	contains, levels := strings.ToLower(p.text("contains")), p.list("level", ",", logLevels...)
	offset, limit := p.cursor("cursor"), p.whole("limit", 1, 500, 100)
	if err := p.err(); err != nil {
		return reply{}, err
	}
	if file.State != "ready" {
		return reply{}, notReady(file)
	}
	lines := keep(st.lines(file), func(line logLine) bool {
		return wants(levels, line.Level) && strings.Contains(strings.ToLower(line.Message), contains)
	})
	return ok(pageFrom(lines, offset, limit))
}

func notReady(file *logFile) *problem {
	if file.State == "warming" {
		return &problem{Status: http.StatusConflict, Code: "log_warming", Detail: "Log " + file.ID + " is still warming up.",
			Hint: "Read its state until it is ready, a second or two, then read the lines.", Next: &step{"GET", "/log/" + file.ID}}
	}
	return &problem{Status: http.StatusConflict, Code: "log_cold", Detail: "Log " + file.ID + " is in cold storage.",
		Hint: "Hydrate it, read its state until it is ready, then read the lines.", Next: &step{"POST", "/log/" + file.ID + "/hydrate"}}
}

// lines are made afresh each time, always the same: newest first.
func (st *state) lines(file *logFile) []logLine {
	lines := make([]logLine, 0, logLines)
	for i := range logLines {
		lines = append(lines, st.line(file, i+1))
	}
	slices.Reverse(lines)
	return lines
}

func (st *state) line(file *logFile, n int) logLine {
	dice := roll(file.ID, n)
	at := file.From.Add(time.Duration(n) * logEvery)
	line := logLine{N: n, At: at, Level: "info", Host: fmt.Sprintf("%s-%d", strings.TrimPrefix(file.ServiceID, "svc_"), dice%5),
		TraceID: fmt.Sprintf("%016x%016x", dice, dice*31), Message: fmt.Sprintf("GET /%s/%d 200 in %d ms", file.ServiceID, dice%9000, 20+dice%180),
		Fields: map[string]any{"request_id": 1<<60 + dice%100000, "bytes": dice % 40000, "cache": dice%3 == 0}}
	switch {
	case st.troubled(file.ServiceID, at) && dice%2 == 0:
		line.Level, line.Message = "error", fmt.Sprintf("pool exhausted: waited %d ms for a connection (20 of 20 in use)", 1500+dice%2500)
	case dice%23 == 0:
		line.Level, line.Message = "warn", fmt.Sprintf("slow query: %d ms", 600+dice%900)
	case dice%9 == 0:
		line.Level, line.Message = "debug", "cache refreshed"
	}
	return line
}

// troubled tells when the change chg_0240 hurts the checkout.
func (st *state) troubled(serviceID string, at time.Time) bool {
	return serviceID == "svc_checkout" && at.After(st.seededAt.Add(-troubleAgo))
}

// roll is a number that depends on a name and an index only.
func roll(name string, n int) uint64 {
	sum := fnv.New64a()
	_, _ = fmt.Fprintf(sum, "%s/%d", name, n) // a hash takes everything
	mixed := sum.Sum64()
	return (mixed ^ mixed>>29) >> 8
}
