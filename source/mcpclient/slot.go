package mcpclient

import (
	"context"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
)

// slot is the place of one connection: it starts it, remembers a start that failed, and ends it
// when nobody uses it. No lock is held while anything is waited for.
type slot struct {
	pool   *Pool
	key    key
	server Server

	mu       sync.Mutex
	state    State
	conn     *conn    // where it is ready
	starting *attempt // the start under way
	retired  bool     // no new users; it ends with the last one
	users    int
	used     time.Time
	idle     *time.Timer
	changes  *time.Timer
	watched  map[*watching]bool

	failures int            // in a row, without a call that worked between
	retryAt  time.Time      // no start before
	fault    *twodoor.Error // why it is not ready
	stderr   []string       // last lines of a program that failed
	starts   int
	unlisted bool              // the list of the start was read by nobody yet
	digest   [sha256.Size]byte // of the list of tools; zero: not known yet
	lastGood time.Time
	latency  time.Duration // of the last round trip that listed the tools
	tools    int
	era      string
	via      string
}

// attempt is one start.
type attempt struct {
	done chan struct{}
	err  error // read after done
}

var errRetired = errors.New("the connection is being replaced")

// use waits for the connection, and counts the caller as a user until release.
func (s *slot) use(ctx context.Context) (*conn, error) {
	for {
		c, start, err := s.step()
		if c != nil || err != nil {
			return c, err
		}
		select {
		case <-start.done:
			if start.err != nil {
				return nil, start.err
			}
		case <-ctx.Done():
			return nil, s.notYet(ctx)
		}
	}
}

// step is the connection, or the start to wait for, or why there is none.
func (s *slot) step() (*conn, *attempt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.retired:
		return nil, nil, errRetired
	case s.conn != nil && s.conn.link.Err() == nil:
		s.users++
		s.conn.users++
		return s.conn, nil, nil
	case s.starting != nil:
		return nil, s.starting, nil
	case time.Now().Before(s.retryAt):
		return nil, nil, s.down()
	}
	return nil, s.begin(), nil
}

// warm begins a start where one may begin.
func (s *slot) warm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.retired && s.conn == nil && s.starting == nil && time.Now().After(s.retryAt) {
		s.begin()
	}
}

// down answers at once for a server that is known to be down.
func (s *slot) down() error {
	known := *s.fault
	known.RetryAfter = time.Until(s.retryAt)
	return &known
}

func (s *slot) begin() *attempt {
	a := &attempt{done: make(chan struct{})}
	s.starting, s.state, s.conn = a, Starting, nil
	s.starts++
	s.pool.work.Add(1)
	go s.run(a)
	return a
}

// run makes one start within its own bound, whoever waits for it.
func (s *slot) run(a *attempt) {
	defer s.pool.work.Done()
	bound := s.pool.Start
	if s.server.Start > 0 {
		bound = s.server.Start
	}
	if bound <= 0 {
		bound = defaultStart
	}
	ctx, cancel := context.WithTimeout(s.pool.life, bound)
	defer cancel()
	c, latency, err := s.connect(ctx)
	a.err = s.settle(c, latency, err)
	close(a.done)
}

// settle writes down how a start ended. The state becomes ready last: after a round trip that worked.
func (s *slot) settle(c *conn, latency time.Duration, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting = nil
	if err != nil {
		fault := s.explain(err)
		s.fault, s.stderr = fault, stderrOf(err)
		s.failed(1)
		s.state = Failed
		if fault.Code == twodoor.CodeUpstreamAuth {
			s.state = NeedsLogin
		}
		s.arm()
		return fault
	}
	if s.retired {
		s.closeLater(c, closeGrace)
		return errRetired
	}
	s.conn, s.latency, s.fault, s.stderr = c, latency, nil, nil
	s.era, s.via = c.version(), c.via
	if s.listed(c) { // a program that was started again has other tools than before
		s.change()
	}
	s.lastGood, s.unlisted, s.state = time.Now(), true, Ready
	s.arm()
	s.pool.work.Go(func() { s.watch(c) })
	c.follow()
	return nil
}

// unread reports, once, that the list of tools was made by the start just now.
func (s *slot) unread(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := s.unlisted && s.conn == c && time.Since(s.lastGood) < minBackoff
	s.unlisted = false
	return fresh
}

