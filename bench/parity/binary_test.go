package parity

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
)

// perDescription is how many operations of each description the real binary calls.
const perDescription = 50

// TestParityBinary calls operations with the program itself: configuration, bundle, key, request
// over the network, answer on stdout.
func TestParityBinary(t *testing.T) {
	files := corpus(t)
	program := buildProgram(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), func(t *testing.T) {
			t.Parallel()
			h, err := build(file)
			if err != nil {
				t.Fatal(err)
			}
			p := newProgramRun(t, program, file, h)
			count := perDescription
			if testing.Short() {
				count /= 10
			}
			all := h.reading.Operations
			step := max(1, len(all)/count)
			for i := 0; i < len(all) && p.calls < count; i += step {
				op, _, err := h.engine.Catalog().Find(all[i].ID)
				if err != nil {
					t.Fatal(err)
				}
				p.call(op, i/step%2 == 0)
			}
			t.Logf("%s: the binary made %d calls in %v of CPU, the first of them compiling; %d mismatches", h.doc.name, p.calls, p.used.Round(time.Millisecond), p.trial.faults)
		})
	}
}

func buildProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "twodoor")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/twodoor/twodoor/cmd/twodoor").CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	return program
}

// programRun is a folder with a configuration, and the far side that it names.
type programRun struct {
	trial   *trial
	program string
	folder  string
	base    string
	far     *server
	calls   int
	used    time.Duration
}

func newProgramRun(t *testing.T, program, file string, h *house) *programRun {
	t.Helper()
	p := &programRun{trial: &trial{t: t, house: h}, program: program, folder: t.TempDir(), far: &server{stub: h.stub}}
	listening := httptest.NewServer(p.far)
	t.Cleanup(listening.Close)
	p.base = listening.URL + "/base/v9"
	if err := os.WriteFile(filepath.Join(p.folder, "twodoor.yaml"), p.config(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// config is the configuration as a person would write it.
func (p *programRun) config(file string) []byte {
	out := fmt.Appendf(nil, "sources:\n  api:\n    openapi: %q\n    target: %s\n", file, p.base)
	connections, _ := p.trial.house.doc.connections()
	if len(connections) == 0 {
		return out
	}
	out = append(out, "    connections:\n"...)
	for name := range connections {
		out = fmt.Appendf(out, "      %q: %q\n", name, plainName(name))
	}
	out = append(out, "connections:\n"...)
	for name, c := range connections {
		field := map[string]string{"bearer": "token", "basic": "user: user, password", "api-key": "key"}[string(c.Type)]
		out = fmt.Appendf(out, "  %s: {type: %s, %s: \"${env:DUMMY_KEY}\"}\n", plainName(name), c.Type, field)
	}
	return out
}

func plainName(name string) string { return "key-" + letters(name) }

// call runs the program once, and judges what it sent and said.
func (p *programRun) call(op *twodoor.Operation, most bool) {
	h := p.trial.house
	o := h.doc.operations[op.Origin]
	g := h.gift(op, most, 0)
	l, err := lineOf(op, &maker{resolve: h.definition}, g.args)
	if err != nil {
		p.trial.fault(op, "binary", show(g.args), err.Error())
		return
	}
	v := &visit{of: o, base: p.base}
	p.far.mu.Lock()
	p.far.visit = v
	p.far.mu.Unlock()
	ctx, cancel := context.WithTimeout(p.trial.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.program, append([]string{"--trust"}, l.words...)...)
	var out, said bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.folder, strings.NewReader(l.stdin), &out, &said
	cmd.Env = []string{"HOME=" + p.folder, "PATH=" + os.Getenv("PATH"), "DUMMY_KEY=" + key}
	err = cmd.Run()
	p.calls++
	p.used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	got := outcome{came: v.came, text: out.String(), note: said.String(), ok: err == nil}
	p.trial.judge(op, o, "binary", got, g)
	if got.ok {
		p.trial.answer(op, o, "binary", got)
	}
}
