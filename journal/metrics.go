package journal

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twodoor/twodoor"
)

// Metrics counts calls for Prometheus. It is an observer of the engine, safe for concurrent use; the
// zero value is ready. No label holds a user, a session or an argument, and the number of series is
// bounded: names that no operation has are counted as one.
type Metrics struct {
	Journal *Journal // may be nil: its own counters are then left out

	series sync.Map // seriesKey → *series
	count  atomic.Int64
}

type seriesKey struct{ door, upstream, operation, outcome string }

type series struct {
	calls   atomic.Int64
	micros  atomic.Int64
	buckets [len(bounds) + 1]atomic.Int64
	bytes   atomic.Int64
}

// bounds are those of the MCP conventions of OpenTelemetry, in seconds.
var bounds = [...]float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300}

// maxSeries bounds the series; what comes after is counted under "other".
const maxSeries = 5000

// Observe counts a call.
func (m *Metrics) Observe(event twodoor.Event) {
	key := seriesKey{door: event.Door, operation: event.Operation, outcome: event.Code.String()}
	key.upstream, _, _ = strings.Cut(event.Operation, ".")
	if event.Code == twodoor.CodeUnknown {
		key.upstream, key.operation = "", ""
	}
	s := m.of(key)
	s.calls.Add(1)
	s.micros.Add(event.Duration.Microseconds())
	s.bytes.Add(int64(event.BytesOut))
	at, _ := slices.BinarySearch(bounds[:], event.Duration.Seconds())
	s.buckets[at].Add(1)
}

func (m *Metrics) of(key seriesKey) *series {
	if s, ok := m.series.Load(key); ok {
		return s.(*series)
	}
	if m.count.Load() >= maxSeries {
		key.upstream, key.operation = "other", "other"
	}
	s, loaded := m.series.LoadOrStore(key, &series{})
	if !loaded {
		m.count.Add(1)
	}
	return s.(*series)
}

// ContentType is the media type of what WriteTo writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// WriteTo writes every series in the text format of Prometheus.
func (m *Metrics) WriteTo(w io.Writer) (int64, error) {
	counted := &counter{w: w}
	out := bufio.NewWriter(counted)
	type line struct {
		key seriesKey
		s   *series
	}
	var lines []line
	m.series.Range(func(key, s any) bool {
		lines = append(lines, line{key.(seriesKey), s.(*series)})
		return true
	})
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.key.operation, b.key.operation), cmp.Compare(a.key.door, b.key.door), cmp.Compare(a.key.outcome, b.key.outcome))
	})
	header(out, "twodoor_calls_total", "counter", "Calls that have ended.")
	for _, l := range lines {
		fmt.Fprintf(out, "twodoor_calls_total{%s} %d\n", l.key.labels(), l.s.calls.Load())
	}
	header(out, "twodoor_result_bytes_total", "counter", "Bytes of answers as sent.")
	for _, l := range lines {
		fmt.Fprintf(out, "twodoor_result_bytes_total{%s} %d\n", l.key.labels(), l.s.bytes.Load())
	}
	header(out, "twodoor_call_duration_seconds", "histogram", "How long calls took.")
	for _, l := range lines {
		l.s.histogram(out, l.key.labels())
	}
	m.writeJournal(out)
	return counted.n, cmp.Or(out.Flush(), counted.err)
}

func (s *series) histogram(out io.Writer, labels string) {
	var sum int64
	for i := range s.buckets {
		sum += s.buckets[i].Load()
		bound := "+Inf"
		if i < len(bounds) {
			bound = strconv.FormatFloat(bounds[i], 'g', -1, 64)
		}
		fmt.Fprintf(out, "twodoor_call_duration_seconds_bucket{%s,le=%q} %d\n", labels, bound, sum)
	}
	seconds := (time.Duration(s.micros.Load()) * time.Microsecond).Seconds()
	fmt.Fprintf(out, "twodoor_call_duration_seconds_sum{%s} %g\ntwodoor_call_duration_seconds_count{%s} %d\n", labels, seconds, labels, sum)
}

func (m *Metrics) writeJournal(out io.Writer) {
	if m.Journal == nil {
		return
	}
	header(out, "twodoor_journal_records_total", "counter", "Records on disk.")
	fmt.Fprintf(out, "twodoor_journal_records_total %d\n", m.Journal.Written())
	header(out, "twodoor_events_dropped_total", "counter", "Records dropped under overload.")
	fmt.Fprintf(out, "twodoor_events_dropped_total %d\n", m.Journal.Dropped())
	header(out, "twodoor_journal_up", "gauge", "Whether the journal can be written.")
	up := 1
	if m.Journal.Failing() != nil {
		up = 0
	}
	fmt.Fprintf(out, "twodoor_journal_up %d\n", up)
}

func header(out io.Writer, name, kind, help string) {
	fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (k seriesKey) labels() string {
	return fmt.Sprintf(`door="%s",upstream="%s",operation="%s",outcome="%s"`, label(k.door), label(k.upstream), label(k.operation), label(k.outcome))
}

var labelEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func label(text string) string { return labelEscape.Replace(bounded(text, maxName)) }

// counter counts what passes through, and keeps the first fault.
type counter struct {
	w   io.Writer
	n   int64
	err error
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	c.err = cmp.Or(c.err, err)
	return n, err
}
