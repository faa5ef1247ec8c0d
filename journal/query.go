package journal

import (
	"context"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor/internal/sqldb"
)

func parseRecord(line string) (r Record, err error) {
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		return r, fmt.Errorf("read a record: %w", err)
	}
	return r, nil
}

// ended picks records of calls: those that ended, those of which nobody knows, and intents whose
// call still runs.
const ended = "(kind <> 'intent' OR call_id IN (SELECT call_id FROM journal_open))"

// maxPage bounds how many records one query gives.
const maxPage = 1000

// Page is a part of an answer.
type Page struct {
	Limit  int    // 0: 100; at most 1000
	Before string // the Next of the page before; empty: the newest
}

// Calls are the calls that a filter picks, the newest first. next is where the page after this one
// begins; empty: there is none.
func (j *Journal) Calls(ctx context.Context, filter Filter, page Page) (records []Record, next string, err error) {
	where, args := filter.sql()
	where = ended + where
	if page.Before != "" {
		var at, chain, n int64
		if _, err := fmt.Sscanf(page.Before, "%d-%d-%d", &at, &chain, &n); err != nil {
			return nil, "", badFilter(fmt.Sprintf("%q is not where a page begins", page.Before), "take the next of an answer as it is")
		}
		where += " AND (at, chain, n) < (?, ?, ?)"
		args = append(args, at, chain, n)
	}
	limit := min(page.Limit, maxPage)
	if limit <= 0 {
		limit = 100
	}
	records, err = j.read(ctx, j.options.DB, where+" ORDER BY at DESC, chain DESC, n DESC LIMIT ?", append(args, limit+1)...)
	if len(records) > limit {
		records = records[:limit]
		end := records[limit-1]
		next = fmt.Sprintf("%d-%d-%d", end.At.UnixMicro(), end.Position.Chain, end.Position.N)
	}
	return records, next, err
}

// Show is everything that is known of a call: its intent where it had one, its record, and the calls
// that it made, each in the order in which they came. It is empty where there is no such call.
func (j *Journal) Show(ctx context.Context, callID string) (records, children []Record, err error) {
	callID = strings.ToValidUTF8(callID, "")
	where, args := ofCall(callID)
	records, err = j.read(ctx, j.options.DB, where+" ORDER BY chain, n", args...)
	if err != nil || len(records) == 0 {
		return nil, nil, err
	}
	begun, end := records[0].At.UnixMicro(), records[0].At.UnixMicro()
	for _, r := range records {
		end = max(end, r.At.UnixMicro()+int64(r.Duration*1000))
	}
	children, err = j.read(ctx, j.options.DB, ended+` AND at BETWEEN ? AND ? AND record LIKE ? ESCAPE '\' ORDER BY at, chain, n LIMIT ?`,
		begun-1_000_000, end+1_000_000, `%"parent_id":"`+sqldb.Like(callID)+`"%`, maxPage)
	return records, children, err
}

// ofCall picks the records of a call. Its id says when it began, so that no index of ids is needed:
// every record would pay for one.
func ofCall(id string) (where string, args []any) {
	begun, err := base32.HexEncoding.DecodeString(strings.ToUpper(id))
	if err != nil || len(begun) != 15 {
		return "call_id = ?", []any{id} // not one of the engine's
	}
	at := int64(binary.BigEndian.Uint64(begun)>>16) * 1000
	const near = 1_000_000 // microseconds
	return "at BETWEEN ? AND ? AND call_id = ?", []any{at - near, at + near, id}
}

// read gives the records of a condition.
func (j *Journal) read(ctx context.Context, q sqldb.Querier, where string, args ...any) (records []Record, err error) {
	err = q.Each(ctx, "SELECT chain, n, record FROM journal_records WHERE "+where, args, func(scan sqldb.Scan) error {
		var at Position
		var line string
		if err := scan(&at.Chain, &at.N, &line); err != nil {
			return err
		}
		r, err := parseRecord(line)
		r.Position = at
		records = append(records, r)
		return err
	})
	return records, err
}
