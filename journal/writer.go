package journal

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/twodoor/twodoor/internal/sqldb"
)

// maxBatch is how many records one transaction takes, roughly.
const maxBatch = 256

const (
	commitTime = 10 * time.Second // bound of one transaction
	closeTime  = 5 * time.Second  // bound of the last one
	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
	lease      = 15 * time.Second // how long after its last sign a run counts as alive
	pruneEvery = time.Minute
)

// topic is what the notes of the journal are about.
const topic = "journal"

// writer is the goroutine that writes a journal, and what belongs to it alone.
type writer struct {
	journal *Journal
	chain   *chain // nil: not begun
	hasher  hasher
	buffer  []byte
	spare   []entry

	entries []entry // the batch under way, kept until it is on disk
	rows    []row
	opened  map[string]bool // intents of ours without an end
	lost    int64           // drops that the batch tells of
	told    int64           // drops that records tell of
}

func (w *writer) run() {
	j := w.journal
	defer close(j.ended)
	w.opened = map[string]bool{}
	beat, prune := time.NewTicker(lease/3), time.NewTicker(pruneEvery)
	defer beat.Stop()
	defer prune.Stop()
	w.settle()
	for {
		select {
		case <-j.wake:
			w.gather()
			w.flush()
		case <-beat.C:
			w.beat()
		case <-prune.C:
			w.settle()
			w.prune()
		case <-j.stop:
			w.last()
			return
		}
	}
}

// gather waits for more records, unless somebody waits for this one.
func (w *writer) gather() {
	j := w.journal
	timer := time.NewTimer(j.options.Batch)
	defer timer.Stop()
	for !j.urgent() {
		select {
		case <-timer.C:
			return
		case <-j.wake:
		case <-j.stop:
			return
		}
	}
}

// flush writes what waits, and tries again until it is written or the journal is closed. What comes
// meanwhile waits, and is dropped when there is no more room.
func (w *writer) flush() {
	for backoff := minBackoff; ; backoff = min(2*backoff, maxBackoff) {
		ctx, cancel := context.WithTimeout(context.Background(), commitTime)
		err := w.write(ctx)
		cancel()
		w.tell(err)
		if err == nil {
			return
		}
		select {
		case <-time.After(backoff):
		case <-w.journal.stop:
			return
		}
	}
}

// last writes what waits when the journal is closed.
func (w *writer) last() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	w.tell(w.write(ctx))
	if len(w.entries) == 0 { // a batch that had failed is written: now what came after it
		w.tell(w.write(ctx))
	}
}

// tell says once that the journal cannot be written, and once that it can again.
func (w *writer) tell(err error) {
	j := w.journal
	j.mu.Lock()
	before := j.failing
	j.failing = err
	j.mu.Unlock()
	switch {
	case err != nil && before == nil:
		calls := "go on unrecorded"
		if j.options.Required {
			calls = "are refused"
		}
		j.options.Log.Error("the journal cannot be written: calls that write "+calls+" until it can", "reason", err)
	case err == nil && before != nil:
		j.options.Log.Info("the journal is written again", "dropped", j.Dropped())
	}
}

// write puts the batch into the store: the one that failed before, else what waits.
func (w *writer) write(ctx context.Context) error {
	if len(w.entries) == 0 {
		w.prepare()
	}
	if len(w.rows) == 0 {
		w.done(w.chain)
		return nil
	}
	next, err := w.commit(ctx)
	if err != nil {
		if landed := w.resume(ctx, next); landed {
			w.done(next)
			return nil
		}
		return err
	}
	w.done(next)
	return nil
}

// prepare makes rows of what waits.
func (w *writer) prepare() {
	j := w.journal
	w.entries = j.take(w.spare)
	w.rows = w.rows[:0]
	if w.lost = j.dropped.Load() - w.told; w.lost > 0 {
		w.add(&Record{Kind: KindDropped, At: time.Now(), Dropped: w.lost})
	}
	for i := range w.entries {
		if r := &w.entries[i].record; r.Kind != "" { // else somebody only waits, see Sync
			w.add(r)
		}
	}
}

func (w *writer) add(r *Record) {
	w.buffer = w.journal.options.Redaction.line(w.buffer[:0], r)
	w.rows = append(w.rows, rowOf(r, string(w.buffer)))
}

