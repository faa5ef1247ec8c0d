package harbor

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// metric is something that is measured of every service, once a minute.
type metric struct {
	Name        string  `json:"name"`
	Unit        string  `json:"unit"`
	Description string  `json:"description"`
	Better      string  `json:"better"` // lower, higher or neither
	base        float64 // about what a calm service shows
	trouble     float64 // how many times that while something is wrong
}

var metrics = []metric{
	{"error_rate", "percent", "Share of requests that failed", "lower", 0.4, 14},
	{"latency_p99_ms", "milliseconds", "Time within which 99 of 100 requests were answered", "lower", 310, 9},
	{"queue_depth", "messages", "Messages that wait", "lower", 40, 3},
	{"requests_per_second", "requests/s", "Requests a second", "neither", 220, 0.7},
}

// series are the points of one service, oldest first.
type series struct {
	ServiceID string  `json:"service_id"`
	Points    []point `json:"points"`
}

type point struct {
	T int64   `json:"t"` // Unix seconds
	V float64 `json:"v"`
}

func listMetrics(*state, *request) (reply, error) { return ok(map[string]any{"items": metrics}) }

func getMetric(_ *state, in *request) (reply, error) {
	found, err := metricNamed(in.PathValue("metric"))
	if err != nil {
		return reply{}, err
	}
	return ok(found)
}

func metricNamed(name string) (*metric, error) {
	found := find(metrics, name, func(m *metric) string { return m.Name })
	if found == nil {
		return nil, notFound("metric", name, "GET /metric lists all names.")
	}
	return found, nil
}

type metricQuery struct {
	Metric     string   `json:"metric"`
	ServiceIDs []string `json:"service_ids"`
	Since      int64    `json:"since"`
	Until      int64    `json:"until"`
	StepS      int64    `json:"step_s"`
}

const (
	metricDay    = 24 * 60 * 60
	metricPoints = 5000 // of one series, at most
)

// queryMetric reads, though it is a POST. A day by the minute is 1,440 points a service.
func queryMetric(st *state, in *request) (reply, error) {
	want := metricQuery{Until: in.now.Unix(), StepS: 60}
	if err := in.decode(&want); err != nil {
		return reply{}, err
	}
	if want.Since == 0 {
		want.Since = want.Until - metricDay
	}
	found, err := want.check(st)
	if err != nil {
		return reply{}, err
	}
	all := []series{}
	for _, id := range want.ServiceIDs {
		all = append(all, series{id, st.measure(found, id, want)})
	}
	return ok(map[string]any{"metric": found.Name, "unit": found.Unit, "since": want.Since, "until": want.Until, "step_s": want.StepS, "series": all})
}

func (want metricQuery) check(st *state) (*metric, error) {
	p := &params{}
	found, err := metricNamed(want.Metric)
	if err != nil {
		p.fault("metric", "is required and must be one that GET /metric lists")
	}
	if len(want.ServiceIDs) < 1 || len(want.ServiceIDs) > 5 {
		p.fault("service_ids", "is required, 1 to 5 services")
	}
	for i, id := range want.ServiceIDs {
		if _, err := st.service(id); err != nil {
			p.fault("service_ids["+strconv.Itoa(i)+"]", "is no service; GET /service lists all ids")
		}
	}
	steps := []int64{60, 300, 3600}
	switch {
	case !slices.Contains(steps, want.StepS):
		p.fault("step_s", "must be 60, 300 or 3600")
	case want.Until <= want.Since:
		p.fault("until", "must be later than since")
	case (want.Until-want.Since)/want.StepS > metricPoints:
		p.fault("step_s", "makes more than 5000 points; take a larger step or a shorter time")
	}
	return found, p.err()
}

func (st *state) measure(what *metric, serviceID string, want metricQuery) []point {
	points := []point{}
	for t := want.Since - want.Since%want.StepS + want.StepS; t <= want.Until; t += want.StepS {
		points = append(points, point{t, st.value(what, serviceID, t)})
	}
	return points
}

// value swings with the hour of the day, shakes a little, and leaps where the service is in trouble.
func (st *state) value(what *metric, serviceID string, t int64) float64 {
	size := 0.5 + float64(roll(serviceID, 0)%100)/100
	day := 1 + 0.35*math.Sin(2*math.Pi*float64(t%metricDay)/metricDay-math.Pi/2)
	shake := 0.9 + float64(roll(what.Name+strings.TrimPrefix(serviceID, "svc_"), int(t/60))%200)/1000
	value := what.base * size * day * shake
	if st.troubled(serviceID, time.Unix(t, 0)) {
		value *= what.trouble
	}
	return math.Round(value*100) / 100
}