// relist lists the tools again.
func (s *slot) relist(ctx context.Context, c *conn) error {
	began := time.Now()
	if err := c.list(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latency = time.Since(began)
	s.listed(c)
	return nil
}

// listed writes down the list of tools, and reports whether it was another one before.
func (s *slot) listed(c *conn) (changed bool) {
	all, before, hash := *c.tools.Load(), s.digest, sha256.New()
	for i := range all {
		hash.Write(all[i].raw)
	}
	s.tools, s.digest = len(all), [sha256.Size]byte(hash.Sum(nil))
	return before != [sha256.Size]byte{} && before != s.digest
}

// Bounds of the wait before another start.
const (
	minBackoff = time.Second
	maxBackoff = time.Minute
)

// failed counts a failure and sets the wait. The first of those that are free is tried again at once.
func (s *slot) failed(free int) {
	s.failures++
	n := s.failures - 1 + free
	if n <= 0 {
		return
	}
	wait := min(minBackoff<<min(n-1, 10), maxBackoff)
	wait += time.Duration(rand.Int64N(int64(wait / 4)))
	s.retryAt = time.Now().Add(wait)
}

// watch waits for the end of a connection.
func (s *slot) watch(c *conn) {
	<-c.link.Done()
	c.close(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost(c)
}

// lost writes down the end of a connection, once.
func (s *slot) lost(c *conn) {
	err := c.link.Err()
	if s.conn != c || err == nil {
		return
	}
	s.conn, s.state = nil, Stopped
	s.fault, s.stderr = s.explain(err), stderrOf(err)
	s.failed(0)
	s.arm()
}

// release ends a use. The last user of a connection that is being replaced ends it.
func (s *slot) release(c *conn, how outcome, fault *twodoor.Error) {
	if s.releases(c, how, fault) {
		s.stop(idleGrace)
		s.pool.left(s)
	}
}

// outcome is what a call says of its connection.
type outcome uint8

const (
	indifferent outcome = iota // the caller left, or the tool was slow
	worked                     // the server answered
	refused                    // it wants a login
	broke                      // it cannot be reached
	stale                      // it is not the server that was greeted: its revision is found out anew
)

func (s *slot) releases(c *conn, how outcome, fault *twodoor.Error) (last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	c.users--
	switch {
	case how == worked:
		s.failures, s.lastGood = 0, time.Now()
		if s.conn == c {
			s.state, s.fault = Ready, nil
		}
	case how == refused && s.conn == c:
		s.state, s.fault = NeedsLogin, fault
	case how == broke && s.server.local():
		s.lost(c)
	case (how == broke || how == stale) && s.conn == c && !s.server.local():
		s.conn, s.state, s.fault = nil, Stopped, fault
		s.failed(0)
		c.doomed = true
	}
	if c.doomed && c.users == 0 {
		s.closeLater(c, 0)
	}
	if !s.retired {
		s.arm()
	}
	return s.retired && s.users == 0
}

// forgive lets the next call start at once.
func (s *slot) forgive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.retryAt = 0, time.Time{}
}

// arm sets the time at which the slot ends by itself.
func (s *slot) arm() {
	s.used = time.Now()
	wait := s.pool.Idle
	if wait <= 0 {
		wait = defaultIdle
	}
	if s.idle == nil {
		s.idle = time.AfterFunc(wait, s.expire)
		return
	}
	s.idle.Reset(wait)
}

func (s *slot) expire() {
	if s.stopIfIdle() {
		s.pool.drop(s)
	}
}

// stopIfIdle retires the slot unless somebody uses it or waits for it.
func (s *slot) stopIfIdle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users > 0 || s.starting != nil {
		return false
	}
	s.quit(idleGrace)
	return true
}

// retire lets no new user in; the connection ends with the last one. It reports whether it has ended.
func (s *slot) retire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users > 0 {
		s.retired = true
		return false
	}
	s.quit(idleGrace)
	return true
}

// stop ends the connection whoever uses it.
func (s *slot) stop(grace time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quit(grace)
}

func (s *slot) quit(grace time.Duration) {
	s.retired, s.state = true, Stopped
	if s.idle != nil {
		s.idle.Stop()
	}
	if c := s.conn; c != nil {
		s.conn = nil
		s.closeLater(c, grace)
	}
}

func (s *slot) closeLater(c *conn, grace time.Duration) {
	s.pool.work.Go(func() { c.close(grace) })
}

func (s *slot) lastUse() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// suspect looks whether a program that let a call time out still answers. Where nobody else waits
// for it and it does not, it is ended, and the next call starts it anew.
func (s *slot) suspect(c *conn) {
	s.mu.Lock()
	alone := s.users == 0 && s.conn == c && s.server.local()
	s.mu.Unlock()
	if !alone {
		return
	}
	pulse := s.pool.Pulse
	if pulse <= 0 {
		pulse = defaultPulse
	}
	s.pool.goes(func() {
		ctx, cancel := context.WithTimeout(s.pool.life, pulse)
		defer cancel()
		if c.ping(ctx) != nil && s.pool.life.Err() == nil {
			c.close(0)
		}
	})
}

// changed tells of a new list of tools, once for a burst of changes.
func (s *slot) changed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change()
}

func (s *slot) change() {
	if s.pool.Changed == nil || s.retired {
		return
	}
	const burst = 100 * time.Millisecond
	if s.changes == nil {
		s.changes = time.AfterFunc(burst, func() { s.pool.Changed(s.key.source) })
		return
	}
	s.changes.Reset(burst)
}
