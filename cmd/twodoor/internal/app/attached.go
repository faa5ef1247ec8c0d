package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"slices"
	"sync"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// attached carries calls of tools over the connections of the running up of this configuration, where
// there is one: its servers run already, and keep their state between two lines. Else it starts them.
type attached struct {
	run *run
	own *mcpclient.Invoker
}

// question is a call that is asked of the running up over its socket.
type question struct {
	Operation string          `json:"operation"`
	Arguments json.RawMessage `json:"arguments"`
	Account   string          `json:"account,omitempty"`
}

// reply is a line of the answer: how far the call is, and last its result or its fault.
type reply struct {
	Progress *twodoor.Progress `json:"progress,omitempty"`
	Result   json.RawMessage   `json:"result,omitempty"` // a CallToolResult as its server wrote it
	Fault    json.RawMessage   `json:"fault,omitempty"`
	Unknown  bool              `json:"unknown,omitempty"` // it has no such operation: nothing was called
}

// Invoke makes one call.
func (v *attached) Invoke(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	conn, err := v.run.attach(v.run.site.File)
	if err != nil || len(in.Declared) > 0 { // questions of the server find their caller here only
		if err == nil {
			conn.Close()
		}
		return v.own.Invoke(ctx, in)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	last, begun, err := ask(conn, question{in.Operation.ID, in.Arguments, in.Account}, in.Progress)
	switch {
	case ctx.Err() != nil:
		return nil, interrupted(ctx)
	case err != nil && begun:
		return nil, &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "the running twodoor up has ended in the middle of the call", Hint: "whether the call was carried out is not known: look before you repeat it", Cause: err}
	case err != nil || last.Unknown:
		return v.own.Invoke(ctx, in)
	case last.Fault != nil:
		return nil, faultOf(last.Fault)
	}
	return mcpclient.ValueOf(in.Operation.Source(), last.Result)
}

// Preview shows the request that a call would be.
func (v *attached) Preview(ctx context.Context, in *twodoor.Invocation) (*twodoor.Preview, error) {
	return v.own.Preview(ctx, in)
}

func interrupted(ctx context.Context) error {
	if ctx.Err() == context.DeadlineExceeded {
		return &twodoor.Error{Code: twodoor.CodeTimeout, Message: "the far side did not answer within the time of the call", Hint: "ask for less, or give the call more time; a call that changes something may have been carried out", Cause: ctx.Err()}
	}
	return ctx.Err()
}

// ask puts a question and reads the answer to its end. It tells whether the question may have been taken.
func ask(conn *net.UnixConn, q question, tell func(twodoor.Progress)) (last reply, begun bool, err error) {
	hello, err := json.Marshal(greeting{Ask: askCall})
	if err != nil {
		return reply{}, false, err
	}
	line, err := json.Marshal(q)
	if err != nil {
		return reply{}, false, err
	}
	if _, err := conn.Write(slices.Concat(hello, []byte("\n"), line, []byte("\n"))); err != nil {
		return reply{}, false, err
	}
	for lines := bufio.NewReaderSize(conn, 64<<10); ; begun = true {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return reply{}, begun, err
		}
		var r reply
		if err := json.Unmarshal(text, &r); err != nil {
			return reply{}, begun, err
		}
		if r.Progress == nil {
			return r, true, nil
		}
		if tell != nil && *r.Progress != (twodoor.Progress{}) {
			tell(*r.Progress)
		}
	}
}

// faultOf reads a fault as it was told.
func faultOf(raw json.RawMessage) error {
	fault := &twodoor.Error{}
	told := struct {
		Code     twodoor.Code
		Message  string
		Hint     string
		Try      []string
		Upstream *twodoor.UpstreamFault
	}{}
	if err := json.Unmarshal(raw, &told); err != nil {
		return err
	}
	fault.Code, fault.Message, fault.Hint, fault.Try, fault.Upstream = told.Code, told.Message, told.Hint, told.Try, told.Upstream
	return fault
}

// carry answers a question over the socket. Who asks and leaves ends the call.
func (s *socket) carry(ctx context.Context, conn *net.UnixConn, in *bufio.Reader) {
	var q question
	if line, err := in.ReadBytes('\n'); err != nil || json.Unmarshal(line, &q) != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in) // its end is the end of whoever asks, or of our own taking more
		if !s.draining() {
			cancel()
		}
	}()
	var writing sync.Mutex
	say := func(r reply) {
		writing.Lock()
		defer writing.Unlock()
		_, _ = conn.Write(lineOfReply(r)) // the asker left: nobody to tell
	}
	run := s.live.current()
	op, _, err := run.opened.catalog.Find(q.Operation)
	if err != nil || op == nil || op.Kind != mcpclient.Kind {
		say(reply{Unknown: true})
		return
	}
	say(reply{Progress: &twodoor.Progress{}}) // it is taken
	result, err := (&mcpclient.Invoker{Pool: &run.far.pool}).Result(ctx, &twodoor.Invocation{
		Operation: op, Arguments: q.Arguments, Principal: twodoor.Operator, Account: q.Account,
		Progress: func(p twodoor.Progress) { say(reply{Progress: &p}) },
	})
	if err != nil {
		fault, _ := json.Marshal(twodoor.AsError(err)) // of texts: it cannot fail
		say(reply{Fault: fault})
		return
	}
	say(reply{Result: result})
}

func (s *socket) draining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// lineOfReply is a reply in one line, results as they were written.
func lineOfReply(r reply) []byte {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	_ = to.Encode(r) // of texts and JSON that was checked
	return b.Bytes()
}
