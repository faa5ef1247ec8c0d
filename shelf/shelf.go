package shelf

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/sqldb"
)

// Schema is the table of the shelf.
var Schema = sqldb.Schema{
	Name:   "shelf",
	Tables: []string{"shelf_answers"},
	Steps: []sqldb.Step{{
		SQLite: []string{
			"CREATE TABLE shelf_answers (handle TEXT PRIMARY KEY, subject TEXT NOT NULL, operation TEXT NOT NULL, expires BIGINT NOT NULL, bytes BIGINT NOT NULL, answer BLOB NOT NULL)",
			"CREATE INDEX shelf_answers_age ON shelf_answers (expires, bytes)",
			"CREATE INDEX shelf_answers_of ON shelf_answers (subject, expires, bytes)",
		},
		Postgres: []string{
			"CREATE TABLE shelf_answers (handle TEXT PRIMARY KEY, subject TEXT NOT NULL, operation TEXT NOT NULL, expires BIGINT NOT NULL, bytes BIGINT NOT NULL, answer BYTEA NOT NULL)",
			"CREATE INDEX shelf_answers_age ON shelf_answers (expires, bytes)",
			"CREATE INDEX shelf_answers_of ON shelf_answers (subject, expires, bytes)",
		},
	}},
}

// Shelf keeps answers. It is safe for concurrent use.
type Shelf struct {
	DB           *sqldb.DB     // required; its tables made by Schema
	For          time.Duration // how long an answer is kept; 0: an hour
	MaxAnswer    int64         // bytes of one answer; 0: 16 MiB
	MaxPrincipal int64         // bytes of all answers of one principal; 0: 64 MiB
	MaxTotal     int64         // bytes of all; 0: 256 MiB
}

// handleBytes is the length of a handle: five bits each.
const handleBytes = 20

// Keep keeps the answer of an operation for a principal, and nobody else, and returns its handle.
// The oldest answers make room, first the principal's own. An answer over MaxAnswer is CodeTooLarge.
func (s *Shelf) Keep(ctx context.Context, principal twodoor.Principal, operation string, value json.RawMessage) (string, error) {
	size := int64(len(value))
	if most := min(cmp.Or(s.MaxAnswer, 16<<20), s.maxPrincipal(), s.maxTotal()); size > most {
		return "", &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("an answer of %d bytes is too large to keep: %d are the most", size, most),
			Hint: "ask for fewer fields or a smaller limit"}
	}
	handle := strings.ToLower(rand.Text()[:handleBytes])
	now := time.Now()
	err := s.DB.Write(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM shelf_answers WHERE expires < ?", now.UnixMicro()); err != nil {
			return err
		}
		if err := makeRoom(ctx, tx, size, s.maxPrincipal(), " WHERE subject = ?", principal.Subject); err != nil {
			return err
		}
		if err := makeRoom(ctx, tx, size, s.maxTotal(), ""); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO shelf_answers (handle, subject, operation, expires, bytes, answer) VALUES (?, ?, ?, ?, ?, ?)",
			handle, principal.Subject, operation, now.Add(cmp.Or(s.For, time.Hour)).UnixMicro(), size, []byte(value))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("keep an answer of %s: %w", operation, err)
	}
	return handle, nil
}

func (s *Shelf) maxPrincipal() int64 { return cmp.Or(s.MaxPrincipal, 64<<20) }
func (s *Shelf) maxTotal() int64     { return cmp.Or(s.MaxTotal, 256<<20) }

// makeRoom deletes the oldest answers, of those that the condition picks, until size more fit in most.
func makeRoom(ctx context.Context, tx *sqldb.Tx, size, most int64, where string, args ...any) error {
	var total int64
	if _, err := tx.One(ctx, "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM shelf_answers"+where, args, &total); err != nil || total+size <= most {
		return err
	}
	var old []string
	enough := errors.New("enough")
	err := tx.Each(ctx, "SELECT handle, bytes FROM shelf_answers"+where+" ORDER BY expires, handle", args, func(scan sqldb.Scan) error {
		var handle string
		var bytes int64
		if err := scan(&handle, &bytes); err != nil {
			return err
		}
		old = append(old, handle)
		if total -= bytes; total+size <= most {
			return enough
		}
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		return err
	}
	for _, handle := range old {
		if _, err := tx.Exec(ctx, "DELETE FROM shelf_answers WHERE handle = ?", handle); err != nil {
			return err
		}
	}
	return nil
}

// Take is the answer under a handle that was kept for this principal, and the operation that gave
// it. The value is nil where there is none, its time has passed, or it is another principal's:
// nobody can tell these apart.
func (s *Shelf) Take(ctx context.Context, principal twodoor.Principal, handle string) (operation string, value json.RawMessage, err error) {
	if len(handle) != handleBytes {
		return "", nil, nil
	}
	var answer []byte
	found, err := s.DB.One(ctx, "SELECT operation, answer FROM shelf_answers WHERE handle = ? AND subject = ? AND expires >= ?",
		[]any{strings.ToValidUTF8(handle, "?"), principal.Subject, time.Now().UnixMicro()}, &operation, &answer)
	if err != nil || !found {
		return "", nil, err
	}
	return operation, answer, nil
}