// commit writes the rows in one transaction, and returns the new end of the chain. The disk is waited
// for where somebody waits for the batch; other records outlive this process, but may not outlive a
// loss of power.
func (w *writer) commit(ctx context.Context) (next *chain, err error) {
	options := &w.journal.options
	alive := time.Now().Add(lease).UnixMicro()
	write := options.DB.WriteSoon
	if slices.ContainsFunc(w.entries, func(e entry) bool { return e.kept != nil }) {
		write = options.DB.Write
	}
	err = write(ctx, func(tx *sqldb.Tx) error {
		at := w.chain
		if at == nil {
			if at, err = begin(ctx, tx, options.Key, alive); err != nil {
				return err
			}
		}
		if err := w.open(ctx, tx, at.id); err != nil {
			return err
		}
		if next, err = at.extend(ctx, tx, &w.hasher, options.Key, w.rows, alive); err != nil {
			return err
		}
		return tx.Note(ctx, topic, "")
	})
	return next, err
}

// open keeps the intents that have no end yet, and lets go of those that have.
func (w *writer) open(ctx context.Context, tx *sqldb.Tx, chain int64) error {
	for i := range w.rows {
		r := &w.rows[i]
		var err error
		switch {
		case r.kind == KindIntent:
			_, err = tx.Exec(ctx, "INSERT INTO journal_open (call_id, chain, record) VALUES (?, ?, ?) ON CONFLICT (call_id) DO NOTHING", r.callID, chain, r.line)
			w.opened[r.callID] = true
		case w.opened[r.callID]:
			_, err = tx.Exec(ctx, "DELETE FROM journal_open WHERE call_id = ?", r.callID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resume finds out what became of a transaction that ended in an error: its commit may have landed.
// Where the chain is not as it was left, a new one is begun.
func (w *writer) resume(ctx context.Context, next *chain) (landed bool) {
	if w.chain == nil && next == nil {
		return false
	}
	id := int64(0)
	if w.chain != nil {
		id = w.chain.id
	} else {
		id = next.id
	}
	var last int64
	var head []byte
	found, err := w.journal.options.DB.One(ctx, "SELECT last, head FROM journal_chains WHERE chain = ?", []any{id}, &last, &head)
	switch {
	case err != nil:
		return false
	case found && next != nil && last == next.last && string(head) == string(next.head):
		return true
	case w.chain != nil && (!found || last != w.chain.last || string(head) != string(w.chain.head)):
		w.chain = nil
	}
	return false
}

// done lets go of a batch that is on disk.
func (w *writer) done(next *chain) {
	w.chain = next
	for i := range w.rows {
		if w.rows[i].kind != KindIntent {
			delete(w.opened, w.rows[i].callID)
		}
	}
	w.journal.written.Add(int64(len(w.rows))) // before anybody who waits is told
	for i := range w.entries {
		if kept := w.entries[i].kept; kept != nil {
			close(kept)
		}
	}
	w.told += w.lost
	clear(w.entries)
	w.spare, w.entries, w.rows = w.entries, nil, w.rows[:0]
}

// beat says that this run is alive, while it has intents without an end.
func (w *writer) beat() {
	if len(w.opened) == 0 || w.chain == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	_, err := w.journal.options.DB.Exec(ctx, "UPDATE journal_chains SET alive = ? WHERE chain = ?", time.Now().Add(lease).UnixMicro(), w.chain.id)
	w.tell(err)
}

// settle closes the intents of runs that ended before their calls did: what came of those calls is
// unknown.
func (w *writer) settle() {
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	orphans, err := w.orphans(ctx)
	if err != nil {
		if !errors.Is(err, context.DeadlineExceeded) {
			w.tell(err)
		}
		return
	}
	for _, r := range orphans {
		w.opened[r.CallID] = true // its end takes it out of the table
		w.journal.Append(r)
	}
}

func (w *writer) orphans(ctx context.Context) ([]Record, error) {
	var all []Record
	err := w.journal.options.DB.Each(ctx, `SELECT o.chain, o.record FROM journal_open o LEFT JOIN journal_chains c ON c.chain = o.chain
		WHERE c.chain IS NULL OR c.alive < ? LIMIT 1000`, []any{time.Now().UnixMicro()}, func(scan sqldb.Scan) error {
		var chain int64
		var line string
		if err := scan(&chain, &line); err != nil {
			return err
		}
		r, err := parseRecord(line)
		if err != nil || w.chain != nil && chain == w.chain.id || w.opened[r.CallID] {
			return nil
		}
		r.Kind, r.Outcome = KindUnknown, KindUnknown
		all = append(all, r)
		return nil
	})
	return all, err
}
