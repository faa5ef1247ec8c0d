package mcpclient

import (
	"context"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient/wire"
)

// watching is one who wants to know of changes of a resource of a legacy server.
type watching struct {
	uri     string
	changed func()
}

// Watch follows a resource until the context ends, over as many connections as it takes: after a break
// nobody knows what was missed, so it counts as a change.
func (v *Invoker) Watch(ctx context.Context, in *twodoor.Invocation, changed func()) error {
	k, err := v.Pool.keyOf(in)
	if err != nil {
		return err
	}
	uri := v.uriOf(in)
	lost, err := v.watchOnce(ctx, k, uri, changed)
	if err != nil {
		return err
	}
	v.Pool.goes(func() {
		for wait := minBackoff; ; wait = min(2*wait, maxBackoff) {
			select {
			case <-lost:
			case <-ctx.Done():
				return
			case <-v.Pool.life.Done():
				return
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			case <-v.Pool.life.Done():
				return
			}
			if again, err := v.watchOnce(ctx, k, uri, changed); err == nil {
				lost, wait = again, minBackoff
				changed()
			}
		}
	})
	return nil
}

// watchOnce watches over one connection, which it keeps from being idle. The channel is closed when the
// watch has ended.
func (v *Invoker) watchOnce(ctx context.Context, k key, uri string, changed func()) (lost <-chan struct{}, err error) {
	s, c, err := v.Pool.acquire(ctx, k)
	if err != nil {
		return nil, err
	}
	if told, _ := c.offers("resources", "subscribe"); string(told) != "true" {
		s.release(c, indifferent, nil)
		return make(chan struct{}), nil // it never tells
	}
	ended := make(chan struct{})
	if c.modern() {
		v.Pool.goes(func() {
			defer close(ended)
			defer s.release(c, indifferent, nil)
			var wanted, params rawjson.Object
			wanted.PutStrings("resourceSubscriptions", []string{uri})
			params.Put("notifications", wanted.Bytes())
			w := s.watch1(uri, changed)
			defer s.unwatch(w)
			_, _ = c.call(ctx, wire.Request{Method: "subscriptions/listen", Params: params.Bytes()})
		})
		return ended, nil
	}
	w := s.watch1(uri, changed)
	if err := c.subscribe(ctx, "resources/subscribe", uri); err != nil {
		s.unwatch(w)
		return nil, s.settled(ctx, c, err)
	}
	v.Pool.goes(func() {
		defer close(ended)
		defer s.release(c, indifferent, nil)
		select {
		case <-ctx.Done():
			if s.unwatch(w) {
				after, cancel := context.WithTimeout(v.Pool.life, minBackoff)
				defer cancel()
				_ = c.subscribe(after, "resources/unsubscribe", uri) // else it tells nobody
			}
		case <-c.link.Done():
			s.unwatch(w)
		}
	})
	return ended, nil
}

func (c *conn) subscribe(ctx context.Context, method, uri string) error {
	var params rawjson.Object
	params.PutString("uri", uri)
	reply, err := c.call(ctx, wire.Request{Method: method, Params: params.Bytes()})
	if err == nil && reply.Fault != nil {
		return reply.Fault
	}
	return err
}

// watch1 enters one who watches.
func (s *slot) watch1(uri string, changed func()) *watching {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &watching{uri, changed}
	if s.watched == nil {
		s.watched = map[*watching]bool{}
	}
	s.watched[w] = true
	return w
}

// unwatch takes one out, and reports whether it was the last who watched its resource.
func (s *slot) unwatch(w *watching) (last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watched, w)
	for other := range s.watched {
		if other.uri == w.uri {
			return false
		}
	}
	return true
}

// updated tells all who watch a resource.
func (s *slot) updated(uri string) {
	s.mu.Lock()
	var tell []func()
	for w := range s.watched {
		if w.uri == uri {
			tell = append(tell, w.changed)
		}
	}
	s.mu.Unlock()
	for _, changed := range tell {
		go changed() // the reader waits for nobody
	}
}
