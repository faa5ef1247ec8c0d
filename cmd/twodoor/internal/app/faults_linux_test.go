package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/twodoor/twodoor/internal/sqldb/dbtest"
)

// small makes the state folder a file system of four megabytes, where this user may.
func (l *lab) small() (remount func(flags uintptr)) {
	l.t.Helper()
	dir := l.env["XDG_STATE_HOME"]
	if err := os.MkdirAll(dir, 0o700); err != nil {
		l.t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		l.t.Skip("needs to mount a small file system: ", err)
	}
	l.t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			l.t.Error(err)
		}
	})
	return func(flags uintptr) {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|flags, "size=4m"); err != nil {
			l.t.Fatal(err)
		}
	}
}

// TestReadOnlyState starts up where nothing can be kept: it serves and says so once, or refuses to start
// where calls must be recorded. A command line goes on, or refuses what changes something.
func TestReadOnlyState(t *testing.T) {
	l := newLab(t)
	l.env["TWODOOR_TOKEN"] = "a-token-of-the-operator"
	l.small()(syscall.MS_RDONLY)
	s := l.up()
	if status, text := s.ask("POST", "/api/v1/call/lab.items.create", "", `{"name":"x"}`); status != 200 {
		t.Errorf("%d %s", status, text)
	}
	l.must("lab", "items", "create", "--name", "x")
	if s.stop(); strings.Count(s.log.String(), "calls are not recorded") != 1 || !strings.Contains(s.log.String(), "make its folder and file writable") {
		t.Errorf("the log says %s", s.log)
	}
	l.rest = "journal: {required: true}\n"
	if status, _, said := l.run("up", "--listen", "127.0.0.1:0"); status != 4 || !strings.Contains(said, "cannot be written") {
		t.Errorf("exit %d: %s", status, said)
	}
	made := len(l.requests())
	if status, _, said := l.run("lab", "items", "create", "--name", "y"); status != 4 || !strings.Contains(said, "cannot be recorded, so it was not made") {
		t.Errorf("exit %d: %s", status, said)
	}
	if len(l.requests()) != made {
		t.Error("it was made all the same")
	}
	l.must("lab", "items", "get", "one")
}

// TestFullState fills the disk under a running up that must record, and makes room again.
func TestFullState(t *testing.T) {
	l := newLab(t)
	l.rest = "journal: {required: true}\n"
	l.small()
	s := l.up()
	create := func() int {
		status, _ := s.ask("POST", "/api/v1/call/lab.items.create", "", `{"name":"`+strings.Repeat("x", 2000)+`"}`)
		return status
	}
	if status := create(); status != 200 {
		t.Fatal(status)
	}
	ballast := filepath.Join(l.env["XDG_STATE_HOME"], "ballast")
	if err := os.WriteFile(ballast, make([]byte, 8<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	status := 200
	for n := 0; status == 200 && n < 500; n++ {
		status = create()
	}
	made := len(l.requests())
	if again := create(); status != 503 || again != 503 || len(l.requests()) != made {
		t.Errorf("answered %d and %d, and %d were made", status, again, len(l.requests())-made)
	}
	if status, text := s.ask("POST", "/api/v1/call/lab.items.get", "", `{"id":"one"}`); status != 200 {
		t.Errorf("reading: %d %s", status, text)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	for status := 503; status != 200; { // it tries again by itself
		if status = create(); status != 200 && status != 503 {
			t.Fatal(status)
		}
	}
	s.stop()
	if text := s.log.String(); strings.Count(text, "until it can") != 1 || strings.Count(text, "is written again") != 1 {
		t.Errorf("the log says %s", text)
	}
	l.must("calls", "verify")
}

// gate lets connections through to a database until it is shut: then it cuts all of them.
type gate struct {
	to   string
	mu   sync.Mutex
	shut bool
	open map[net.Conn]bool
}

func newGate(t *testing.T, to string) (*gate, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	g := &gate{to: to, open: map[net.Conn]bool{}}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go g.carry(conn)
		}
	}()
	return g, l.Addr().String()
}

func (g *gate) carry(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", g.to)
	if err != nil {
		return
	}
	defer far.Close()
	g.mu.Lock()
	if g.shut {
		g.mu.Unlock()
		return
	}
	g.open[near], g.open[far] = true, true
	g.mu.Unlock()
	go func() { _, _ = io.Copy(far, near); far.Close() }()
	_, _ = io.Copy(near, far)
}

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
	for conn := range g.open {
		conn.Close()
	}
	clear(g.open)
}

