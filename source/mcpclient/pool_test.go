package mcpclient_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient"
)

func text(raw string) string {
	words, _ := rawjson.GetPath([]byte(raw), "content", "0", "text")
	out, _ := rawjson.String(words)
	return out
}

func pidOf(t *testing.T, pool *mcpclient.Pool) int {
	t.Helper()
	first, _, _ := strings.Cut(text(mustInvoke(t, pool, "pid", `{}`)), " ")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// gone waits until a process is no more.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}

// children counts the processes below this one.
func children(t *testing.T) int {
	t.Helper()
	out, err := exec.Command("ps", "-o", "pid=", "--ppid", strconv.Itoa(os.Getpid())).Output()
	if err != nil && len(out) == 0 {
		return 0
	}
	return len(strings.Fields(string(out))) - 1 // ps itself
}

func TestHundredFirstCallsStartOnce(t *testing.T) {
	pool := serve(t, local("legacy"))
	pids := make(chan string, 100)
	for range cap(pids) {
		go func() {
			raw, err := invoke(t.Context(), pool, "pid", `{}`)
			if err != nil {
				t.Error(err)
			}
			pids <- text(raw)
		}()
	}
	seen := map[string]bool{}
	for range cap(pids) {
		seen[<-pids] = true
	}
	if s := status(t, pool); len(seen) != 1 || s.Starts != 1 {
		t.Errorf("%d processes answered, %d starts", len(seen), s.Starts)
	}
}

func TestCrashInMidCall(t *testing.T) {
	pool := serve(t, local("legacy"))
	first := pidOf(t, pool)
	_, err := invoke(t.Context(), pool, "crash", `{}`)
	wantCode(t, err, twodoor.CodeUpstream, "status 3", "out of cheese", "not known")
	if s := status(t, pool); s.State != mcpclient.Stopped || !slices.Contains(s.Stderr, "out of cheese") || s.Fix == "" {
		t.Errorf("status %+v", s)
	}
	if second := pidOf(t, pool); second == first { // the first crash is forgiven at once
		t.Error("the dead one answered")
	}
	gone(t, first)
}

// A start that failed is not repeated before its time, and says why.
func TestDeadServerIsKnownToBeDown(t *testing.T) {
	server := local("dead")
	server.Env["KEY"] = "sk-very-secret"
	pool := serve(t, server)
	for range 20 {
		_, err := invoke(t.Context(), pool, "echo", `{}`)
		fault := wantCode(t, err, twodoor.CodeUnavailable, "status 4", "no licence, key ***")
		if strings.Contains(fault.Message, "sk-very") {
			t.Error("a secret came out")
		}
	}
	s := status(t, pool)
	if s.Starts > 2 || s.State != mcpclient.Failed || s.RetryAt.IsZero() || s.Reason == "" {
		t.Errorf("20 calls made %d starts: %+v", s.Starts, s)
	}
	pool.Retry("fake")
	_, err := invoke(t.Context(), pool, "echo", `{}`)
	wantCode(t, err, twodoor.CodeUnavailable)
	if n := status(t, pool).Starts; n == s.Starts {
		t.Error("Retry was not heard")
	}
}

func TestWrongCommand(t *testing.T) {
	pool := serve(t, mcpclient.Server{ID: "x", Command: "no-such-program-here"})
	_, err := invoke(t.Context(), pool, "echo", `{}`)
	wantCode(t, err, twodoor.CodeUnavailable, "no-such-program-here", "install it")
	_, err = invoke(t.Context(), serve(t, mcpclient.Server{ID: "x", URL: "http://127.0.0.1:1/mcp"}), "echo", `{}`)
	wantCode(t, err, twodoor.CodeUnavailable, "nobody answers")
	_, err = invoke(t.Context(), serve(t, mcpclient.Server{ID: "x", URL: "x", Command: "y"}), "echo", `{}`)
	wantCode(t, err, twodoor.CodeUnavailable, "command and a url")
	_, err = invoke(t.Context(), serve(t, mcpclient.Server{ID: "x", Command: "y", Disabled: true}), "echo", `{}`)
	wantCode(t, err, twodoor.CodeUnavailable, "switched off")
}

// One that hangs while it starts delays nobody: not the others, not the list of states.
func TestSlowServerDelaysNobody(t *testing.T) {
	pool := &mcpclient.Pool{Doer: &plain{}, Environ: os.Environ(), Start: 300 * time.Millisecond}
	pool.Serve(map[string]mcpclient.Server{"fake": local("modern"), "mute": local("mute")})
	defer pool.Close()
	pool.Warm()
	mustInvoke(t, pool, "echo", `{}`)
	states := map[string]mcpclient.State{}
	for _, s := range pool.Status() {
		states[s.Source] = s.State
	}
	if states["fake"] != mcpclient.Ready || states["mute"] != mcpclient.Starting {
		t.Errorf("states %v", states)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := (&mcpclient.Source{Name: "mute", Pool: pool}).Read(ctx)
	wantCode(t, err, twodoor.CodeUnavailable, "still starting")
	_, err = (&mcpclient.Source{Name: "mute", Pool: pool}).Read(t.Context())
	wantCode(t, err, twodoor.CodeUnavailable, "did not become ready in time")
}

// A caller who leaves is told to the server, and the connection goes on.
func TestClientGone(t *testing.T) {
	t.Run("program", func(t *testing.T) {
		pool := serve(t, local("legacy"))
		pid := pidOf(t, pool)
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { _, err := invoke(ctx, pool, "hang", `{}`); done <- err }()
		waitFor := func(want string) {
			for text(mustInvoke(t, pool, "canceled", `{}`)) != want {
				time.Sleep(time.Millisecond)
			}
		}
		waitFor("0 of 1")
		leave()
		wantCode(t, <-done, twodoor.CodeCanceled)
		waitFor("1 of 1")
		if pidOf(t, pool) != pid {
			t.Error("the program did not survive a caller who left")
		}
	})
	for _, mode := range []string{"modern", "legacy"} {
		t.Run(mode, func(t *testing.T) {
			web, url := newWeb(t, mode)
			pool := serve(t, mcpclient.Server{URL: url})
			mustInvoke(t, pool, "echo", `{}`)
			ctx, leave := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { _, err := invoke(ctx, pool, "hang", `{}`); done <- err }()
			for web.count("hanging") == 0 {
				time.Sleep(time.Millisecond)
			}
			leave()
			wantCode(t, <-done, twodoor.CodeCanceled)
			<-web.left
			mustInvoke(t, pool, "echo", `{}`)
			for mode == "legacy" && web.cancellations() == 0 {
				time.Sleep(time.Millisecond)
			}
		})
	}
}

// A hang ends with the time of the call; the program, which still answers, stays.
func TestHang(t *testing.T) {
	pool := serve(t, local("modern"))
	pid := pidOf(t, pool)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := invoke(ctx, pool, "hang", `{}`)
	wantCode(t, err, twodoor.CodeTimeout, "may have been carried out")
	if pidOf(t, pool) != pid {
		t.Error("a slow tool cost the whole server")
	}
}

// One that answers nothing any more is ended, and the next call starts it anew.
func TestFrozen(t *testing.T) {
	pool := &mcpclient.Pool{Environ: os.Environ(), Pulse: 50 * time.Millisecond}
	pool.Serve(map[string]mcpclient.Server{"fake": local("legacy-freezes")})
	defer pool.Close()
	pid := pidOf(t, pool)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := invoke(ctx, pool, "hang", `{}`)
	wantCode(t, err, twodoor.CodeTimeout)
	gone(t, pid)
	if pidOf(t, pool) == pid {
		t.Error("the frozen one answered")
	}
}

func TestProgress(t *testing.T) {
	web, url := newWeb(t, "modern")
	web.sse = true
	for _, server := range []mcpclient.Server{local("legacy"), local("modern"), {URL: url}} {
		pool := serve(t, server)
		var got []twodoor.Progress
		in := of("slow", `{}`)
		in.Progress = func(p twodoor.Progress) { got = append(got, p) }
		if _, err := (&mcpclient.Invoker{Pool: pool}).Invoke(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if len(got) != 3 || got[2] != (twodoor.Progress{Done: 3, Total: 3, Message: "step"}) {
			t.Errorf("progress %+v", got)
		}
	}
}

func TestIsolation(t *testing.T) {
	server := local("modern")
	server.Isolation = mcpclient.PerSession
	pool := serve(t, server)
	pid := func(session, subject string) string {
		in := of("pid", `{}`)
		in.Session, in.Principal.Subject = session, subject
		raw, err := (&mcpclient.Invoker{Pool: pool}).Result(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return text(string(raw))
	}
	if pid("a", "x") != pid("a", "y") {
		t.Error("one session has two programs")
	}
	if pid("a", "x") == pid("b", "x") || pid("", "b") == pid("b", "b") {
		t.Error("two sessions share a program")
	}
	if n := len(pool.Status()); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
	server.Isolation = mcpclient.PerPrincipal
	pool.Serve(map[string]mcpclient.Server{"fake": server})
	if pid("a", "x") != pid("b", "x") || pid("a", "x") == pid("a", "y") {
		t.Error("a program belongs to one principal")
	}
}

// Connections are bounded and freed: many sessions come and go with few programs at a time.
func TestAbandonedSessions(t *testing.T) {
	_, url := newWeb(t, "modern")
	pool := &mcpclient.Pool{Doer: &plain{}, MaxPer: 4}
	pool.Serve(map[string]mcpclient.Server{"fake": {URL: url, Isolation: mcpclient.PerSession}})
	defer pool.Close()
	for i := range 300 {
		in := of("echo", `{}`)
		in.Session = fmt.Sprint("session-", i)
		if _, err := (&mcpclient.Invoker{Pool: pool}).Result(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(pool.Status()); n > 4 {
		t.Errorf("%d connections are kept, want 4 at most", n)
	}
}

func TestIdleOnesEnd(t *testing.T) {
	pool := &mcpclient.Pool{Environ: os.Environ(), Idle: 30 * time.Millisecond}
	pool.Serve(map[string]mcpclient.Server{"fake": local("modern")})
	defer pool.Close()
	gone(t, pidOf(t, pool))
	if s := status(t, pool); s.State != mcpclient.Configured {
		t.Errorf("status %+v", s)
	}
	mustInvoke(t, pool, "echo", `{}`)
}

// A changed entry gets a new program, an unchanged one keeps its own, and calls under way end well.
func TestServeAgain(t *testing.T) {
	server := local("legacy")
	pool := serve(t, server)
	pid := pidOf(t, pool)
	server.Description = "other words"
	pool.Serve(map[string]mcpclient.Server{"fake": server})
	if pidOf(t, pool) != pid {
		t.Error("new words cost the program")
	}
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := invoke(ctx, pool, "hang", `{}`); done <- err }()
	for status(t, pool).Calls == 0 {
		time.Sleep(time.Millisecond)
	}
	changed := local("legacy")
	changed.Env["OWN"] = "2"
	pool.Serve(map[string]mcpclient.Server{"fake": changed})
	if now := text(mustInvoke(t, pool, "pid", `{}`)); !strings.HasSuffix(now, " 2") {
		t.Errorf("the old program answered: %s", now)
	}
	if syscall.Kill(pid, 0) != nil {
		t.Error("a call under way lost its program")
	}
	leave()
	<-done
	gone(t, pid)
	pool.Serve(nil)
	_, err := invoke(t.Context(), pool, "echo", `{}`)
	wantCode(t, err, twodoor.CodeUnavailable, "not configured")
}

// Children die with everything they started, and no process is left by many starts.
func TestNoProcessIsLeft(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 20
	}
	if os.Getenv("TWODOOR_REQUIRE") == "1" {
		rounds = 1000
	}
	before := children(t)
	for range rounds / 20 {
		pools := make([]*mcpclient.Pool, 20)
		var wg sync.WaitGroup
		for i := range pools {
			wg.Go(func() {
				pool := &mcpclient.Pool{Environ: os.Environ()}
				pool.Serve(map[string]mcpclient.Server{"fake": local([]string{"legacy", "legacy-child", "dead", "modern"}[i%4])})
				_, _ = invoke(t.Context(), pool, "echo", `{}`)
				pool.Close()
			})
		}
		wg.Wait()
	}
	if after := children(t); after != before {
		t.Errorf("%d children before, %d after", before, after)
	}
}

func TestEnvironmentOfChild(t *testing.T) {
	server := local("legacy")
	server.Pass = []string{"OWN"}
	pool := &mcpclient.Pool{Environ: append(os.Environ(), "OWN=passed", "AWS_SECRET=x")}
	pool.Serve(map[string]mcpclient.Server{"fake": server})
	defer pool.Close()
	if got := text(mustInvoke(t, pool, "pid", `{}`)); !strings.HasSuffix(got, " passed") {
		t.Errorf("the child saw %q", got)
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pidOf(t, pool)))
	if err == nil && strings.Contains(string(raw), "AWS_SECRET") {
		t.Error("the child sees what nobody passed to it")
	}
	pool.Expand = func(_ context.Context, text string) (string, error) {
		return strings.ReplaceAll(text, "${env:MODE}", "modern"), nil
	}
	server.Env = map[string]string{"FAKE": "${env:MODE}"}
	pool.Serve(map[string]mcpclient.Server{"fake": server})
	mustInvoke(t, pool, "echo", `{}`)
	if s := status(t, pool); s.Era != "2026-07-28" {
		t.Errorf("the reference was not resolved: %+v", s)
	}
}

func TestLargeResults(t *testing.T) {
	web, url := newWeb(t, "modern")
	for _, server := range []mcpclient.Server{local("legacy"), {URL: url}} {
		pool := serve(t, server)
		for _, size := range []int{1 << 20, 17 << 20} {
			raw := mustInvoke(t, pool, "large", fmt.Sprintf(`{"bytes":%d}`, size))
			if len(raw) < size {
				t.Errorf("%d bytes came of %d", len(raw), size)
			}
		}
	}
	web.sse = true
	for _, server := range []mcpclient.Server{local("legacy"), {URL: url}} { // over the bound: the call fails, the connection stays
		pool := &mcpclient.Pool{Doer: &plain{}, Environ: os.Environ(), MaxMessage: 1 << 20}
		pool.Serve(map[string]mcpclient.Server{"fake": server})
		mustInvoke(t, pool, "echo", `{}`)
		_, err := invoke(t.Context(), pool, "large", `{"bytes":3000000}`)
		wantCode(t, err, twodoor.CodeTooLarge)
		mustInvoke(t, pool, "echo", `{}`)
		if n := status(t, pool).Starts; n != 1 {
			t.Errorf("%d starts", n)
		}
		pool.Close()
	}
}

// The Doer hears on whose behalf a call is made.
func TestAccess(t *testing.T) {
	_, url := newWeb(t, "modern")
	doer := &plain{}
	pool := &mcpclient.Pool{Doer: doer}
	pool.Serve(map[string]mcpclient.Server{"fake": {URL: url}})
	defer pool.Close()
	catalog, err := twodoor.NewCatalog(read(t, pool))
	if err != nil {
		t.Fatal(err)
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{mcpclient.Kind: &mcpclient.Invoker{Pool: pool}}}
	engine.Serve(catalog)
	answer, err := engine.Do(t.Context(), twodoor.Call{Operation: "fake.echo", Arguments: []byte(`{"n":1152921504606846977}`), Account: "work", Principal: twodoor.Principal{Subject: "ann"}})
	if err != nil || string(answer.Value) != `{"n":1152921504606846977}` {
		t.Fatalf("got %+v, %v", answer, err)
	}
	last := doer.access[len(doer.access)-1]
	if last.Source != "fake" || last.Account != "work" || last.Principal.Subject != "ann" {
		t.Errorf("access %+v", last)
	}
}

// A burst of changes is told once.
func TestChangesAreTold(t *testing.T) {
	told := make(chan string, 10)
	pool := &mcpclient.Pool{Environ: os.Environ(), Changed: func(source string) { told <- source }}
	pool.Serve(map[string]mcpclient.Server{"fake": local("legacy-changes")})
	defer pool.Close()
	mustInvoke(t, pool, "echo", `{}`)
	if got := <-told; got != "fake" || len(told) > 0 {
		t.Errorf("told of %q, and %d more", got, len(told))
	}
}

// A program that comes back with other tools is told of, as is a server that says so on a stream.
func TestOtherToolsAfterRestart(t *testing.T) {
	told := make(chan string, 10)
	server := local("legacy-grows")
	server.Env["MARK"] = filepath.Join(t.TempDir(), "mark")
	pool := &mcpclient.Pool{Environ: os.Environ(), Changed: func(source string) { told <- source }}
	pool.Serve(map[string]mcpclient.Server{"fake": server})
	defer pool.Close()
	before := len(read(t, pool).Operations)
	_, _ = invoke(t.Context(), pool, "crash", `{}`)
	after := len(read(t, pool).Operations)
	if <-told != "fake" || after == before {
		t.Errorf("%d operations before the restart, %d after", before, after)
	}
}
