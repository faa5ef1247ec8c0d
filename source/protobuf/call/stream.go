package call

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// stream reads the messages of a server stream into a list, until it ends or a bound is met. What
// was read before a bound or a break is an answer too.
func (c *calling) stream(ctx context.Context) (*twodoor.Value, error) {
	req, err := c.request()
	if err != nil {
		return nil, err
	}
	travelling, trip := c.travel(ctx)
	travelling, cancel := context.WithCancel(travelling)
	defer cancel()
	var late atomic.Bool
	span := c.streamTime(ctx)
	timer := time.AfterFunc(span, func() { late.Store(true); cancel() })
	defer timer.Stop()

	stream, err := c.method.client.CallServerStream(travelling, req)
	if err != nil {
		return nil, c.streamFault(ctx, err, trip, &late, span)
	}
	defer stream.Close()
	g := &gathering{calling: c}
	for stream.Receive() {
		if err := g.add(stream.Msg().data); err != nil {
			return nil, err
		}
		if g.stopped != "" {
			cancel() // the rest is not wanted
			return g.value(), nil
		}
	}
	switch err := stream.Err(); {
	case err == nil:
	case late.Load():
		g.stopped = fmt.Sprintf("reading stopped after %s", span.Round(time.Millisecond))
	case g.count == 0 || ctx.Err() != nil:
		return nil, c.fault(ctx, err, trip)
	default:
		g.stopped = "the stream broke off: " + c.fault(ctx, err, trip).Error()
	}
	return g.value(), nil
}

func (c *calling) streamFault(ctx context.Context, err error, trip *trip, late *atomic.Bool, span time.Duration) error {
	if late.Load() && ctx.Err() == nil {
		return &twodoor.Error{Code: twodoor.CodeTimeout, Message: fmt.Sprintf("%s did not begin its stream within %s", c.source(), span.Round(time.Millisecond)), Cause: err}
	}
	return c.fault(ctx, err, trip)
}

// streamTime is how long a stream may be read: some time is left before the deadline, so that what
// was read is not lost to it.
func (c *calling) streamTime(ctx context.Context) time.Duration {
	bound := c.invoker.MaxStream
	if bound <= 0 {
		bound = defaultMaxStream
	}
	if own, err := time.ParseDuration(c.method.Time); err == nil && own > 0 {
		bound = own
	}
	if deadline, ok := ctx.Deadline(); ok {
		bound = min(bound, time.Until(deadline)*9/10)
	}
	return max(bound, time.Millisecond)
}

func (c *calling) maxRecords() int {
	switch {
	case c.method.Max > 0:
		return c.method.Max
	case c.invoker.MaxRecords > 0:
		return c.invoker.MaxRecords
	}
	return defaultMaxRecords
}

// gathering is a stream being read.
type gathering struct {
	calling *calling
	list    rawjson.Array
	count   int
	size    int64
	notes   []string
	stopped string // what ended it too early; empty: it came to its end
}

// add keeps a message and tells the caller.
func (g *gathering) add(data []byte) error {
	text, notes, err := g.calling.outputJSON(data)
	if err != nil {
		return err
	}
	if g.list.Add(text); len(g.notes) == 0 {
		g.notes = notes
	}
	g.count++
	g.size += int64(len(text))
	if progress := g.calling.in.Progress; progress != nil {
		progress(twodoor.Progress{Done: float64(g.count), Message: fmt.Sprintf("%d messages", g.count)})
	}
	switch {
	case g.count >= g.calling.maxRecords():
		g.stopped = fmt.Sprintf("reading stopped after %d messages", g.count)
	case g.size >= g.calling.invoker.maxAnswer():
		g.stopped = fmt.Sprintf("reading stopped after %d bytes", g.size)
	}
	return nil
}

// value is what was gathered, and what was left out.
func (g *gathering) value() *twodoor.Value {
	value := &twodoor.Value{JSON: g.list.Bytes(), Notes: g.notes}
	if g.stopped != "" {
		value.Cut = &twodoor.Cut{Shown: g.count, How: g.stopped + ": the rest of the stream was not read; narrow the question to get further"}
	}
	return value
}
