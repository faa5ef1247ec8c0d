package app

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/journal"
)

// spoolName is the file in a store's folder to which commands add their records.
const spoolName = "calls.spool"

// recorder records the calls of a command line without opening a database: with the running up of the
// same configuration, else in a file that the next one takes in.
type recorder struct {
	run  *run
	once sync.Once
	to   twodoor.Intender // nil: there is no place
	conn net.Conn         // of a running up
}

func (r *recorder) open() {
	folder, err := r.run.storeFolder()
	if err != nil || r.run.identity() == "" {
		return
	}
	r.run.memory.learn(r.run, r.run.site)
	redaction := r.run.redaction()
	if conn, err := r.run.attach(r.run.site.File); err == nil {
		if greet(conn, greeting{Ask: askRecord}) == nil {
			r.to, r.conn = &journal.Relay{Stream: conn, Redaction: redaction}, conn
			return
		}
		conn.Close()
	}
	r.to = &spool{journal.Spool{Path: filepath.Join(folder, spoolName), Redaction: redaction}}
}

// Observe records a call.
func (r *recorder) Observe(event twodoor.Event) {
	if r.once.Do(r.open); r.to != nil {
		r.to.Observe(event)
	}
}

// Intend records a call that is about to change something. It is refused where that cannot be done and
// must be.
func (r *recorder) Intend(ctx context.Context, event twodoor.Event) error {
	r.once.Do(r.open)
	if r.to == nil {
		return nil
	}
	err := r.to.Intend(ctx, event)
	if err == nil || !r.run.site.Journal.Required {
		return nil
	}
	fault := twodoor.AsError(err)
	if fault.Code == twodoor.CodeUnavailable {
		return fault
	}
	return &twodoor.Error{
		Code: twodoor.CodeUnavailable, Message: "the call cannot be recorded, so it was not made: nothing has changed",
		Hint: "make the state folder writable, or start twodoor up", Cause: err,
	}
}

// spool is a spool that makes its folder when it is needed.
type spool struct{ journal.Spool }

func (s *spool) Observe(event twodoor.Event) {
	if s.makeFolder() == nil {
		s.Spool.Observe(event)
	}
}

func (s *spool) Intend(ctx context.Context, event twodoor.Event) error {
	if err := s.makeFolder(); err != nil {
		return err
	}
	return s.Spool.Intend(ctx, event)
}

func (s *spool) makeFolder() error { return os.MkdirAll(filepath.Dir(s.Path), 0o700) }
