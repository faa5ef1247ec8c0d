package command

import "context"

// enter waits until a call may run: after the calls of its session that came before it, and until
// there is a place. The key of a session is empty where a call has none.
func (v *Invoker) enter(ctx context.Context, session string) (leave func(), err error) {
	v.once.Do(func() {
		most := v.Most
		if most <= 0 {
			most = defaultMost
		}
		v.places, v.sessions = make(chan struct{}, most), map[string]chan struct{}{}
	})
	next, err := v.queue(ctx, session)
	if err != nil {
		return nil, err
	}
	select {
	case v.places <- struct{}{}:
		return func() { <-v.places; next() }, nil
	case <-ctx.Done():
		next()
		return nil, ctx.Err()
	}
}

// queue waits for the calls of a session that came before. next lets the one after it go.
func (v *Invoker) queue(ctx context.Context, session string) (next func(), err error) {
	if session == "" {
		return func() {}, nil
	}
	mine := make(chan struct{})
	v.mu.Lock()
	before := v.sessions[session]
	v.sessions[session] = mine
	v.mu.Unlock()
	release := func() {
		v.mu.Lock()
		if v.sessions[session] == mine {
			delete(v.sessions, session)
		}
		v.mu.Unlock()
		close(mine)
	}
	if before == nil {
		return release, nil
	}
	select {
	case <-before:
		return release, nil
	case <-ctx.Done():
		go func() { // whoever waits for this call waits for those before it
			<-before
			release()
		}()
		return nil, ctx.Err()
	}
}
