package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/rest"
	"github.com/twodoor/twodoor/journal"
)

// calls reads the journal of this process, as the REST door wants it.
type calls struct{ journal *journal.Journal }

// callPage is a part of the calls that were made.
type callPage struct {
	Calls []journal.Record `json:"calls"`
	Next  string           `json:"next,omitempty"`
}

// callStory is everything that is known of a call.
type callStory struct {
	CallID   string           `json:"call_id"`
	Records  []journal.Record `json:"records"`            // its intent where it had one, and its end
	Children []journal.Record `json:"children,omitempty"` // the calls that it made
}

// List is the calls that a query picks.
func (c calls) List(ctx context.Context, query url.Values) (json.RawMessage, error) {
	filter, err := journal.ParseFilter(query.Get("filter"), time.Now())
	if err != nil {
		return nil, err
	}
	page := journal.Page{Before: query.Get("before")}
	if text := query.Get("limit"); text != "" {
		if page.Limit, err = strconv.Atoi(text); err != nil || page.Limit < 1 {
			return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("limit %q is no number of calls", text), Hint: "write limit=100"}
		}
	}
	c.settle(ctx)
	records, next, err := c.journal.Calls(ctx, filter, page)
	if err != nil {
		return nil, unread(err)
	}
	if records == nil {
		records = []journal.Record{}
	}
	return encodeJSON(callPage{records, next})
}

// Call is everything that is known of a call.
func (c calls) Call(ctx context.Context, id string) (json.RawMessage, error) {
	c.settle(ctx)
	records, children, err := c.journal.Show(ctx, id)
	switch {
	case err != nil:
		return nil, unread(err)
	case len(records) == 0:
		return nil, &twodoor.Error{Code: twodoor.CodeNotFound, Message: fmt.Sprintf("there is no call %q", id), Hint: "it is older than what is kept, or not written yet: list them with twodoor calls"}
	}
	return encodeJSON(callStory{id, records, children})
}

// settleTime bounds how long who reads waits for what is on its way.
const settleTime = time.Second

// settle waits for what is on its way to the store: who was answered finds the call.
func (c calls) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	_ = c.journal.Sync(ctx) // a store that cannot be written may still be read
}

// Follow tells of calls as they end.
func (c calls) Follow(ctx context.Context, query url.Values, resume string) (iter.Seq2[rest.News, error], error) {
	filter, err := journal.ParseFilter(query.Get("filter"), time.Now())
	if err == nil {
		err = journal.CheckResume(resume)
	}
	if err != nil {
		return nil, err
	}
	return func(yield func(rest.News, error) bool) {
		for news, err := range c.journal.Follow(ctx, filter, resume) {
			told := rest.News{Missed: news.Missed, Resume: news.Resume}
			if err == nil && news.Record != nil {
				told.Call, err = encodeJSON(news.Record)
			}
			if !yield(told, unread(err)) {
				return
			}
		}
	}, nil
}

// unread tells a fault of the store to who reads the journal.
func unread(err error) error {
	if err == nil {
		return nil
	}
	return toldStore(err)
}

func encodeJSON(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode what was recorded: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// callsHere reads the journal of the configuration: through the running up where there is one, else in
// the store.
func (r *run) callsHere(ctx context.Context) (rest.Calls, error) {
	s, err := r.find()
	if err != nil {
		return nil, err
	}
	if r.alive(s.File) {
		return farCalls{r}, nil
	}
	store, err := r.openStore(ctx)
	if err != nil {
		return nil, err
	}
	return calls{store.journal}, nil
}

// farCalls reads the journal of the running up of the configuration, over its socket.
type farCalls struct{ run *run }

func (f farCalls) List(ctx context.Context, query url.Values) (json.RawMessage, error) {
	return f.get(ctx, "/api/v1/calls?"+query.Encode())
}

func (f farCalls) Call(ctx context.Context, id string) (json.RawMessage, error) {
	return f.get(ctx, "/api/v1/calls/"+url.PathEscape(id))
}

// Follow reads the events of the server.
func (f farCalls) Follow(ctx context.Context, query url.Values, resume string) (iter.Seq2[rest.News, error], error) {
	answer, err := f.ask(ctx, "/api/v1/events?"+query.Encode(), resume)
	if err != nil {
		return nil, err
	}
	return func(yield func(rest.News, error) bool) {
		defer answer.Close()
		lines := bufio.NewScanner(answer)
		lines.Buffer(nil, 1<<20)
		var event string
		var news rest.News
		for lines.Scan() {
			key, value, _ := strings.Cut(lines.Text(), ": ")
			switch key {
			case "event":
				event, news = value, rest.News{}
			case "id":
				news.Resume = value
			case "data":
				if more := tellNews(event, []byte(value), news, yield); !more {
					return
				}
			}
		}
		if ctx.Err() == nil {
			yield(rest.News{}, ended(lines.Err()))
		}
	}, nil
}

// tellNews hands on an event of a server.
func tellNews(event string, data []byte, news rest.News, yield func(rest.News, error) bool) (more bool) {
	var err error
	switch event {
	case "call":
		news.Call = data
	case "dropped":
		var told struct{ Missed int64 }
		err = json.Unmarshal(data, &told)
		news.Missed = told.Missed
	case "error":
		err = faultIn(data)
	default:
		return true
	}
	return yield(news, err)
}

func (f farCalls) get(ctx context.Context, target string) (json.RawMessage, error) {
	answer, err := f.ask(ctx, target, "")
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	text, err := io.ReadAll(answer)
	if err != nil {
		return nil, ended(err)
	}
	return text, nil
}

// ask sends a request over the socket; what is read of the answer is its body.
func (f farCalls) ask(ctx context.Context, target, resume string) (io.ReadCloser, error) {
	conn, err := f.run.attach(f.run.site.File)
	if err != nil {
		return nil, ended(err)
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+target, nil)
	if err == nil && resume != "" {
		req.Header.Set("Last-Event-ID", resume)
	}
	if err == nil {
		err = greet(conn, greeting{Ask: askHTTP})
	}
	if err == nil {
		err = req.Write(conn)
	}
	var answer *http.Response
	if err == nil {
		answer, err = http.ReadResponse(bufio.NewReader(conn), req)
	}
	if err != nil {
		conn.Close()
		return nil, ended(err)
	}
	body := closing{answer.Body, conn}
	if answer.StatusCode != http.StatusOK {
		defer body.Close()
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
		var problem struct{ Error json.RawMessage }
		_ = json.Unmarshal(text, &problem) // else it is told without words
		return nil, faultIn(problem.Error)
	}
	return body, nil
}

// closing closes a connection with the body that came over it.
type closing struct {
	io.Reader
	conn io.Closer
}

func (c closing) Close() error { return c.conn.Close() }

// faultIn is a fault as a door of ours wrote it.
func faultIn(text []byte) error {
	var told struct {
		Code    twodoor.Code
		Message string
		Hint    string
		Try     []string
	}
	if err := json.Unmarshal(text, &told); err != nil {
		return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "the running twodoor up does not tell what was asked", Hint: "it may be of another version: start it again", Cause: err}
	}
	return &twodoor.Error{Code: told.Code, Message: told.Message, Hint: told.Hint, Try: told.Try}
}
