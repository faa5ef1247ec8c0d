package rest

import (
	"context"
	"iter"
	"net/http"
	"sync"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// events streams what happens: an event "catalog" at once and after each change, with the ETag that
// /v1/operations has then. The operator is also told of calls, as events "call", and as "dropped" how
// many were lost; their ids are for Last-Event-ID, which goes on where a stream ended.
func (d *Door) events(w http.ResponseWriter, r *http.Request, who asker) {
	ctx, end := context.WithCancel(r.Context())
	var telling sync.WaitGroup
	defer telling.Wait() // nothing is written after the answer has ended
	defer end()
	calls, err := d.callEvents(ctx, r, who)
	if err != nil {
		refuse(w, r, err)
		return
	}
	listener := d.bell.Listen()
	defer listener.Leave()
	s := openStream(w)
	defer s.close()
	if calls != nil {
		telling.Go(func() { defer end(); s.tellCalls(calls) })
	}
	for {
		s.send("catalog", d.catalogEvent(who))
		select {
		case <-listener.Rung:
		case <-listener.Ending:
			return
		case <-ctx.Done():
			return
		}
	}
}

// callEvents are the calls to tell; nil for who may not hear of them.
func (d *Door) callEvents(ctx context.Context, r *http.Request, who asker) (iter.Seq2[News, error], error) {
	if d.Calls == nil || !who.operator {
		return nil, nil
	}
	return d.Calls.Follow(ctx, r.URL.Query(), r.Header.Get("Last-Event-ID"))
}

// tellCalls sends calls until there are no more. A fault is told as the last event.
func (s *stream) tellCalls(calls iter.Seq2[News, error]) {
	for news, err := range calls {
		switch {
		case err != nil:
			s.send("error", marshal(twodoor.AsError(err)))
			return
		case news.Missed > 0:
			var out rawjson.Object
			out.PutInt("missed", news.Missed)
			s.sendAt(news.Resume, "dropped", out.Bytes())
		default:
			s.sendAt(news.Resume, "call", news.Call)
		}
	}
}

func (d *Door) catalogEvent(who asker) []byte {
	var out rawjson.Object
	out.PutInt("operations", int64(d.Engine.Catalog().Len()))
	if list, err := d.operations(who, operationQuery{brief: true}); err == nil {
		out.PutString("etag", list.etag)
	}
	return out.Bytes()
}
