package journal

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/sqldb"
)

// Options are what a journal needs to know.
type Options struct {
	DB        *sqldb.DB // required
	Key       []byte    // required; signs the chains. Instances on one store have the same
	Redaction Redaction
	Required  bool          // calls that write or destroy are refused while their intent cannot be kept
	MaxAge    time.Duration // of a record; 0: 30 days
	MaxBytes  int64         // of all records; 0: 1 GiB
	Batch     time.Duration // how long a record waits for others; 0: 50 ms
	Patience  time.Duration // how long an intent waits to be kept; 0: 2 s
	Queue     int           // records that wait at most; 0: 8192. Their size is bounded too
	Log       *slog.Logger  // may be nil
}

// Journal writes records. It is safe for concurrent use.
type Journal struct {
	options Options
	dropped atomic.Int64
	written atomic.Int64

	mu      sync.Mutex
	waiting []entry
	size    int
	closed  bool
	failing error // why the store cannot be written now

	wake  chan struct{} // holds one: something waits
	stop  chan struct{}
	ended chan struct{}

	writer writer
}

// entry is a record that waits to be written.
type entry struct {
	record Record
	kept   chan struct{} // of an intent: closed when it is on disk
}

// maxQueueBytes bounds what waits, in bytes of arguments and answers.
const maxQueueBytes = 32 << 20

// Open opens the journal and begins to write what it is told. Its tables are made where they are
// missing; nothing else is written before the first record comes. A damaged file is refused.
func Open(ctx context.Context, options Options) (*Journal, error) {
	if err := options.DB.Migrate(ctx, Schema); err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	options.MaxAge = cmp.Or(options.MaxAge, 30*24*time.Hour)
	options.MaxBytes = cmp.Or(options.MaxBytes, 1<<30)
	options.Batch = cmp.Or(options.Batch, 50*time.Millisecond)
	options.Patience = cmp.Or(options.Patience, 2*time.Second)
	options.Queue = cmp.Or(options.Queue, 8192)
	options.Redaction.Key = options.Key
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	j := &Journal{options: options, wake: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{})}
	j.writer.journal = j
	go j.writer.run()
	return j, nil
}

// Close writes what waits, for at most five seconds, and ends. The store stays open.
func (j *Journal) Close() error {
	j.mu.Lock()
	again := j.closed
	j.closed = true
	j.mu.Unlock()
	if !again {
		close(j.stop)
	}
	<-j.ended
	return j.Failing()
}

// Observe keeps the record of a call that has ended. It never waits: where the journal cannot keep
// up, the record is dropped and counted.
func (j *Journal) Observe(event twodoor.Event) { j.Append(RecordOf(event)) }

// Append keeps a record, and reports whether there was room for it.
func (j *Journal) Append(record Record) bool { return j.put(entry{record: record}) }

func (j *Journal) put(e entry) bool {
	e.record.trim(cmp.Or(j.options.Redaction.MaxAnswer, defaultAnswer)+margin, cmp.Or(j.options.Redaction.MaxArguments, defaultArguments)+margin)
	size := len(e.record.Arguments) + len(e.record.Answer)
	j.mu.Lock()
	if j.closed || len(j.waiting) >= j.options.Queue || j.size+size > maxQueueBytes {
		j.mu.Unlock()
		j.dropped.Add(1)
		return false
	}
	j.waiting = append(j.waiting, e)
	j.size += size
	wake := len(j.waiting) == 1 || e.kept != nil || len(j.waiting) == maxBatch
	j.mu.Unlock()
	if wake {
		select {
		case j.wake <- struct{}{}:
		default:
		}
	}
	return true
}

// Intend has the intent of a call on disk before it returns nil; the engine calls it before a call
// that writes or destroys goes to the far side. Where that cannot be had in time, the call is
// refused if the journal is required, and goes on unrecorded if not.
func (j *Journal) Intend(ctx context.Context, event twodoor.Event) error {
	return j.promise(ctx, intentOf(event))
}

// promise has a record on disk before it returns nil, as Intend does.
func (j *Journal) promise(ctx context.Context, record Record) error {
	kept := make(chan struct{})
	if !j.options.Required && j.Failing() != nil {
		j.put(entry{record: record}) // nothing is gained by waiting
		return nil
	}
	if j.put(entry{record: record, kept: kept}) {
		timer := time.NewTimer(j.options.Patience)
		defer timer.Stop()
		select {
		case <-kept:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
	}
	if !j.options.Required {
		return nil
	}
	return &twodoor.Error{
		Code: twodoor.CodeUnavailable, Message: "the journal cannot be written, so the call was not made: nothing has changed",
		Hint:  "calls that only read go on; whoever runs this twodoor finds the reason in its log and by doctor",
		Cause: j.Failing(),
	}
}

// Failing is why the store cannot be written now, or nil.
func (j *Journal) Failing() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.failing
}

// Dropped is how many records were dropped since Open; Written is how many are on disk.
func (j *Journal) Dropped() int64 { return j.dropped.Load() }

// Written is how many records were written since Open.
func (j *Journal) Written() int64 { return j.written.Load() }

// take hands over what waits.
func (j *Journal) take(spare []entry) []entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	batch := j.waiting
	j.waiting, j.size = spare[:0], 0
	return batch
}

// urgent reports whether a batch is due at once.
func (j *Journal) urgent() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.waiting) >= maxBatch {
		return true
	}
	for i := range j.waiting {
		if j.waiting[i].kept != nil {
			return true
		}
	}
	return false
}

// trim lets go of what will not be kept anyway, so that a large answer does not wait in memory.
func (r *Record) trim(answer, arguments int) {
	r.Answer, r.AnsBytes = head(r.Answer, answer)
	r.Arguments, r.ArgsBytes = head(r.Arguments, arguments)
}

func head(raw []byte, most int) ([]byte, int) {
	if len(raw) <= 8*most { // a copy would cost more than it frees
		return raw, 0
	}
	return bytes.Clone(raw[:most+1]), len(raw)
}
