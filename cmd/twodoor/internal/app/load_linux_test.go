package app_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twodoor/twodoor/internal/sqldb/dbtest"
)

var soak = flag.Duration("soak", 2*time.Second, "how long TestLoad runs; from 10 s on TestKilled kills twenty times")

// program is the program itself, built once for all tests.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "twodoor")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "twodoor")
	out, err := exec.Command("go", "build", "-o", path, "github.com/twodoor/twodoor/cmd/twodoor").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// process is the program as a process of its own.
type process struct {
	*server
	cmd *exec.Cmd
}

func (l *lab) process() *process {
	l.t.Helper()
	if testing.Short() {
		l.t.Skip("builds and starts the program")
	}
	path, err := program()
	if err != nil {
		l.t.Fatal(err)
	}
	log := &lines{}
	l.app(nil, nil, nil) // writes the configuration
	cmd := exec.Command(path, "up", "--listen", "127.0.0.1:0", "-o", "json")
	cmd.Dir, cmd.Stderr = l.dir, log
	for name, value := range maps.All(l.env) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	var told struct{ URL, Token string }
	if err := json.NewDecoder(out).Decode(&told); err != nil {
		l.t.Fatalf("up says nothing: %v\n%s", err, log)
	}
	var once sync.Once
	end := func(signal os.Signal) func() int {
		return func() int {
			once.Do(func() { _ = cmd.Process.Signal(signal); _ = cmd.Wait() })
			return cmd.ProcessState.ExitCode()
		}
	}
	p := &process{&server{l, strings.TrimSuffix(told.URL, "/mcp"), told.Token, end(os.Interrupt), log}, cmd}
	l.t.Cleanup(func() { end(os.Kill)() })
	return p
}

// spent is the time of the processor that the process has taken.
func (p *process) spent() time.Duration {
	var all time.Duration
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		var ns int64
		if n, _ := fmt.Sscan(string(text), &ns); err != nil || n == 0 {
			p.l.t.Fatalf("%s says %q, %v", task, text, err)
		}
		all += time.Duration(ns)
	}
	return all
}

