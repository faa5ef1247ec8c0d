package journal

import (
	"context"
	"time"

	"github.com/twodoor/twodoor/internal/sqldb"
)

// pruneStep is how many records go in one transaction: few, so that nobody waits for it.
const pruneStep = 500

// pruneTime bounds what one round of pruning takes.
const pruneTime = 20 * time.Second

// prune deletes what is over the bounds, oldest first, in small steps with room for others between.
func (w *writer) prune() {
	j := w.journal
	ctx, cancel := context.WithTimeout(context.Background(), pruneTime)
	defer cancel()
	for more := true; more; {
		var err error
		if more, err = j.pruneOnce(ctx); err != nil {
			j.options.Log.Warn("the journal cannot be pruned", "reason", err)
			return
		}
		select {
		case <-j.wake: // somebody writes: first that
			w.gather()
			w.flush()
		case <-j.stop:
			return
		default:
		}
	}
	_ = j.options.DB.Shrink(ctx, pruneStep) // a larger file is no fault
}

// Prune deletes what is over the bounds, and reports how many records went.
func (j *Journal) Prune(ctx context.Context) (gone int64, err error) {
	for {
		before, err := j.count(ctx)
		if err != nil {
			return gone, err
		}
		more, err := j.pruneOnce(ctx)
		if err != nil {
			return gone, err
		}
		after, err := j.count(ctx)
		if gone += before - after; !more || err != nil {
			return gone, err
		}
	}
}

func (j *Journal) count(ctx context.Context) (n int64, err error) {
	_, err = j.options.DB.One(ctx, "SELECT CAST(coalesce(sum(last - first + 1), 0) AS BIGINT) FROM journal_chains", nil, &n)
	return n, err
}

// pruneOnce takes one step, and reports whether another one is due.
func (j *Journal) pruneOnce(ctx context.Context) (more bool, err error) {
	err = j.options.DB.Write(ctx, func(tx *sqldb.Tx) error {
		var total int64
		if _, err := tx.One(ctx, "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM journal_chains", nil, &total); err != nil {
			return err
		}
		var id, first, at int64
		found, err := tx.One(ctx, `SELECT c.chain, c.first, r.at FROM journal_chains c JOIN journal_records r ON r.chain = c.chain AND r.n = c.first
			ORDER BY r.at, c.chain LIMIT 1`, nil, &id, &first, &at)
		if err != nil {
			return err
		}
		cutoff := time.Now().Add(-j.options.MaxAge).UnixMicro()
		if !found || at >= cutoff && total <= j.options.MaxBytes {
			return j.forget(ctx, tx)
		}
		more = true
		return j.cut(ctx, tx, id, cutoff, total)
	})
	return more, err
}

// cut deletes the oldest records of a chain, and signs where it begins from now on.
func (j *Journal) cut(ctx context.Context, tx *sqldb.Tx, id, cutoff, total int64) error {
	if _, err := tx.Exec(ctx, "UPDATE journal_chains SET bytes = bytes WHERE chain = ?", id); err != nil { // from here on the row is ours
		return err
	}
	var last, freed int64
	var floor []byte
	err := tx.Each(ctx, "SELECT n, at, octet_length(record), hash FROM journal_records WHERE chain = ? ORDER BY n LIMIT ?", []any{id, pruneStep}, func(scan sqldb.Scan) error {
		var n, at, length int64
		var hash []byte
		if err := scan(&n, &at, &length, &hash); err != nil {
			return err
		}
		if at < cutoff || total-freed > j.options.MaxBytes {
			last, floor = n, hash
			freed += length + overhead
		} else {
			cutoff = 0 // what follows stays, whatever its clock said
			total = 0
		}
		return nil
	})
	if err != nil || last == 0 {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM journal_records WHERE chain = ? AND n <= ?", id, last); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE journal_chains SET first = ?, floor = ?, floor_mac = ?, bytes = bytes - ? WHERE chain = ?",
		last+1, floor, sign(j.options.Key, signsFloor, id, last+1, floor), freed, id)
	return err
}

// forget drops chains that hold nothing any more and whose run has ended, the oldest first.
func (j *Journal) forget(ctx context.Context, tx *sqldb.Tx) error {
	var keep int64
	found, err := tx.One(ctx, "SELECT chain FROM journal_chains WHERE last >= first OR alive > ? ORDER BY chain LIMIT 1",
		[]any{time.Now().Add(-j.options.MaxAge).UnixMicro()}, &keep)
	if err != nil || !found {
		return err
	}
	gone, err := tx.Exec(ctx, "DELETE FROM journal_chains WHERE chain < ?", keep)
	if err != nil || gone == 0 {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE journal_anchor SET first = ? WHERE id = 1", keep); err != nil {
		return err
	}
	var last int64
	if _, err := tx.One(ctx, "SELECT last FROM journal_anchor WHERE id = 1", nil, &last); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE journal_anchor SET mac = ? WHERE id = 1", sign(j.options.Key, signsAnchor, keep, last, nil))
	return err
}
