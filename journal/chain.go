package journal

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"

	"github.com/twodoor/twodoor/internal/sqldb"
)

// row is a record on its way into the store: the columns by which it is looked for, and its line.
type row struct {
	at, duration                                                    int64 // microseconds
	kind, callID, door, client, principal, session, operation, code string
	line                                                            string
}

func rowOf(r *Record, line string) row {
	return row{
		at: r.At.UnixMicro(), duration: int64(r.Duration * 1000), kind: r.Kind, callID: bounded(r.CallID, maxName), door: bounded(r.Door, maxName),
		client: bounded(r.Client, maxName), principal: bounded(r.Principal, maxName), session: bounded(r.Session, maxName),
		operation: bounded(r.Operation, maxName), code: r.Code, line: line,
	}
}

// overhead is what a record takes beside its line, roughly: columns, hash, indexes.
const overhead = 300

func (r *row) size() int64 { return int64(len(r.line)) + overhead }

// hasher makes the hashes of a chain. It is for one goroutine.
type hasher struct {
	sum    hash.Hash
	buffer []byte
}

// next is the hash of a record that follows the one of hash prev: over its place, every column and
// the line, each with its length.
func (h *hasher) next(prev []byte, chain, n int64, r *row) []byte {
	if h.sum == nil {
		h.sum = sha256.New()
	}
	b := append(h.buffer[:0], prev...)
	for _, number := range [...]int64{chain, n, r.at, r.duration} {
		b = binary.BigEndian.AppendUint64(b, uint64(number))
	}
	for _, text := range [...]string{r.kind, r.callID, r.door, r.client, r.principal, r.session, r.operation, r.code, r.line} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(text)))
		b = append(b, text...)
	}
	h.buffer = b
	h.sum.Reset()
	h.sum.Write(b)
	return h.sum.Sum(nil)
}

// What is signed.
const (
	signsHead   = "head"   // the end of a chain
	signsFloor  = "floor"  // where pruning has cut it
	signsAnchor = "anchor" // which chains there are
)

// sign binds numbers and a hash together, so that who has no key cannot write others.
func sign(key []byte, what string, a, b int64, sum []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("twodoor journal " + what))
	mac.Write(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(a)), uint64(b)))
	mac.Write(sum)
	return mac.Sum(nil)
}

// chain is the one that this process writes.
type chain struct {
	id   int64 // 0: not begun
	last int64
	head []byte
}

// errTorn says that somebody else changed our chain: a new one is begun.
var errTorn = errors.New("the end of the chain is not as it was left")

// begin makes a new chain in the store.
func begin(ctx context.Context, tx *sqldb.Tx, key []byte, alive int64) (*chain, error) {
	if _, err := tx.Exec(ctx, "INSERT INTO journal_anchor (id, first, last, mac) VALUES (1, 1, 0, ?) ON CONFLICT (id) DO NOTHING", sign(key, signsAnchor, 1, 0, nil)); err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, "UPDATE journal_anchor SET last = last + 1 WHERE id = 1"); err != nil {
		return nil, err
	}
	var first, id int64
	if _, err := tx.One(ctx, "SELECT first, last FROM journal_anchor WHERE id = 1", nil, &first, &id); err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, "UPDATE journal_anchor SET mac = ? WHERE id = 1", sign(key, signsAnchor, first, id, nil)); err != nil {
		return nil, err
	}
	root := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("twodoor journal chain"), uint64(id)))
	_, err := tx.Exec(ctx, "INSERT INTO journal_chains (chain, first, floor, floor_mac, last, head, head_mac, bytes, alive) VALUES (?, 1, ?, ?, 0, ?, ?, 0, ?)",
		id, root[:], sign(key, signsFloor, id, 1, root[:]), root[:], sign(key, signsHead, id, 0, root[:]), alive)
	return &chain{id: id, head: root[:]}, err
}

// extend adds rows to the chain and returns its new end; the chain itself is moved on when the
// transaction is committed.
func (c *chain) extend(ctx context.Context, tx *sqldb.Tx, h *hasher, key []byte, rows []row, alive int64) (*chain, error) {
	next := chain{id: c.id, last: c.last, head: c.head}
	values, size := make([][]any, len(rows)), int64(0)
	cells := make([]any, 0, len(rows)*len(recordColumns))
	for i := range rows {
		r := &rows[i]
		next.last++
		next.head = h.next(next.head, c.id, next.last, r)
		size += r.size()
		cells = append(cells, c.id, next.last, r.at, r.kind, r.callID, r.door, r.client, r.principal, r.session, r.operation, r.code, r.duration, r.line, next.head)
		values[i] = cells[len(cells)-len(recordColumns):]
	}
	if err := tx.Insert(ctx, "journal_records", recordColumns, values); err != nil {
		return nil, err
	}
	changed, err := tx.Exec(ctx, "UPDATE journal_chains SET last = ?, head = ?, head_mac = ?, bytes = bytes + ?, alive = ? WHERE chain = ? AND last = ?",
		next.last, next.head, sign(key, signsHead, c.id, next.last, next.head), size, alive, c.id, c.last)
	if err == nil && changed != 1 {
		err = errTorn
	}
	return &next, err
}
