package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
)

func TestAFailingProgramIsAFaultThatEndsWithItsWords(t *testing.T) {
	h := serve(t, `
program: PROGRAM
verbs:
  a.fail:  {argv: [play-fail]}
  a.code:  {argv: [play-fail], faults: {3: not_found}}
  a.fine:  {argv: [play-fail], success: [0, 3], output: none}
  a.mute:  {argv: [play-ask]}
  a.none:  {program: no-such-program-of-this-name, argv: []}
  a.local: {program: ./no-such-program, argv: []}
`)
	fault := h.refusal(t, "tool.a.fail", `{}`, twodoor.CodeUpstream)
	if !strings.HasSuffix(fault.Message, "ended with status 3: first words\nlast words") {
		t.Errorf("told %q", fault.Message)
	}
	if body := string(fault.Upstream.Body); fault.Upstream.Status != 3 || body != `"first words\nlast words"` {
		t.Errorf("the far side's own: %d %s", fault.Upstream.Status, body)
	}
	h.refusal(t, "tool.a.code", `{}`, twodoor.CodeNotFound)
	if got := h.answer(t, "tool.a.fine", `{}`); got != "" {
		t.Errorf("answered %s", got)
	}
	if fault := h.refusal(t, "tool.a.mute", `{}`, twodoor.CodeUpstream); !strings.Contains(fault.Message, "it has no terminal") {
		t.Errorf("a program that asks: %q", fault.Message)
	}
	h.refusal(t, "tool.a.none", `{}`, twodoor.CodeUnavailable)
	h.refusal(t, "tool.a.local", `{}`, twodoor.CodeUnavailable)
}

func TestOutputIsBounded(t *testing.T) {
	h := serve(t, `
program: PROGRAM
verbs:
  a.flood: {argv: [play-flood], max_bytes: 64KiB}
  a.much:  {argv: [play-flood], max_bytes: 8MiB}
`)
	h.refusal(t, "tool.a.flood", `{}`, twodoor.CodeTooLarge)
	if got := h.answer(t, "tool.a.much", `{}`); len(got) < 4<<20 {
		t.Errorf("%d bytes came", len(got))
	}
}

// alive reports whether a process is there and no zombie.
func alive(t *testing.T, pid string) bool {
	t.Helper()
	state, err := os.ReadFile("/proc/" + pid + "/stat")
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(state), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestADeadlineKillsTheTreeThatIgnoresBeingAsked(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("this system does not list its processes under /proc")
	}
	h := serve(t, `
program: PROGRAM
verbs: {a.deaf: {argv: [play-deaf, "{file}"], params: {file: string}}}
`)
	file := filepath.Join(h.dir, "pids")
	end := map[twodoor.Code]func() (context.Context, context.CancelFunc){
		twodoor.CodeTimeout: func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 500*time.Millisecond)
		},
		twodoor.CodeCanceled: func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				for !isThere(file) {
					time.Sleep(time.Millisecond)
				}
				cancel()
			}()
			return ctx, cancel
		},
	}
	for code, begin := range end {
		_ = os.Remove(file)
		ctx, cancel := begin()
		_, err := h.do(ctx, "tool.a.deaf", `{"file":"`+file+`"}`)
		cancel()
		if twodoor.AsError(err).Code != code {
			t.Errorf("ended with %s, want %s", told(err), code)
		}
		if code == twodoor.CodeTimeout && (!strings.Contains(told(err), "waiting for an answer") || !strings.Contains(twodoor.AsError(err).Hint, "no terminal")) {
			t.Errorf("told %s, hint %q", told(err), twodoor.AsError(err).Hint)
		}
		pids, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, pid := range strings.Fields(string(pids)) {
			if alive(t, pid) {
				t.Errorf("process %s outlived the call that was %s", pid, code)
			}
		}
	}
}

func isThere(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Size() > 0
}

// A child that stays behind with our pipes in its hands holds up neither the call nor the next one.
func TestAChildLeftBehindGoesToo(t *testing.T) {
	h := serve(t, "program: PROGRAM\nverbs: {a.leave: {argv: [play-leave], stdin: words}, a.cat: {argv: [play-cat]}}")
	if got := h.answer(t, "tool.a.leave", `{}`); got != `"gone"` {
		t.Errorf("answered %s", got)
	}
	if got := h.answer(t, "tool.a.cat", `{}`); got != `""` {
		t.Errorf("a program without input read %s", got)
	}
}