// post makes a call and reports whether it was answered with 200; fault: it was not answered.
func (p *process) post(client *http.Client, operation, body string) (ok bool, fault error) {
	req, err := http.NewRequest(http.MethodPost, p.url+"/api/v1/call/"+operation, strings.NewReader(body))
	if err != nil {
		return false, err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	resp, err := client.Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode == http.StatusOK, err
}

// load is 16 clients with 500 calls a second between them. It returns how many were answered, and what
// the process spent on all of them.
func (p *process) load(long time.Duration) (answered int, spent time.Duration) {
	const clients, rate = 16, 500
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	counts := newTally()
	tick := time.NewTicker(time.Second * clients / rate)
	defer tick.Stop()
	before := p.spent()
	var all sync.WaitGroup
	for range int(long * rate / clients / time.Second) {
		<-tick.C
		for range clients {
			all.Go(func() {
				ok, err := p.post(client, "lab.items.get", `{"id":"one"}`)
				counts.add(fmt.Sprint(ok, err))
			})
		}
	}
	all.Wait()
	if len(counts.n) != 1 {
		p.l.t.Errorf("answered %v", counts.n)
	}
	return counts.n["true <nil>"], p.spent() - before
}

// TestLoad makes 500 calls a second from 16 clients at the program: every call that was answered is in
// the journal, and the chain holds. A second program without a store does the same, in turns of a
// second, so that both have the same machine: the difference is what the store costs.
func TestLoad(t *testing.T) {
	l, bare := newLab(t), newLab(t)
	bare.env["XDG_STATE_HOME"], bare.env["TWODOOR_TOKEN"] = "/dev/null", "a-token-of-the-operator" // nothing can be kept
	p, q := l.process(), bare.process()
	answered, _ := p.load(time.Second) // warm
	q.load(time.Second)
	var with, without time.Duration
	calls := 0
	for range max(1, int(*soak/time.Second)) {
		n, spent := p.load(time.Second)
		calls, with = calls+n, with+spent
		_, spent = q.load(time.Second)
		without += spent
	}
	p.stop()
	each := func(d time.Duration) time.Duration { return (d / time.Duration(calls)).Round(100 * time.Nanosecond) }
	t.Logf("%d calls: %v of the processor each, %v without a store: it costs %v", calls, each(with), each(without), each(with-without))
	answered += calls
	rows := len(strings.Split(strings.TrimSpace(l.must("calls", "op:lab.items.get", "--count", "1000000", "-o", "jsonl")), "\n"))
	if rows != answered {
		t.Errorf("%d calls were answered, and %d are in the journal", answered, rows)
	}
	if text := p.log.String(); strings.Contains(text, "lost") || strings.Contains(text, "dropped") {
		t.Error(text)
	}
	l.must("calls", "verify")
}

// TestKilled kills the program at random moments of its work: no effect without its intent, no answer
// lost that was given 100 ms before, and the store whole.
func TestKilled(t *testing.T) {
	kills := 3
	if *soak >= 10*time.Second {
		kills = 20
	}
	l := newLab(t)
	l.rest = "journal: {required: true}\n"
	type answer struct {
		name   string
		before time.Duration // the kill
	}
	var answers []answer
	for round := range kills {
		p := l.process()
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
		given := map[string]time.Time{}
		var mu sync.Mutex
		var all sync.WaitGroup
		counts := newTally()
		for worker := range 4 {
			all.Go(func() {
				for n := 0; ; n++ {
					name := fmt.Sprintf("it-%d-%d-%d", round, worker, n)
					operation, body := "lab.items.get", fmt.Sprintf(`{"id":%q}`, name)
					if n%3 == 0 {
						operation, body = "lab.items.create", fmt.Sprintf(`{"name":%q}`, name)
					}
					ok, err := p.post(client, operation, body)
					if err != nil {
						return // it is dead
					}
					mu.Lock()
					given[name] = time.Now()
					mu.Unlock()
					counts.add(fmt.Sprint(ok))
				}
			})
		}
		counts.await("true", 30+rand.IntN(300))
		killed := time.Now()
		_ = p.cmd.Process.Signal(syscall.SIGKILL)
		all.Wait()
		client.CloseIdleConnections()
		for name, at := range given {
			answers = append(answers, answer{name, killed.Sub(at)})
		}
	}
	records := l.must("calls", "--count", "1000000", "-o", "jsonl") // takes up what was left
	l.must("calls", "verify")
	kept := map[string]bool{}
	for line := range strings.Lines(records) {
		var r struct {
			Kind      string
			Arguments struct{ ID, Name string }
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		kept[r.Kind+" "+r.Arguments.ID+r.Arguments.Name] = true
	}
	late := 0
	for _, a := range answers {
		if kept["call "+a.name] {
			continue
		}
		if late++; a.before > 100*time.Millisecond {
			t.Errorf("an answer was lost %v before the kill: %s", a.before, a.name)
		}
	}
	l.mu.Lock()
	effects := append([]string{}, l.made...)
	l.mu.Unlock()
	files, _ := filepath.Glob(l.dir + "/state/twodoor/stores/*/store.db")
	db := dbtest.Open(t, files[0])
	for _, body := range effects {
		var made struct{ Name string }
		_ = json.Unmarshal([]byte(body), &made)
		var n int
		if _, err := db.One(t.Context(), "SELECT count(*) FROM journal_records WHERE kind = 'intent' AND record LIKE ?", []any{`%"name":"` + made.Name + `"%`}, &n); err != nil || n != 1 {
			t.Errorf("%d intents of the effect %s, %v", n, body, err)
		}
	}
	if err := db.Check(t.Context(), false); err != nil {
		t.Error(err)
	}
	t.Logf("%d kills, %d answers, %d of the last moment lost, %d effects, each with its intent", kills, len(answers), late, len(effects))
}
