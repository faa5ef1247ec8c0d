package smoke

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/twodoor/twodoor/internal/proc"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// errGone is the error of a server that has ended.
var errGone = errors.New("the server has ended")

// maxLine bounds a line of stdout.
const maxLine = 64 << 20

// pipes is a program spoken to over stdin and stdout.
type pipes struct {
	process *proc.Process
	ended   chan struct{} // closed at the end of stdout

	mu         sync.Mutex
	next       int
	waiting    map[string]chan *reply
	complaints []*rpcError // errors without an id
	stray      []string    // lines that are no protocol
	own        []string    // methods of the server's own requests
}

func startPipes(ctx context.Context, c proc.Command) (*pipes, error) {
	process, err := proc.Start(ctx, c)
	if err != nil {
		if proc.NotFound(err) {
			return nil, fmt.Errorf("there is no program %q", c.Path)
		}
		return nil, err
	}
	p := &pipes{process: process, ended: make(chan struct{}), waiting: map[string]chan *reply{}}
	go p.read()
	return p, nil
}

func (p *pipes) read() {
	defer close(p.ended)
	lines := bufio.NewScanner(p.process.Stdout)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		p.sort(bytes.TrimSuffix(lines.Bytes(), []byte{'\r'}))
	}
}

// sort gives a line to whom it is for.
func (p *pipes) sort(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var r reply
	version, _ := rawjson.Get(line, "jsonrpc")
	if rawjson.Check(line) != nil || string(version) != `"2.0"` || json.Unmarshal(line, &r) != nil {
		p.stray = append(p.stray, string(line))
		return
	}
	switch waiting := p.waiting[string(r.ID)]; {
	case r.Method != "" && r.ID != nil:
		p.own = append(p.own, r.Method)
		p.refuse(r)
	case r.Method != "": // a notification
	case waiting != nil:
		delete(p.waiting, string(r.ID))
		waiting <- &r
	case r.Error != nil:
		p.complaints = append(p.complaints, r.Error)
	default:
		p.stray = append(p.stray, string(line))
	}
}

// refuse answers a request of the server: nothing is offered to it but a ping.
func (p *pipes) refuse(r reply) {
	answer := `"error":{"code":-32601,"message":"not offered"}`
	if r.Method == "ping" {
		answer = `"result":{}`
	}
	line := fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", r.ID, answer)
	go func() { _, _ = p.process.Stdin.Write([]byte(line)) }()
}

func (p *pipes) send(id int, method string, params json.RawMessage) error {
	if _, err := p.process.Stdin.Write(append(request(id, method, params), '\n')); err != nil {
		return p.gone()
	}
	return nil
}

func (p *pipes) expect() (id int, answer chan *reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	answer = make(chan *reply, 1)
	p.waiting[strconv.Itoa(p.next)] = answer
	return p.next, answer
}

func (p *pipes) ask(ctx context.Context, method string, params json.RawMessage) (*reply, error) {
	id, answer := p.expect()
	if err := p.send(id, method, params); err != nil {
		return nil, err
	}
	return p.await(ctx, answer)
}

func (p *pipes) await(ctx context.Context, answer <-chan *reply) (*reply, error) {
	select {
	case r := <-answer:
		return r, nil
	case <-ctx.Done():
		return nil, errSilent
	case <-p.ended:
	}
	select {
	case r := <-answer: // its last words
		return r, nil
	default:
		return nil, p.gone()
	}
}

// gone is the error of a server that has ended, with the last it said.
func (p *pipes) gone() error {
	p.process.Kill()
	err := p.process.Wait()
	told := ""
	if lines := p.process.Stderr(); len(lines) > 0 {
		told = ": " + cut(lines[len(lines)-1])
	}
	if code := proc.ExitCode(err); code >= 0 {
		return fmt.Errorf("%w with exit status %d%s", errGone, code, told)
	}
	return fmt.Errorf("%w%s", errGone, told)
}

func (p *pipes) tell(_ context.Context, method string) error { return p.send(0, method, nil) }

func (p *pipes) malformed(context.Context) (string, error) {
	if _, err := p.process.Stdin.Write([]byte("{\"jsonrpc\":\"2.0\",\"id\":\n")); err != nil {
		return "", p.gone()
	}
	return "", nil
}

// complaint is what the server said to the malformed line.
func (p *pipes) complaint() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.complaints) == 0 {
		return "ignored it"
	}
	return "answered " + strconv.Itoa(p.complaints[0].Code)
}

// last sends a request and ends the input at once; it waits for the answer.
func (p *pipes) last(ctx context.Context, method string, params json.RawMessage) error {
	id, answer := p.expect()
	if err := p.send(id, method, params); err != nil {
		return err
	}
	if err := p.process.Stdin.Close(); err != nil {
		return p.gone()
	}
	_, err := p.await(ctx, answer)
	return err
}

// leave waits for the server to end by itself.
func (p *pipes) leave(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return errors.New("still running long after its input ended")
	case <-p.process.Done():
	}
	if code := proc.ExitCode(p.process.Wait()); code != 0 {
		return fmt.Errorf("it left with exit status %d, not 0", code)
	}
	return nil
}

// purity says whether stdout carried protocol alone.
func (p *pipes) purity(e era) (string, error) {
	p.close()
	<-p.ended
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.stray) > 0 {
		return "", fmt.Errorf("%d lines are no protocol, the first is %q", len(p.stray), cut(p.stray[0]))
	}
	if _, ok := e.(modern); ok && len(p.own) > 0 {
		return "", fmt.Errorf("it sent a request of its own (%s), which this revision forbids", p.own[0])
	}
	return "nothing but protocol", nil
}

func (p *pipes) close() {
	p.process.Kill()
	_ = p.process.Wait()
}