func TestInput(t *testing.T) {
	h := serve(t, `
program: PROGRAM
verbs:
  a.text: {argv: [play-cat], stdin: "say: {v}", params: {v: text}}
  a.json: {argv: [play-cat], stdin: "{v}", params: {v: object}, output: json}
  a.deaf: {argv: [play-print, ok], stdin: "{v}", params: {v: text}}
`)
	if got := h.answer(t, "tool.a.text", `{"v":"-a\nb"}`); got != `"say: -a\nb"` {
		t.Errorf("read %s", got)
	}
	if got := h.answer(t, "tool.a.json", `{"v":{"n":1152921504606846977,"z":1,"a":2}}`); got != `{"n":1152921504606846977,"z":1,"a":2}` {
		t.Errorf("read %s", got)
	}
	if got := h.answer(t, "tool.a.deaf", string(must(json.Marshal(map[string]string{"v": strings.Repeat("x", 1<<20)})))); got != `"ok"` {
		t.Errorf("a program that reads no input: %s", got)
	}
}

func TestEnvironment(t *testing.T) {
	h := serve(t, `
program: PROGRAM
env: {GIVEN: "{v}", KEY: "k-${env:SECRET_OF_TEST}"}
pass: [PASSED_OF_TEST]
params: {v: string}
verbs:
  a.env: {argv: [play-env, GIVEN, KEY, PASSED_OF_TEST, HIDDEN_OF_TEST, TERM]}
`)
	h.invoker.Environ = append(slices.Clone(h.invoker.Environ), "PASSED_OF_TEST=passed", "HIDDEN_OF_TEST=hidden", "TERM=xterm")
	h.invoker.Expand = func(_ context.Context, text string) (string, error) {
		return strings.ReplaceAll(text, "${env:SECRET_OF_TEST}", "swordfish"), nil
	}
	want := `"GIVEN=${env:SECRET_OF_TEST}\nKEY=k-***\nPASSED_OF_TEST=passed\nHIDDEN_OF_TEST=\nTERM=dumb"`
	if got := h.answer(t, "tool.a.env", `{"v":"${env:SECRET_OF_TEST}"}`); got != want {
		t.Errorf("saw %s", got)
	}
	result, err := h.Do(t.Context(), twodoor.Call{Operation: "tool.a.env", Arguments: json.RawMessage(`{"v":"x y"}`), Principal: twodoor.Operator, Mode: twodoor.DryRun})
	if err != nil || !strings.HasPrefix(result.Preview.Text, "GIVEN='x y' KEY='k-***' ") {
		t.Errorf("a dry run shows %v, %v", result, err)
	}
}

func TestChains(t *testing.T) {
	h := serve(t, `
program: PROGRAM
verbs:
  a.pipe: {steps: [{argv: [play-print, "{v}"]}, {argv: [play-cat], pipe: true}], params: {v: string}}
  a.value: {steps: [{argv: [play-print, "{v}"], as: made}, {argv: [play-args, "{made}"]}], params: {v: text}, output: json}
  a.stop: {steps: [{argv: [play-fail]}, {argv: [play-print, "{v}"]}], params: {v: {type: string, default: x}}}
  a.go-on: {steps: [{argv: [play-fail], may_fail: true}, {argv: [play-print, ok]}]}
`)
	if got := h.answer(t, "tool.a.pipe", `{"v":"words"}`); got != `"words"` {
		t.Errorf("a pipe carried %s", got)
	}
	if got := h.answer(t, "tool.a.value", `{"v":"made"}`); got != `["made"]` {
		t.Errorf("a value was %s", got)
	}
	if fault := h.refusal(t, "tool.a.stop", `{}`, twodoor.CodeUpstream); !strings.HasPrefix(fault.Message, "step 1 of 2: ") {
		t.Errorf("told %q", fault.Message)
	}
	if got := h.answer(t, "tool.a.go-on", `{}`); got != `"ok"` {
		t.Errorf("a step that may fail: %s", got)
	}
}

