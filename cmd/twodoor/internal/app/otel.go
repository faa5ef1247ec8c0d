package app

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/auth/outbound"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/telemetry"
)

// startTelemetry sends traces and metrics where the variables of OpenTelemetry say ("OTLP Exporter
// Configuration", "Environment Variable Specification"); nowhere where they say nothing.
func (r *run) startTelemetry() {
	options := telemetry.Options{
		Doer: &outbound.Client{}, Traces: r.otlp("TRACES", "/v1/traces"), Metrics: r.otlp("METRICS", "/v1/metrics"),
		Headers: pairsOf(r.getenv("OTEL_EXPORTER_OTLP_HEADERS")), Resource: pairsOf(r.getenv("OTEL_RESOURCE_ATTRIBUTES")),
		Ratio: r.ratio(), Delay: r.millis("OTEL_BSP_SCHEDULE_DELAY"), Interval: r.millis("OTEL_METRIC_EXPORT_INTERVAL"), Log: r.log(),
		Redact: func(text []byte) []byte { return secret.Hide(r.memory.secrets.Clean(text)) },
	}
	if options.Traces == "" && options.Metrics == "" || r.getenv("OTEL_SDK_DISABLED") == "true" {
		return
	}
	if r.getenv("OTEL_EXPORTER_OTLP_PROTOCOL") == "grpc" {
		r.note("twodoor: telemetry goes over HTTP only: it is not sent; set OTEL_EXPORTER_OTLP_PROTOCOL=http/json, and the port of HTTP (4318)")
		return
	}
	for _, value := range options.Headers {
		r.memory.secrets.Add(secret.New(value))
	}
	if options.Resource["service.name"] = orElse(r.getenv("OTEL_SERVICE_NAME"), options.Resource["service.name"]); options.Resource["service.name"] == "" {
		options.Resource["service.name"] = "twodoor"
	}
	options.Resource["service.version"] = orElse(options.Resource["service.version"], r.Version.Number)
	r.memory.telemetry = telemetry.Start(options)
	r.engine.Place = r.memory.telemetry.Place
}

// otlp is the URL that a signal is sent to; empty: nowhere.
func (r *run) otlp(signal, path string) string {
	if r.getenv("OTEL_"+signal+"_EXPORTER") == "none" {
		return ""
	}
	if own := r.getenv("OTEL_EXPORTER_OTLP_" + signal + "_ENDPOINT"); own != "" {
		return own
	}
	if base := r.getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); base != "" {
		return strings.TrimSuffix(base, "/") + path
	}
	return ""
}

// ratio is how many of the traces that begin here are sampled.
func (r *run) ratio() float64 {
	switch sampler := strings.TrimPrefix(r.getenv("OTEL_TRACES_SAMPLER"), "parentbased_"); sampler {
	case "always_off":
		return 0
	case "traceidratio":
		if ratio, err := strconv.ParseFloat(r.getenv("OTEL_TRACES_SAMPLER_ARG"), 64); err == nil {
			return ratio
		}
	}
	return 1
}

// millis is a duration in milliseconds; 0: none is set.
func (r *run) millis(name string) time.Duration {
	n, err := strconv.Atoi(r.getenv(name))
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(n) * time.Millisecond
}

// pairsOf reads "key=value,key=value" with percent-encoded values (W3C Baggage).
func pairsOf(text string) map[string]string {
	pairs := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		if plain, err := url.PathUnescape(strings.TrimSpace(value)); ok && err == nil {
			pairs[strings.TrimSpace(key)] = plain
		}
	}
	return pairs
}

// traced carries calls to MCP servers with a span each, where somebody wants to know of them.
func (m *memory) traced(inner twodoor.Invoker) twodoor.Invoker {
	if m.telemetry == nil {
		return inner
	}
	return m.telemetry.Invoker(inner)
}
