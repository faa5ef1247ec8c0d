package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/twodoor/twodoor"
)

// readEvents reads a stream of server-sent events to its end, and returns the last event but those of
// progress, which are told.
func readEvents(in io.Reader, progress func(twodoor.Progress)) (data []byte, event string, err error) {
	err = eachEvent(in, func(name string, payload []byte) {
		if name != "progress" {
			data, event = payload, name
			return
		}
		var p struct {
			Done, Total float64
			Message     string
		}
		if json.Unmarshal(payload, &p) == nil && progress != nil {
			progress(twodoor.Progress{Done: p.Done, Total: p.Total, Message: p.Message})
		}
	})
	if err == nil && event == "" {
		err = io.ErrUnexpectedEOF
	}
	return data, event, err
}

// eachEvent takes a stream apart (HTML Standard, "Parsing an event stream"). Lines have no bound of
// their own: the reader has one.
func eachEvent(in io.Reader, visit func(name string, data []byte)) error {
	lines := bufio.NewReaderSize(in, 16<<10)
	var name string
	var data []byte
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0:
			if data != nil {
				visit(name, data)
			}
			name, data = "", nil
		case string(field) == "event":
			name = string(value)
		case string(field) == "data" && data == nil:
			data = value
		case string(field) == "data":
			data = append(append(data, '\n'), value...)
		}
	}
}

// Follow calls changed each time the far side says that its operations are others, and once when it
// begins to listen: what happened before that was missed. It returns when the stream ends; a far side
// that has no such stream is a fault of code unknown.
func (s *Source) Follow(ctx context.Context, changed func()) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.eventsURL(), nil)
	if err != nil {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: s.URL + " is no address", Cause: err}
	}
	req.Header.Set("Accept", "text/event-stream")
	if s.Session != "" {
		req.Header.Set(headerSession, s.Session)
	}
	resp, err := s.Doer.Do(req, twodoor.Access{Source: s.Name})
	if err != nil {
		return unreached(ctx, hostOf(s.URL), err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return byStatus(resp, nil)
	}
	return eachEvent(resp.Body, func(name string, _ []byte) {
		if name == "catalog" {
			changed()
		}
	})
}