// A value that a program prints is guarded like one that a caller gives.
func TestAMadeValueIsGuarded(t *testing.T) {
	h := serve(t, `
program: PROGRAM
verbs: {a.value: {steps: [{argv: [play-cat], stdin: "{v}", as: made}, {argv: [play-args, "{made}"]}], params: {v: text}, output: json}}
`)
	if got := h.answer(t, "tool.a.value", `{"v":"fine"}`); got != `["fine"]` {
		t.Errorf("ran with %s", got)
	}
	h.refusal(t, "tool.a.value", `{"v":"--output=x"}`, twodoor.CodeInvalid)
}

func TestConcurrentCalls(t *testing.T) {
	h := serve(t, "program: PROGRAM\nverbs: {a.args: {argv: [play-args, '{v}'], params: {v: string}, output: json}}")
	h.invoker.Most = 8
	var wait sync.WaitGroup
	for i := range 100 {
		wait.Go(func() {
			result, err := h.do(t.Context(), "tool.a.args", fmt.Sprintf(`{"v":"call %d"}`, i))
			if want := fmt.Sprintf(`["call %d"]`, i); err != nil || string(result.Value) != want {
				t.Errorf("call %d: %v, %v", i, result, err)
			}
		})
	}
	wait.Wait()
}

// Calls of one session are made one after the other, in the order in which they came, whole; those of
// another do not wait for them.
func TestSessions(t *testing.T) {
	h := serve(t, `
program: PROGRAM
session: s
verbs:
  a.append: {argv: [play-append, "{s}", "{v}"], params: {s: string, v: string}, output: none}
  a.begin:  {argv: [play-begin, "{s}"], params: {s: string}}
`)
	var wait sync.WaitGroup
	for i := range 10 {
		for _, file := range []string{"one", "two"} {
			path := filepath.Join(h.dir, file)
			wait.Go(func() {
				if _, err := h.do(t.Context(), "tool.a.append", fmt.Sprintf(`{"s":%q,"v":"%d"}`, path, i)); err != nil {
					t.Error(told(err))
				}
			})
		}
	}
	wait.Wait()
	for _, file := range []string{"one", "two"} {
		text, err := os.ReadFile(filepath.Join(h.dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if !strings.Contains(string(text), fmt.Sprintf("<%d%d>", i, i)) {
				t.Errorf("calls of one session ran at the same time: %s", text)
			}
		}
	}
	waiting := filepath.Join(h.dir, "waiting")
	done := make(chan error)
	go func() {
		_, err := h.do(t.Context(), "tool.a.begin", fmt.Sprintf(`{"s":%q}`, waiting))
		done <- err
	}()
	h.answer(t, "tool.a.append", fmt.Sprintf(`{"s":%q,"v":"x"}`, filepath.Join(h.dir, "other")))
	left, leave := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer leave()
	if _, err := h.do(left, "tool.a.begin", fmt.Sprintf(`{"s":%q}`, waiting)); twodoor.AsError(err) == nil {
		t.Error("a call overtook the one before it in its session")
	}
	if err := os.WriteFile(waiting, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(told(err))
	}
}

func TestDryRunStartsNothing(t *testing.T) {
	h := serve(t, `
program: no-such-program-of-this-name
dir: "{in}"
params: {in: {type: string, default: .}}
verbs: {a.b: {steps: [{argv: [one, "{v}"], stdin: "it's"}, {argv: [two], pipe: true}], params: {v: text}}}
`)
	call := twodoor.Call{Operation: "tool.a.b", Arguments: json.RawMessage(`{"v":"x y"}`), Principal: twodoor.Operator, Mode: twodoor.DryRun}
	result, err := h.Do(t.Context(), call)
	if err != nil {
		t.Fatal(told(err))
	}
	want := `cd . && no-such-program-of-this-name one 'x y' <<< 'it'\''s' | cd . && no-such-program-of-this-name two` + "\n"
	if result.Preview.Text != want {
		t.Errorf("shows %q", result.Preview.Text)
	}
	call.Arguments = json.RawMessage(`{"v":"-x"}`)
	if _, err := h.Do(t.Context(), call); twodoor.AsError(err).Code != twodoor.CodeInvalid {
		t.Errorf("a dry run of what is refused: %v", err)
	}
}
