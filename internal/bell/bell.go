package bell

import "sync"

// Bell has listeners. The zero value has none; it is safe for concurrent use and must not be copied.
type Bell struct {
	mu        sync.Mutex
	listeners map[*Listener]struct{}
	ending    chan struct{}
}

// Listener hears a bell until it leaves.
type Listener struct {
	Rung   <-chan struct{} // one value for all that rang since the last was taken
	Ending <-chan struct{} // closed when the bell is put away
	rung   chan struct{}
	bell   *Bell
}

// Listen enters a listener. It must leave.
func (b *Bell) Listen() *Listener {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready()
	rung := make(chan struct{}, 1)
	l := &Listener{Rung: rung, Ending: b.ending, rung: rung, bell: b}
	b.listeners[l] = struct{}{}
	return l
}

// Leave ends the listening. Leaving twice does nothing.
func (l *Listener) Leave() {
	l.bell.mu.Lock()
	defer l.bell.mu.Unlock()
	delete(l.bell.listeners, l)
}

// Ring tells every listener.
func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for l := range b.listeners {
		select {
		case l.rung <- struct{}{}:
		default:
		}
	}
}

// Close ends the listeners of now; later ones are served again.
func (b *Bell) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready()
	close(b.ending)
	b.ending = nil
}

func (b *Bell) ready() {
	if b.listeners == nil {
		b.listeners = map[*Listener]struct{}{}
	}
	if b.ending == nil {
		b.ending = make(chan struct{})
	}
}
