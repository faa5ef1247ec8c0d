package app

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/journal"
)

// observe makes the engine tell its calls to the journal, to the metrics, and to whoever else is named.
func (r *run) observe(more ...twodoor.Observer) {
	all := twodoor.Observers{}
	r.memory.metrics = &journal.Metrics{}
	if s := r.memory.store; s != nil {
		r.memory.metrics.Journal = s.journal
		all = append(all, s.journal)
	}
	if t := r.memory.telemetry; t != nil {
		all = append(all, t)
	}
	r.engine.Observer = append(append(all, r.memory.metrics), more...)
}

// metrics answers GET /metrics to whoever may call.
func (l *live) metrics() http.Handler {
	serve := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", journal.ContentType)
		_, _ = l.run.memory.metrics.WriteTo(w) // the caller left: nobody to tell
	})
	if l.guard == nil {
		return serve
	}
	return l.guard.Middleware(serve)
}

// failures says on stderr what has failed, one line for each call.
type failures struct{ log *slog.Logger }

func (f failures) Observe(e twodoor.Event) {
	if e.Fault == nil || e.Fault.Inner { // the call that it made has told it already
		return
	}
	level, cause := slog.LevelWarn, slog.Attr{}
	if e.Code == twodoor.CodeInternal {
		level = slog.LevelError
	}
	if e.Fault.Cause != nil {
		cause = slog.String("cause", e.Fault.Cause.Error())
	}
	f.log.LogAttrs(context.Background(), level, "call failed", slog.String("call", e.CallID), slog.String("operation", e.Operation), slog.String("code", e.Code.String()),
		slog.String("door", e.Door), slog.String("principal", e.Principal.Subject), slog.Duration("took", e.Duration), slog.String("message", e.Fault.Error()), cause)
}
