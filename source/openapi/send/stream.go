package send

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
)

// isStream knows the types of which an answer may have no end.
func isStream(media string) bool {
	base := mediatype.Base(media)
	switch {
	case base == mediatype.EventStream || mediatype.IsLines(base):
		return true
	case len(base) == len(media) || !mediatype.IsJSON(base):
		return false
	}
	_, params, err := mime.ParseMediaType(media)
	return err == nil && params["stream"] != ""
}

// errEnough ends the reading of a stream that has not ended: a bound of the Invoker is met.
var errEnough = errors.New("enough of the stream was read")

// gathering is a stream being read: its records so far, and what ended it.
type gathering struct {
	answer  *answer
	list    rawjson.Array
	count   int
	stopped string // what ended it too early; empty: it came to its end
}

// stream reads a sequence into a JSON array, until it ends or a bound is met. What was read before
// a bound or a break is an answer too.
func (a *answer) stream(ctx context.Context, body io.Reader) (*twodoor.Value, error) {
	var late atomic.Bool
	limit := a.invoker.streamTime(ctx)
	timer := time.AfterFunc(limit, func() {
		late.Store(true)
		a.cancel()
	})
	defer timer.Stop()
	g := &gathering{answer: a}
	err := g.read(bufio.NewReader(&boundedReader{body, a.invoker.maxAnswer(), g}))
	switch {
	case err == nil || errors.Is(err, errEnough):
	case late.Load():
		g.stopped = fmt.Sprintf("reading stopped after %s", limit.Round(time.Millisecond))
	case ctx.Err() != nil:
		return nil, interrupted(ctx, a.source())
	case g.count == 0:
		return nil, a.brokenStream(ctx, err)
	default:
		g.stopped = a.brokenStream(ctx, err).Error()
	}
	return g.value(), nil
}

func (a *answer) brokenStream(ctx context.Context, err error) error {
	if isA[*twodoor.Error](err) {
		return err
	}
	return a.broken(ctx, 0, err)
}

// boundedReader ends a stream at its bound with an error, so that half a record is not taken for a
// whole one.
type boundedReader struct {
	from io.Reader
	left int64
	g    *gathering
}

func (r *boundedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		r.g.stopped = "reading stopped after " + bytesText(r.g.answer.invoker.maxAnswer())
		return 0, errEnough
	}
	n, err := r.from.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	return n, err
}

// value is what was gathered, and what was left out.
func (g *gathering) value() *twodoor.Value {
	value := &twodoor.Value{JSON: g.list.Bytes(), MediaType: mediatype.Base(g.answer.media())}
	if g.stopped != "" {
		value.Cut = &twodoor.Cut{Shown: g.count, How: g.stopped + ": the rest of the stream was not read; narrow the question to get further"}
	}
	return value
}

func (g *gathering) read(r *bufio.Reader) error {
	if mediatype.Base(g.answer.media()) == mediatype.EventStream {
		return g.readEvents(r)
	}
	return g.readLines(r)
}

// add keeps a record and tells the caller.
func (g *gathering) add(record []byte) error {
	g.list.Add(record)
	g.count++
	if progress := g.answer.in.Progress; progress != nil {
		progress(twodoor.Progress{Done: float64(g.count), Message: fmt.Sprintf("%d events", g.count)})
	}
	if g.count < g.answer.invoker.maxEvents() {
		return nil
	}
	g.stopped = fmt.Sprintf("reading stopped after %d events", g.count)
	return errEnough
}

// readLines reads one JSON value a line: ndjson, and json-seq with its leading RS (RFC 7464).
func (g *gathering) readLines(r *bufio.Reader) error {
	for {
		line, err := r.ReadBytes('\n')
		whole := err == nil || errors.Is(err, io.EOF)
		if record := bytes.TrimSpace(bytes.TrimLeft(line, "\x1e")); whole && len(record) > 0 {
			if fault := rawjson.Check(record); fault == nil {
				if err := g.add(record); err != nil {
					return err
				}
			} else if err == nil {
				return g.answer.nonsense(fmt.Sprintf("sent a line %d that is no JSON: %s", g.count+1, fault), record, fault)
			} else {
				return io.ErrUnexpectedEOF
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readEvents reads server-sent events (WHATWG HTML §9.2.6). A record has the event's data, and its
// name and id where the far side gives them. The data [DONE], by which several far sides end a
// stream, is no event.
func (g *gathering) readEvents(r *bufio.Reader) error {
	var e event
	for first := true; ; first = false {
		line, err := readLine(r)
		if first {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if err == nil && line != "" {
			e.field(line)
			continue
		}
		if err != nil && line != "" && errors.Is(err, io.EOF) {
			e.field(line)
		}
		if e.isDone() {
			return nil
		}
		if record := e.record(); record != nil && (err == nil || errors.Is(err, io.EOF)) {
			if err := g.add(record); err != nil {
				return err
			}
		}
		e = event{}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads a line that ends in LF, CRLF or CR. A CR alone is rare: it is taken as an end only
// where the line that holds it is whole.
func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	line = strings.TrimSuffix(line, "\n")
	return strings.TrimSuffix(line, "\r"), err
}

// event is a server-sent event being read.
type event struct {
	name, id string
	data     []string
	hasData  bool
}

func (e *event) field(line string) {
	for piece := range strings.SplitSeq(line, "\r") {
		name, value, _ := strings.Cut(piece, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data, e.hasData = append(e.data, value), true
		}
	}
}

func (e *event) isDone() bool { return len(e.data) == 1 && e.data[0] == "[DONE]" }

// record is the event as JSON, or nil where it carries no data.
func (e *event) record() []byte {
	if !e.hasData {
		return nil
	}
	var record rawjson.Object
	if e.name != "" {
		record.PutString("event", e.name)
	}
	if e.id != "" {
		record.PutString("id", e.id)
	}
	text := strings.Join(e.data, "\n")
	if data := []byte(text); isStructure(data) {
		record.Put("data", data)
	} else {
		record.PutString("data", text)
	}
	return record.Bytes()
}

// isStructure keeps to what is JSON beyond doubt: a text that only looks like a number stays a text.
func isStructure(data []byte) bool {
	kind := rawjson.KindOf(data)
	return (kind == rawjson.KindObject || kind == rawjson.KindArray) && rawjson.Check(data) == nil
}
