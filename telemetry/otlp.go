package telemetry

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// OTLP as JSON (OpenTelemetry Protocol 1.9, "OTLP/HTTP", "JSON Protobuf Encoding"): ids are hexadecimal,
// 64-bit numbers are texts, enumerations are numbers.

// scopeName says who gathered it.
const scopeName = "github.com/twodoor/twodoor"

// appendSpans writes an ExportTraceServiceRequest.
func appendSpans(dst []byte, resource map[string]string, spans []span) []byte {
	dst = append(dst, `{"resourceSpans":[{"resource":`...)
	dst = appendResource(dst, resource)
	dst = append(dst, `,"scopeSpans":[{"scope":{"name":"`+scopeName+`"},"spans":[`...)
	for i := range spans {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendSpan(dst, &spans[i])
	}
	return append(dst, `]}]}]}`...)
}

func appendSpan(dst []byte, s *span) []byte {
	dst = append(dst, `{"traceId":"`...)
	dst = hex.AppendEncode(dst, s.place.ID[:])
	dst = append(dst, `","spanId":"`...)
	dst = hex.AppendEncode(dst, s.place.Span[:])
	if !s.within.IsZero() {
		dst = append(dst, `","parentSpanId":"`...)
		dst = hex.AppendEncode(dst, s.within.Span[:])
	}
	if s.place.State != "" {
		dst = append(dst, `","traceState":`...)
		dst = rawjson.AppendString(dst, s.place.State)
		dst = append(dst, `,"name":`...)
	} else {
		dst = append(dst, `","name":`...)
	}
	dst = rawjson.AppendString(dst, s.name)
	dst = append(dst, `,"kind":`...)
	dst = strconv.AppendInt(dst, int64(s.kind), 10)
	dst = appendTime(dst, `,"startTimeUnixNano":`, s.begun)
	dst = appendTime(dst, `,"endTimeUnixNano":`, s.begun.Add(s.took))
	dst = append(dst, `,"attributes":`...)
	dst = appendAttrs(dst, s.attrs)
	if s.failed {
		dst = append(dst, `,"status":{"code":2`...)
		if s.says != "" {
			dst = append(dst, `,"message":`...)
			dst = rawjson.AppendString(dst, s.says)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

func appendAttrs(dst []byte, attrs []attr) []byte {
	dst = append(dst, '[')
	for i, a := range attrs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"key":`...)
		dst = rawjson.AppendString(dst, a.key)
		if a.text == "" {
			dst = append(dst, `,"value":{"intValue":"`...)
			dst = strconv.AppendInt(dst, a.number, 10)
			dst = append(dst, `"}}`...)
			continue
		}
		dst = append(dst, `,"value":{"stringValue":`...)
		dst = rawjson.AppendString(dst, a.text)
		dst = append(dst, `}}`...)
	}
	return append(dst, ']')
}

func appendResource(dst []byte, resource map[string]string) []byte {
	var attrs []attr
	for _, key := range slices.Sorted(maps.Keys(resource)) {
		attrs = append(attrs, attr{key: key, text: resource[key]})
	}
	return append(appendAttrs(append(dst, `{"attributes":`...), attrs), '}')
}

func appendTime(dst []byte, name string, at time.Time) []byte {
	dst = append(append(dst, name...), '"')
	return append(strconv.AppendInt(dst, at.UnixNano(), 10), '"')
}

// appendMetrics writes an ExportMetricsServiceRequest of histograms that count from the start.
func appendMetrics(dst []byte, resource map[string]string, all measures, begun, now time.Time) []byte {
	dst = append(dst, `{"resourceMetrics":[{"resource":`...)
	dst = appendResource(dst, resource)
	dst = append(dst, `,"scopeMetrics":[{"scope":{"name":"`+scopeName+`"},"metrics":[`...)
	for i, name := range []string{serverDuration, clientDuration} {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"name":"`+name+`","unit":"s","histogram":{"aggregationTemporality":2,"dataPoints":[`...)
		first := true
		for key, h := range all {
			if key.name != name {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = appendPoint(dst, key, h, begun, now)
		}
		dst = append(dst, `]}}`...)
	}
	return append(dst, `]}]}]}`...)
}

func appendPoint(dst []byte, key measured, h *histogram, begun, now time.Time) []byte {
	var s span
	s.set(mcpMethod, callTool)
	s.set(genAIOperation, executeTool)
	s.set(genAITool, key.tool)
	s.set(mcpVersion, key.version)
	s.set(errorType, key.fault)
	dst = appendAttrs(append(dst, `{"attributes":`...), s.attrs)
	dst = appendTime(dst, `,"startTimeUnixNano":`, begun)
	dst = appendTime(dst, `,"timeUnixNano":`, now)
	dst = append(dst, `,"count":"`...)
	dst = strconv.AppendUint(dst, h.count, 10)
	dst = append(dst, `","sum":`...)
	dst = strconv.AppendFloat(dst, h.sum, 'f', -1, 64)
	dst = append(dst, `,"bucketCounts":[`...)
	for i, n := range h.buckets {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(strconv.AppendUint(dst, n, 10), '"')
	}
	dst = append(dst, `],"explicitBounds":[`...)
	for i, bound := range bounds {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendFloat(dst, bound, 'f', -1, 64)
	}
	return append(dst, `]}`...)
}
