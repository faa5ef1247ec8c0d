package sqldb

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Note tells that something changed.
type Note struct {
	Topic   string
	Payload string
	Missed  bool // changes may have gone by unseen: look at everything again
}

// maxNote bounds the payload of a note, in bytes (PostgreSQL takes less than 8,000).
const maxNote = 4000

const (
	channel  = "twodoor"
	pollFile = 250 * time.Millisecond // how often a SQLite file is asked whether another process wrote
	redial   = 500 * time.Millisecond // between attempts to listen again
)

// Note tells listeners of a topic, in every instance, once the transaction is committed. A payload
// that is too long is left out: listeners then look for themselves.
func (tx *Tx) Note(ctx context.Context, topic, payload string) error {
	if len(payload) > maxNote {
		payload = ""
	}
	if tx.db.dialect == SQLite {
		tx.notes = append(tx.notes, Note{Topic: topic, Payload: payload})
		return nil
	}
	_, err := tx.Exec(ctx, "SELECT pg_notify(?, ?)", channel, topic+"\n"+payload)
	return err
}

// Listen tells of notes of the topics until the context ends, which closes the channel. The first
// one is Missed: from then on nothing is overheard without another Missed. They come within a second, also from other instances on one PostgreSQL. Another process at the same SQLite
// file is seen as Missed. Who reads slowly loses notes and is told so by Missed.
func (db *DB) Listen(ctx context.Context, topics ...string) <-chan Note {
	ear := &ear{topics: topics, notes: make(chan Note, 64)}
	db.feed.add(ear, db.watch)
	context.AfterFunc(ctx, func() { db.feed.remove(ear) })
	return ear.notes
}

// feed hands notes to listeners. It watches the database while there is one.
type feed struct {
	mu     sync.Mutex
	ears   map[*ear]bool
	stop   context.CancelFunc // of the watch
	gone   chan struct{}      // closed when the watch has ended
	ready  bool               // the watch sees what changes
	closed bool
}

type ear struct {
	topics []string
	notes  chan Note
	missed bool // its channel was full
}

func (f *feed) add(e *ear, watch func(context.Context)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		close(e.notes)
		return
	}
	if f.ears == nil {
		f.ears = map[*ear]bool{}
	}
	f.ears[e] = true
	if f.ready {
		e.take(Note{Missed: true})
	}
	if f.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		gone := make(chan struct{})
		f.stop, f.gone = stop, gone
		go func() { defer close(gone); watch(ctx) }()
	}
}

func (f *feed) remove(e *ear) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ears[e] {
		delete(f.ears, e)
		close(e.notes)
	}
	if len(f.ears) == 0 && f.stop != nil {
		f.stop()
		f.stop, f.ready = nil, false
	}
}

func (f *feed) close() {
	f.mu.Lock()
	f.closed = true
	for e := range f.ears {
		delete(f.ears, e)
		close(e.notes)
	}
	stop, gone := f.stop, f.gone
	f.stop = nil
	f.mu.Unlock()
	if stop != nil {
		stop()
		<-gone
	}
}

// set says whether the watch of this context sees what changes. Once it does, everybody looks again:
// what changed before was not seen.
func (f *feed) set(ctx context.Context, ready bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	f.ready = ready
	for e := range f.ears {
		if ready {
			e.take(Note{Missed: true})
		}
	}
}

// tell hands notes to who listens for their topic. A note with Missed and no topic is for all.
func (f *feed) tell(notes ...Note) {
	if len(notes) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for e := range f.ears {
		for _, note := range notes {
			e.take(note)
		}
	}
}

func (e *ear) take(note Note) {
	for _, topic := range e.topics {
		if note.Topic != "" && note.Topic != topic {
			continue
		}
		note := Note{Topic: topic, Payload: note.Payload, Missed: note.Missed || e.missed}
		select {
		case e.notes <- note:
			e.missed = false
		default:
			e.missed = true
		}
	}
}

// watch looks for what other processes change.
func (db *DB) watch(ctx context.Context) {
	if db.dialect == Postgres {
		db.watchPostgres(ctx)
		return
	}
	tick := time.NewTicker(pollFile)
	defer tick.Stop()
	last := db.writer.version(ctx)
	db.feed.set(ctx, true)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if version := db.writer.version(ctx); version != last && version != 0 {
			last = version
			db.feed.tell(Note{Missed: true})
		}
	}
}

// version changes when another process commits: this connection's own commits do not count.
func (w *writer) version(ctx context.Context) (version int64) {
	_ = w.alone(ctx, func() error {
		return w.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	})
	return version
}

// watchPostgres listens on a connection of its own, and comes back when it breaks.
func (db *DB) watchPostgres(ctx context.Context) {
	for ctx.Err() == nil {
		_ = db.listen(ctx) // it ends when the connection breaks: the store tells that to who uses it
		select {
		case <-ctx.Done():
		case <-time.After(redial):
		}
	}
}

func (db *DB) listen(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, db.config.Copy())
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	db.feed.set(ctx, true)
	defer db.feed.set(ctx, false)
	for {
		note, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		topic, payload, _ := strings.Cut(note.Payload, "\n")
		db.feed.tell(Note{Topic: topic, Payload: payload})
	}
}
