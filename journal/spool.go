package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/twodoor/twodoor"
)

// Spool is a small file to which commands that end at once add their records, where no server runs.
// The next server takes them in. It opens no database. It is an observer of the engine, safe for
// concurrent use, also by many processes.
type Spool struct {
	Path      string // required; its folder must exist
	Redaction Redaction
	MaxBytes  int64 // of the file; 0: 16 MiB. What is over it is dropped
}

// maxSpool bounds a spool, in bytes.
const maxSpool = 16 << 20

// Observe adds the record of a call. A fault is not told: no call fails for it. Use [Spool.Append]
// to hear of one.
func (s *Spool) Observe(event twodoor.Event) { _ = s.Append(RecordOf(event)) }

// Intend has the intent of a call in the file before it returns nil.
func (s *Spool) Intend(_ context.Context, event twodoor.Event) error {
	return s.Append(intentOf(event))
}

// Append adds a record to the file.
func (s *Spool) Append(record Record) error {
	line := s.Redaction.line([]byte{'\n'}, &record) // a line that somebody left half written ends here
	file, err := s.open()
	if err != nil {
		return fmt.Errorf("keep the record of a call: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("keep the record of a call: %w", err)
	}
	most := s.MaxBytes
	if most == 0 {
		most = maxSpool
	}
	if info.Size()+int64(len(line)) > most {
		return &twodoor.Error{Code: twodoor.CodeTooLarge, Message: s.Path + " is full: the record of this call is not kept", Hint: "start a server (twodoor up), which takes it in"}
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep the record of a call: %w", err)
	}
	return nil
}

// open opens the file with a lock that others may share, but not who takes it in. A file that was
// taken in between opening and locking is let go.
func (s *Spool) open() (*os.File, error) {
	for range 10 {
		file, err := os.OpenFile(s.Path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := lock(file, shared); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		mine, err := file.Stat()
		if there, statErr := os.Stat(s.Path); err == nil && statErr == nil && os.SameFile(mine, there) {
			return file, nil
		}
		file.Close()
	}
	return nil, errors.New("the file is taken away again and again")
}

// TakeIn adds what commands have left in spools of this path to the journal, and deletes it once it
// is on disk. Records that the journal has already are not added again. It returns how many it
// added, and how many lines were no records.
func (j *Journal) TakeIn(ctx context.Context, path string) (added, bad int, err error) {
	aside := fmt.Sprintf("%s.%d", path, os.Getpid())
	switch err := os.Rename(path, aside); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return 0, 0, fmt.Errorf("take in %s: %w", path, err)
	}
	files, _ := filepath.Glob(escapeGlob(path) + ".*") // also what a server left that was killed meanwhile; the pattern is well-formed
	for _, name := range files {
		n, b, err := j.takeFile(ctx, name)
		added, bad = added+n, bad+b
		if err != nil {
			return added, bad, fmt.Errorf("take in %s: %w", name, err)
		}
	}
	return added, bad, nil
}

func escapeGlob(path string) string {
	var out []byte
	for i := range len(path) {
		if bytes.IndexByte([]byte(`*?[`), path[i]) >= 0 {
			out = append(out, '[', path[i], ']')
			continue
		}
		out = append(out, path[i])
	}
	return string(out)
}

func (j *Journal) takeFile(ctx context.Context, name string) (added, bad int, err error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil // another server was quicker
	}
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	if err := lock(file, exclusive); err != nil { // who still writes to it is waited for
		return 0, 0, err
	}
	if _, err := os.Stat(name); err != nil {
		return 0, 0, nil // taken in while we waited
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return 0, 0, err
	}
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		r, err := parseRecord(string(line))
		if err != nil || !r.isCall() {
			bad++
			continue
		}
		known, err := j.knows(ctx, &r)
		if err != nil {
			return added, bad, err
		}
		if known {
			continue
		}
		if err := j.keep(ctx, r); err != nil {
			return added, bad, err
		}
		added++
	}
	if err := j.Sync(ctx); err != nil {
		return added, bad, err
	}
	return added, bad, os.Remove(name)
}

func (j *Journal) knows(ctx context.Context, r *Record) (bool, error) {
	return j.options.DB.One(ctx, "SELECT 1 FROM journal_records WHERE at = ? AND call_id = ? AND kind = ?", []any{r.At.UnixMicro(), r.CallID, r.Kind}, new(int))
}

// keep appends a record, and waits for room.
func (j *Journal) keep(ctx context.Context, r Record) error {
	if j.full() {
		if err := j.Sync(ctx); err != nil {
			return err
		}
	}
	if !j.Append(r) {
		return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "the journal has no room now", Hint: "try again later"}
	}
	return nil
}

func (j *Journal) full() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.waiting) >= min(j.options.Queue, maxBatch)/2
}

// Sync returns when everything appended before is on disk.
func (j *Journal) Sync(ctx context.Context) error {
	kept := make(chan struct{})
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return errors.New("the journal is closed")
	}
	j.waiting = append(j.waiting, entry{kept: kept})
	j.mu.Unlock()
	select {
	case j.wake <- struct{}{}:
	default:
	}
	select {
	case <-kept:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
