package mcpserver

import (
	"context"
	"sync"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// listeners are the subscriptions of all transports. The zero value has none.
type listeners struct {
	mu     sync.Mutex
	all    map[chan struct{}]struct{} // each holds at most one change that was not told yet
	ending chan struct{}
}

// add enters a listener. The second channel is closed when the door closes.
func (l *listeners) add() (changed, ending chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready()
	changed = make(chan struct{}, 1)
	l.all[changed] = struct{}{}
	return changed, l.ending
}

func (l *listeners) remove(changed chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, changed)
}

func (l *listeners) changed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for changed := range l.all {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
}

// close ends the listens of now; later ones are served again.
func (l *listeners) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready()
	close(l.ending)
	l.ending = nil
}

func (l *listeners) ready() {
	if l.all == nil {
		l.all = map[chan struct{}]struct{}{}
	}
	if l.ending == nil {
		l.ending = make(chan struct{})
	}
}

// listen answers subscriptions/listen: acknowledged at once, then a notification for each change
// that was asked for, and a result only when the server takes its leave.
func (d *Door) listen(ctx context.Context, r *request) ([]byte, *fault) {
	if rawjson.KindOf(r.params.notifications) != rawjson.KindObject {
		return nil, &fault{code: codeInvalidParams, message: `params lacks notifications, an object like {"toolsListChanged":true}`}
	}
	if r.send == nil {
		return nil, invalid("a listen is answered by a stream: accept text/event-stream")
	}
	changed, ending := d.listeners.add()
	defer d.listeners.remove(changed)
	wanted, _ := rawjson.Get(r.params.notifications, "toolsListChanged")
	honoured := "{}"
	if string(wanted) == "true" {
		honoured = `{"toolsListChanged":true}`
	} else {
		changed = nil
	}
	r.send(tagged("notifications/subscriptions/acknowledged", r.id, `"notifications":`+honoured+`,`))
	for {
		select {
		case <-ctx.Done():
			return nil, &fault{silent: true}
		case <-changed:
			r.send(tagged("notifications/tools/list_changed", r.id, ""))
		case <-ending:
			return d.endListen(r.id), nil
		case <-r.ending:
			return d.endListen(r.id), nil
		}
	}
}

// tagged is a notification that names its subscription.
func tagged(method string, id []byte, params string) []byte {
	out := append([]byte(nil), `{"jsonrpc":"2.0","method":"`+method+`","params":{`+params+`"_meta":{"`+metaSubscription+`":`...)
	return append(append(out, id...), `}}}`...)
}

func (d *Door) endListen(id []byte) []byte {
	out := openReply(id, 256)
	out = append(out, `{"resultType":"complete","_meta":{"`+metaSubscription+`":`...)
	out = append(append(out, id...), `,"`+metaServer+`":`...)
	return append(append(out, d.serverInfo()...), `}}}`...)
}
