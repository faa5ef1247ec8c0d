package telemetry

import (
	"slices"
	"time"
)

// measures are the durations of calls since the start, by what the conventions tell them apart by.
type measures map[measured]*histogram

// measured is one series. No part of it is a caller's own words.
type measured struct{ name, tool, version, fault string }

type histogram struct {
	count   uint64
	sum     float64 // seconds
	buckets [len(bounds) + 1]uint64
}

// maxSeries bounds the series; what comes after is counted under "other".
const maxSeries = 2000

func (m *measures) add(name string, s *span, took time.Duration) {
	key := measured{name, s.get(genAITool), s.get(mcpVersion), s.get(errorType)}
	if s.get(operation) != "" && s.get(effect) == "" || len(*m) >= maxSeries && (*m)[key] == nil {
		key.tool = "other" // a name that nobody has
	}
	if *m == nil {
		*m = measures{}
	}
	h := (*m)[key]
	if h == nil {
		h = &histogram{}
		(*m)[key] = h
	}
	h.count++
	h.sum += took.Seconds()
	at, _ := slices.BinarySearch(bounds[:], took.Seconds())
	h.buckets[at]++
}
