package journal

import (
	"bytes"
	"context"
	"crypto/hmac"
	"fmt"

	"github.com/twodoor/twodoor/internal/sqldb"
)

// Verification is what a check of the chains found.
type Verification struct {
	Chains  int      `json:"chains"`
	Records int64    `json:"records"`
	Faults  []Broken `json:"faults"`
}

// Broken is a place where the journal is not as it was written.
type Broken struct {
	Chain int64  `json:"chain"`
	N     int64  `json:"n,omitempty"` // of the record; 0: the chain as a whole
	What  string `json:"what"`
}

// maxFaults bounds how many places are named.
const maxFaults = 100

// Verify goes through every record, at one moment, and names the places where one was altered,
// removed, added or moved since it was written. It cannot see that a whole store was put back to an
// older copy of itself.
func (j *Journal) Verify(ctx context.Context) (*Verification, error) {
	v := &verifier{key: j.options.Key, chains: map[int64]*link{}, found: Verification{Faults: []Broken{}}}
	err := j.options.DB.Read(ctx, func(tx *sqldb.Tx) error {
		if err := v.readChains(ctx, tx); err != nil {
			return err
		}
		return tx.Each(ctx, `SELECT chain, n, at, kind, call_id, door, client, principal, session, operation, code, duration, record, hash
			FROM journal_records ORDER BY chain, n`, nil, v.readRow)
	})
	if err != nil {
		return nil, err
	}
	for _, l := range v.order {
		v.finish(l)
	}
	return &v.found, nil
}

// link is a chain, and how far it was followed.
type link struct {
	id, first, last int64
	floor, head     []byte
	at              int64
	hash            []byte
}

type verifier struct {
	key    []byte
	hasher hasher
	chains map[int64]*link
	order  []*link
	found  Verification
}

func (v *verifier) fault(chain, n int64, format string, args ...any) {
	if len(v.found.Faults) < maxFaults {
		v.found.Faults = append(v.found.Faults, Broken{chain, n, fmt.Sprintf(format, args...)})
	}
}

func (v *verifier) readChains(ctx context.Context, tx *sqldb.Tx) error {
	err := tx.Each(ctx, "SELECT chain, first, floor, floor_mac, last, head, head_mac FROM journal_chains ORDER BY chain", nil, func(scan sqldb.Scan) error {
		l := &link{}
		var floorMAC, headMAC []byte
		if err := scan(&l.id, &l.first, &l.floor, &floorMAC, &l.last, &l.head, &headMAC); err != nil {
			return err
		}
		if !hmac.Equal(floorMAC, sign(v.key, signsFloor, l.id, l.first, l.floor)) {
			v.fault(l.id, 0, "its beginning is not signed with this key")
		}
		if !hmac.Equal(headMAC, sign(v.key, signsHead, l.id, l.last, l.head)) {
			v.fault(l.id, 0, "its end is not signed with this key")
		}
		l.at, l.hash = l.first-1, l.floor
		v.chains[l.id] = l
		v.order = append(v.order, l)
		v.found.Chains++
		return nil
	})
	if err != nil {
		return err
	}
	return v.readAnchor(ctx, tx)
}

func (v *verifier) readAnchor(ctx context.Context, tx *sqldb.Tx) error {
	var first, last int64
	var mac []byte
	found, err := tx.One(ctx, "SELECT first, last, mac FROM journal_anchor WHERE id = 1", nil, &first, &last, &mac)
	switch {
	case err != nil:
		return err
	case !found:
		if len(v.chains) > 0 {
			v.fault(0, 0, "the list of chains is gone")
		}
		return nil
	case !hmac.Equal(mac, sign(v.key, signsAnchor, first, last, nil)):
		v.fault(0, 0, "the list of chains is not signed with this key")
	}
	if last-first+1 == int64(len(v.chains)) {
		return nil
	}
	for id := first; id <= last && id < first+1_000_000; id++ {
		if v.chains[id] == nil {
			v.fault(id, 0, "the chain is gone")
		}
	}
	return nil
}

func (v *verifier) readRow(scan sqldb.Scan) error {
	var chain, n int64
	var r row
	var hash []byte
	err := scan(&chain, &n, &r.at, &r.kind, &r.callID, &r.door, &r.client, &r.principal, &r.session, &r.operation, &r.code, &r.duration, &r.line, &hash)
	if err != nil {
		return err
	}
	v.found.Records++
	l := v.chains[chain]
	if l == nil {
		v.fault(chain, n, "the record belongs to no chain")
		return nil
	}
	if n < l.first || n > l.last {
		v.fault(chain, n, "the record lies outside of its chain, which goes from %d to %d", l.first, l.last)
		return nil
	}
	if n != l.at+1 {
		v.fault(chain, l.at+1, "%d records are gone", n-l.at-1)
	}
	if want := v.hasher.next(l.hash, chain, n, &r); !bytes.Equal(want, hash) && n == l.at+1 {
		v.fault(chain, n, "the record was altered or moved")
	}
	l.at, l.hash = n, hash
	return nil
}

// finish checks that the chain ends where its signature says.
func (v *verifier) finish(l *link) {
	switch {
	case l.at < l.last:
		v.fault(l.id, l.at+1, "the last %d records are gone", l.last-l.at)
	case !bytes.Equal(l.hash, l.head):
		v.fault(l.id, l.last, "the last record is not the one that was signed")
	}
}