// tally counts what comes back, and lets a test wait for more of it.
type tally struct {
	news *sync.Cond
	n    map[string]int
}

func newTally() *tally { return &tally{sync.NewCond(&sync.Mutex{}), map[string]int{}} }

func (c *tally) add(what ...string) {
	c.news.L.Lock()
	defer c.news.L.Unlock()
	for _, one := range what {
		c.n[one]++
	}
	c.news.Broadcast()
}

// await returns when so many more have come.
func (c *tally) await(what string, more int) {
	c.news.L.Lock()
	defer c.news.L.Unlock()
	for want := c.n[what] + more; c.n[what] < want; {
		c.news.Wait()
	}
}

// TestDatabaseRestarts takes the database away from two instances in the middle of their work, and gives
// it back: what only reads goes on, what changes something is made with its record or not at all, and
// nothing that was answered is missing afterwards.
func TestDatabaseRestarts(t *testing.T) {
	dbtest.Each(t, os.Getenv("TWODOOR_POSTGRES"), func(t *testing.T, where string) {
		at, err := url.Parse(where)
		if err != nil || at.Scheme != "postgres" {
			t.Skip("a file is not restarted")
		}
		g, address := newGate(t, at.Host)
		at.Host = address
		l := newLab(t)
		l.env["LAB_STORE"], l.rest = at.String(), "store: \"${env:LAB_STORE}\"\njournal: {required: true}\n"
		both := []*server{l.up(), l.up()}
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		counts := newTally()
		for client := range 4 {
			all.Go(func() {
				s := both[client%2]
				for n := 0; ctx.Err() == nil; n++ {
					name := fmt.Sprintf("it-%d-%d", client, n)
					status, _ := s.ask("POST", "/api/v1/call/lab.items.create", "", fmt.Sprintf(`{"name":%q}`, name))
					read, _ := s.ask("POST", "/api/v1/call/lab.items.get", "", `{"id":"one"}`)
					counts.add(fmt.Sprint("create ", status), fmt.Sprint("get ", read))
				}
			})
		}
		counts.await("create 200", 20)
		g.set(true)
		counts.await("create 503", 4)
		g.set(false)
		counts.await("create 200", 20)
		stop()
		all.Wait()
		if t.Log(counts.n); len(counts.n) != 3 { // every get was answered
			t.Errorf("answered %v", counts.n)
		}
		for _, s := range both {
			s.stop()
			if text := s.log.String(); strings.Count(text, "until it can") != 1 || strings.Count(text, "is written again") != 1 {
				t.Errorf("the log says %s", text)
			}
		}
		l.mu.Lock()
		effects := append([]string{}, l.made...)
		l.mu.Unlock()
		records := l.must("calls", "op:lab.items.create", "--count", "100000", "-o", "jsonl")
		ended := map[string]bool{}
		for line := range strings.Lines(records) {
			var r struct{ Kind, Outcome, Arguments string }
			var args struct{ Arguments struct{ Name string } }
			_ = json.Unmarshal([]byte(line), &r)
			if err := json.Unmarshal([]byte(line), &args); err != nil {
				t.Fatal(err)
			}
			ended[args.Arguments.Name] = ended[args.Arguments.Name] || r.Kind == "call"
		}
		for _, body := range effects {
			var made struct{ Name string }
			if err := json.Unmarshal([]byte(body), &made); err != nil || !ended[made.Name] {
				t.Errorf("an effect without its record: %s", body)
			}
		}
		l.must("calls", "verify")
	})
}
