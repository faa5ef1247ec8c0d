package telemetry

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"time"
)

// services are those of the shop that tell something.
var services = []string{"svc_cart", "svc_catalog", "svc_checkout", "svc_gateway", "svc_payments", "svc_search"}

type metric struct {
	Name        string  `json:"name"`
	Unit        string  `json:"unit"`
	Description string  `json:"description"`
	base        float64 // about what a calm service shows
	trouble     float64 // how many times that while something is wrong
}

var metrics = []metric{
	{"error_rate", "percent", "Share of requests that failed", 0.4, 14},
	{"latency_p99_ms", "milliseconds", "Time within which 99 of 100 requests were answered", 310, 9},
	{"requests_per_second", "requests/s", "Requests a second", 220, 0.7},
}

func (s *Server) listMetrics(json.RawMessage) (any, error) {
	type line struct {
		Name        string `json:"name"`
		Unit        string `json:"unit"`
		Description string `json:"description"`
	}
	lines := []line{}
	for _, m := range metrics {
		lines = append(lines, line{m.Name, m.Unit, m.Description})
	}
	return map[string]any{"metrics": lines}, nil
}

// maxPoints bounds the points of one series.
const maxPoints = 5000

func (s *Server) queryRange(in json.RawMessage) (any, error) {
	want, err := decode[struct {
		Metric     string
		ServiceIDs []string `json:"serviceIds"`
		Since      *time.Time
		Until      *time.Time
		Step       string
	}](in)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(metrics, func(m metric) bool { return m.Name == want.Metric })
	if at < 0 {
		return nil, notFound("metric", want.Metric, "ListMetrics lists all names")
	}
	until, since := s.now(), s.now().Add(-24*time.Hour)
	if want.Until != nil {
		until = *want.Until
	}
	if want.Since != nil {
		since = *want.Since
	}
	step := time.Minute
	if want.Step != "" {
		step, err = time.ParseDuration(want.Step)
	}
	switch {
	case err != nil || step < time.Minute:
		return nil, invalid("step is at least 60s")
	case !until.After(since):
		return nil, invalid("until must be later than since")
	case until.Sub(since)/step > maxPoints:
		return nil, invalid("that makes more than %d points a service: take a larger step or a shorter time", maxPoints)
	case len(want.ServiceIDs) < 1 || len(want.ServiceIDs) > 5:
		return nil, invalid("service_ids takes 1 to 5 services")
	}
	series := []any{}
	for _, id := range want.ServiceIDs {
		if !slices.Contains(services, id) {
			return nil, notFound("service", id, "as in svc_checkout")
		}
		series = append(series, map[string]any{"serviceId": id, "points": s.points(metrics[at], id, since, until, step)})
	}
	return map[string]any{"metric": metrics[at].Name, "unit": metrics[at].Unit, "series": series}, nil
}

func (s *Server) points(m metric, service string, since, until time.Time, step time.Duration) []any {
	points := []any{}
	for t := since.Truncate(step).Add(step); !t.After(until); t = t.Add(step) {
		points = append(points, map[string]any{"at": stamp(t), "value": s.value(m, service, t)})
	}
	return points
}

// value swings with the hour of the day, shakes a little, and leaps where the service is in trouble.
func (s *Server) value(m metric, service string, t time.Time) float64 {
	minute := int(t.Unix() / 60)
	day := 1 + 0.35*math.Sin(2*math.Pi*float64(minute%1440)/1440-math.Pi/2)
	value := m.base * (0.5 + float64(roll(service, 0)%100)/100) * day * (0.9 + float64(roll(m.Name+service, minute)%200)/1000)
	if s.isTroubled(service, t) {
		value *= m.trouble
	}
	return math.Round(value*100) / 100
}

// isTroubled tells when something is wrong: the checkout, in the last two hours before the start.
func (s *Server) isTroubled(service string, t time.Time) bool {
	return service == "svc_checkout" && t.After(s.began.Add(-2*time.Hour)) && t.Before(s.began)
}

// roll is a number that depends on a name and an index only.
func roll(name string, n int) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(name + "/" + strconv.Itoa(n))) // a hash takes everything
	mixed := sum.Sum64()
	return (mixed ^ mixed>>29) >> 8
}
