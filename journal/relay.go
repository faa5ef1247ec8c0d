package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/twodoor/twodoor"
)

// Relay is an observer that hands its records to the journal of a running server, over a stream that
// the server gives to [Journal.Serve]. It is safe for concurrent use.
type Relay struct {
	Stream    io.ReadWriter // required
	Redaction Redaction

	mu      sync.Mutex
	answers *bufio.Reader
}

// Observe sends the record of a call. A fault is not told: no call fails for it.
func (r *Relay) Observe(event twodoor.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.send(RecordOf(event))
}

// Intend returns when the server has the intent of a call on disk, or says why it is refused.
func (r *Relay) Intend(_ context.Context, event twodoor.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.send(intentOf(event)); err != nil {
		return err
	}
	if r.answers == nil {
		r.answers = bufio.NewReader(r.Stream)
	}
	line, err := r.answers.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("hear of the record of a call: %w", err)
	}
	var said struct{ Refused, Hint string }
	if err := json.Unmarshal(line, &said); err != nil {
		return fmt.Errorf("hear of the record of a call: %w", err)
	}
	if said.Refused != "" {
		return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: said.Refused, Hint: said.Hint}
	}
	return nil
}

func (r *Relay) send(record Record) error {
	if _, err := r.Stream.Write(append(r.Redaction.line(nil, &record), '\n')); err != nil {
		return fmt.Errorf("send the record of a call: %w", err)
	}
	return nil
}

// maxRelayed bounds a record that is relayed, in bytes.
const maxRelayed = 1 << 20

// Serve takes in what a [Relay] sends, until its end. Each intent is answered when it is on disk.
func (j *Journal) Serve(ctx context.Context, stream io.ReadWriter) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, maxRelayed)
	for lines.Scan() {
		r, err := parseRecord(string(bytes.TrimSpace(lines.Bytes())))
		if err != nil || !r.isCall() {
			return errors.Join(errors.New("what was sent is no record of a call"), err)
		}
		if r.Kind == KindCall {
			j.Append(r)
			continue
		}
		said := map[string]string{}
		if err := j.promise(ctx, r); err != nil {
			fault := twodoor.AsError(err)
			said["refused"], said["hint"] = fault.Message, fault.Hint
		}
		line, _ := json.Marshal(said) // cannot fail: texts
		if _, err := stream.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("answer an intent: %w", err)
		}
	}
	return lines.Err()
}

// isCall reports whether the record is one that somebody else may add.
func (r *Record) isCall() bool { return r.CallID != "" && (r.Kind == KindCall || r.Kind == KindIntent) }
