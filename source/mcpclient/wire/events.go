package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Events is the HTTP+SSE transport of 2024-11-05: one stream of events for everything that the
// server says, and a POST to the address that its first event names for each message to it.
type Events struct {
	*mux
	to      string
	do      Send
	stop    context.CancelFunc
	closing sync.Once
}

// OpenEvents opens the stream and waits for the address. The context bounds the opening only.
func OpenEvents(ctx context.Context, address string, do Send, longest int, in Inbound) (*Events, error) {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	unbind := context.AfterFunc(ctx, stop)
	e := &Events{do: do, stop: stop}
	e.mux = newMux(in, e.post)
	stream, body, err := e.open(life, address, longest)
	if err == nil && !unbind() {
		body.Close()
		err = ctx.Err()
	}
	if err != nil {
		stop()
		return nil, err
	}
	go e.read(stream, body)
	return e, nil
}

func (e *Events) open(ctx context.Context, address string, longest int) (*eventReader, io.Closer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := e.do(req)
	if err != nil {
		return nil, nil, err
	}
	stream, err := e.greet(resp, address, longest)
	if err != nil {
		resp.Body.Close()
		return nil, nil, err
	}
	return stream, resp.Body, nil
}

// greet reads the first event, which names the address of the messages.
func (e *Events) greet(resp *http.Response, address string, longest int) (*eventReader, error) {
	if resp.StatusCode/100 != 2 {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxBody))
		return nil, &StatusError{Status: resp.StatusCode, Header: resp.Header, Body: body}
	}
	if mediaType(resp) != "text/event-stream" {
		return nil, ErrNoStream
	}
	if longest <= 0 {
		longest = DefaultMax
	}
	stream := newEventReader(resp.Body, longest)
	for {
		ev, err := stream.next()
		if err != nil {
			return nil, fmt.Errorf("wait for the endpoint event: %w", err)
		}
		if ev.name == "endpoint" {
			e.to, err = sameOrigin(address, string(bytes.TrimSpace(ev.data)))
			return stream, err
		}
	}
}

// sameOrigin resolves the address of the messages. Another origin would get our keys.
func sameOrigin(base, to string) (string, error) {
	from, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	target, err := from.Parse(to)
	if err != nil {
		return "", fmt.Errorf("read the endpoint %q: %w", to, err)
	}
	if target.Scheme != from.Scheme || target.Host != from.Host {
		return "", fmt.Errorf("the server sends its messages to another origin, %s://%s, which is refused", target.Scheme, target.Host)
	}
	return target.String(), nil
}

func (e *Events) read(stream *eventReader, body io.Closer) {
	defer body.Close()
	for {
		ev, err := stream.next()
		if errors.Is(err, io.EOF) {
			err = ErrNoAnswer
		}
		if err != nil {
			e.die(err)
			return
		}
		if ev.name == "" || ev.name == "message" {
			_ = e.take(ev.data) // an event that is no message says nothing to us
		}
	}
}

func (e *Events) post(ctx context.Context, line []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.to, bytes.NewReader(line))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := e.do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if resp.StatusCode/100 != 2 {
		return &StatusError{Status: resp.StatusCode, Header: resp.Header, Body: body}
	}
	return nil
}

// Close ends the stream.
func (e *Events) Close(time.Duration) {
	e.closing.Do(func() {
		e.die(ErrClosed)
		e.stop()
	})
}
