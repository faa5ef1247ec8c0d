package rest

import (
	"net/http"
	"sync"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// listeners are those who want to hear when the catalog is another one. The zero value has none.
type listeners struct {
	mu     sync.Mutex
	all    map[chan struct{}]struct{} // each holds at most one change that was not told yet
	ending chan struct{}
}

func (l *listeners) add() (changed, ending chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open()
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

// close ends the streams of now; later ones are served again.
func (l *listeners) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open()
	close(l.ending)
	l.ending = nil
}

func (l *listeners) open() {
	if l.all == nil {
		l.all = map[chan struct{}]struct{}{}
	}
	if l.ending == nil {
		l.ending = make(chan struct{})
	}
}

// events streams what happens: an event "catalog" at once and after each change, with the ETag that
// /v1/operations has then.
func (d *Door) events(w http.ResponseWriter, r *http.Request, who asker) {
	changed, ending := d.listeners.add()
	defer d.listeners.remove(changed)
	s := openStream(w)
	defer s.close()
	for {
		s.send("catalog", d.catalogEvent(who))
		select {
		case <-changed:
		case <-ending:
			return
		case <-r.Context().Done():
			return
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
