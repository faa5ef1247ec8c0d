package journal

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/sqldb"
)

// News is one thing that Follow tells: a record, or that some were missed.
type News struct {
	Record *Record
	Missed int64  // so many records were pruned before they were told, or dropped under overload
	Resume string // hand it to Follow to go on after this one
}

// followPage is how many records one look takes.
const followPage = 200

// Follow tells of calls that a filter picks, in the order of their chains, as they are written here
// or at another instance, until the context ends. It begins after resume, the Resume of an earlier
// News; empty: now. Who reads slowly is not waited for by anybody and misses nothing that is still
// kept; what is not is told as Missed.
func (j *Journal) Follow(ctx context.Context, filter Filter, resume string) iter.Seq2[News, error] {
	return func(yield func(News, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		notes := j.options.DB.Listen(ctx, topic)
		at, err := j.cursor(ctx, resume)
		if err != nil {
			yield(News{}, err)
			return
		}
		for {
			if !j.catchUp(ctx, filter, at, yield) {
				return
			}
			if _, open := <-notes; !open {
				return
			}
		}
	}
}

// cursor is how far each chain was told.
type cursor map[int64]int64

func (j *Journal) cursor(ctx context.Context, resume string) (cursor, error) {
	at := cursor{}
	if resume == "" {
		err := j.options.DB.Each(ctx, "SELECT chain, last FROM journal_chains", nil, func(scan sqldb.Scan) error {
			var chain, last int64
			err := scan(&chain, &last)
			at[chain] = last
			return err
		})
		return at, err
	}
	return parseCursor(resume)
}

// CheckResume reports whether a text is the Resume of a News, or empty.
func CheckResume(resume string) error {
	if resume == "" {
		return nil
	}
	_, err := parseCursor(resume)
	return err
}

func parseCursor(resume string) (cursor, error) {
	at := cursor{}
	for _, part := range strings.Split(resume, ",") {
		chain, n, ok := strings.Cut(part, ":")
		c, err1 := strconv.ParseInt(chain, 10, 64)
		last, err2 := strconv.ParseInt(n, 10, 64)
		if !ok || err1 != nil || err2 != nil {
			return nil, badFilter(fmt.Sprintf("%q is not where to go on", bounded(resume, 80)), "take the resume of an earlier answer as it is, or leave it out to begin now")
		}
		at[c] = last
	}
	return at, nil
}

func (c cursor) String() string {
	var out strings.Builder
	for chain, last := range c {
		if out.Len() > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%d:%d", chain, last)
	}
	return out.String()
}

// catchUp tells everything after the cursor, and moves it. It reports whether to go on.
func (j *Journal) catchUp(ctx context.Context, filter Filter, at cursor, yield func(News, error) bool) bool {
	for more := true; more; {
		ends, err := j.ends(ctx, at)
		if err != nil {
			return yield(News{}, err) && ctx.Err() == nil
		}
		more = false
		for _, end := range ends {
			if missed := end.first - 1 - at[end.chain]; missed > 0 {
				at[end.chain] = end.first - 1
				if !yield(News{Missed: missed, Resume: at.String()}, nil) {
					return false
				}
			}
			full, ok := j.tellChain(ctx, filter, at, end, yield)
			if !ok {
				return false
			}
			more = more || full
		}
	}
	return true
}

// end is where a chain begins and ends in the store.
type end struct{ chain, first, last int64 }

// ends are the chains that go on after the cursor. Chains that are gone leave it.
func (j *Journal) ends(ctx context.Context, at cursor) ([]end, error) {
	var all []end
	gone := map[int64]bool{}
	for chain := range at {
		gone[chain] = true
	}
	err := j.options.DB.Each(ctx, "SELECT chain, first, last FROM journal_chains ORDER BY chain", nil, func(scan sqldb.Scan) error {
		var e end
		if err := scan(&e.chain, &e.first, &e.last); err != nil {
			return err
		}
		delete(gone, e.chain)
		if e.last > at[e.chain] {
			all = append(all, e)
		}
		return nil
	})
	if err == nil {
		for chain := range gone {
			delete(at, chain)
		}
	}
	return all, err
}

// tellChain tells one page of a chain. full: there is more.
func (j *Journal) tellChain(ctx context.Context, filter Filter, at cursor, e end, yield func(News, error) bool) (full, ok bool) {
	where, args := filter.sql()
	args = append([]any{e.chain, at[e.chain], e.last}, args...)
	records, err := j.read(ctx, j.options.DB, "chain = ? AND n > ? AND n <= ? AND (kind = 'dropped' OR kind <> 'intent'"+where+") ORDER BY n LIMIT ?", append(args, followPage)...)
	if err != nil {
		return false, yield(News{}, err) && ctx.Err() == nil
	}
	for i := range records {
		r := &records[i]
		at[e.chain] = r.Position.N
		news := News{Record: r, Resume: at.String()}
		if r.Kind == KindDropped {
			news = News{Missed: r.Dropped, Resume: news.Resume}
		}
		if !yield(news, nil) {
			return false, false
		}
	}
	if len(records) < followPage {
		at[e.chain] = e.last
		return false, true
	}
	return true, true
}
