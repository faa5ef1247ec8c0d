package sqldb

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
)

// Kinds of faults, for errors.Is. A fault of no kind is a bug of whoever wrote the query.
var (
	ErrAddress     = errors.New("not an address of a store")
	ErrBusy        = errors.New("another process holds the store")
	ErrFull        = errors.New("the disk is full")
	ErrReadOnly    = errors.New("the store cannot be written")
	ErrUnavailable = errors.New("the store cannot be reached")
	ErrDamaged     = errors.New("the store is damaged")
	ErrNewer       = errors.New("the store was written by a newer version")
)

// Error is a fault of the store: what was being done, what is wrong, and what to do about it.
type Error struct {
	Kind  error  // one of the kinds above, or nil
	Doing string // "commit", "open the store /path"
	Hint  string
	Cause error
}

// Error is for the log and for an operator. It holds no argument of a query and no password.
func (e *Error) Error() string {
	what := "the database refused"
	if e.Kind != nil {
		what = e.Kind.Error()
	} else if e.Cause != nil {
		what = e.Cause.Error()
	}
	text := e.Doing + ": " + what
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() []error {
	var all []error
	for _, err := range []error{e.Kind, e.Cause} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// told gives a fault of a driver its kind. It is nil for nil, and leaves a canceled context alone.
func told(doing string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	kind := kindOf(err)
	return &Error{Kind: kind, Doing: doing, Hint: hints[kind], Cause: err}
}

var hints = map[error]string{
	ErrBusy:        "close the program that has it open, or wait",
	ErrFull:        "make room, then nothing else is to be done",
	ErrReadOnly:    "make its folder and file writable by this user",
	ErrUnavailable: "start the database, or mend its address",
	ErrDamaged:     "restore a copy, or move the file away to begin anew",
}

// Result codes of SQLite (sqlite.org/rescode.html), in their low byte.
const (
	sqliteBusy     = 5
	sqliteLocked   = 6
	sqliteReadOnly = 8
	sqliteIOErr    = 10
	sqliteCorrupt  = 11
	sqliteFull     = 13
	sqliteCantOpen = 14
	sqliteNotADB   = 26
)

func kindOf(err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return sqliteKind(e.Code() & 0xff)
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return postgresKind(e.Code)
	}
	if kind := osKind(err); kind != nil {
		return kind
	}
	if _, ok := errors.AsType[net.Error](err); ok { // after osKind: an errno is one too
		return ErrUnavailable
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok || pgconn.SafeToRetry(err) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrUnavailable
	}
	return nil
}

func sqliteKind(code int) error {
	switch code {
	case sqliteBusy, sqliteLocked:
		return ErrBusy
	case sqliteReadOnly, sqliteCantOpen:
		return ErrReadOnly
	case sqliteFull:
		return ErrFull
	case sqliteCorrupt, sqliteNotADB:
		return ErrDamaged
	case sqliteIOErr:
		return ErrUnavailable
	}
	return nil
}

// postgresKind reads an SQLSTATE (PostgreSQL manual, appendix A).
func postgresKind(state string) error {
	switch {
	case state == "53100":
		return ErrFull
	case state == "25006", state == "42501":
		return ErrReadOnly
	case state == "55P03", state == "40001", state == "40P01":
		return ErrBusy
	case strings.HasPrefix(state, "08"), strings.HasPrefix(state, "53"), strings.HasPrefix(state, "57P"), strings.HasPrefix(state, "28"), state == "3D000":
		return ErrUnavailable
	case strings.HasPrefix(state, "XX"):
		return ErrDamaged
	}
	return nil
}
