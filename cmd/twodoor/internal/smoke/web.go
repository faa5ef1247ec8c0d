package smoke

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// web is a server spoken to over Streamable HTTP.
type web struct {
	target  Target
	era     era
	session string // legacy: what the server named it
	next    int
}

func (w *web) ask(ctx context.Context, method string, params json.RawMessage) (*reply, error) {
	w.next++
	answer, err := w.post(ctx, request(w.next, method, params), method, params)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if id := answer.Header.Get("Mcp-Session-Id"); id != "" {
		w.session = id
	}
	r, err := readReply(answer, strconv.Itoa(w.next))
	if err != nil {
		return nil, fmt.Errorf("HTTP %d: %w", answer.StatusCode, err)
	}
	return r, nil
}

func (w *web) post(ctx context.Context, body []byte, method string, params json.RawMessage) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.target.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for key, values := range w.target.Header {
		req.Header[key] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	w.mark(req, method, params)
	answer, err := w.target.Doer.Do(req)
	if ctx.Err() != nil {
		return nil, errSilent
	}
	return answer, err
}

// mark sets the headers of the era (MCP 2026-07-28, "Transports", standard request headers).
func (w *web) mark(req *http.Request, method string, params json.RawMessage) {
	if w.session != "" {
		req.Header.Set("Mcp-Session-Id", w.session)
	}
	if method != "initialize" {
		req.Header.Set("MCP-Protocol-Version", w.era.version())
	}
	if _, ok := w.era.(modern); ok && method != "" {
		req.Header.Set("Mcp-Method", method)
		if name, ok := rawjson.Get(params, "name"); ok {
			text, _ := rawjson.String(name)
			req.Header.Set("Mcp-Name", text)
		}
	}
}

// readReply finds the reply to a request in a JSON body or an event stream.
func readReply(answer *http.Response, id string) (*reply, error) {
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		return readEvents(answer.Body, id)
	}
	if answer.StatusCode == http.StatusUnauthorized {
		return nil, errors.New("it wants a login; give --header Authorization=env:NAME, which holds `Bearer TOKEN`")
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxLine))
	if err != nil {
		return nil, err
	}
	var r reply
	if rawjson.KindOf(body) != rawjson.KindObject || json.Unmarshal(body, &r) != nil || r.Result == nil && r.Error == nil {
		return nil, fmt.Errorf("no JSON-RPC message but %q", cut(string(body)))
	}
	return &r, nil
}

func readEvents(body io.Reader, id string) (*reply, error) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxLine)
	var data strings.Builder
	for lines.Scan() {
		line := lines.Text()
		if text, ok := strings.CutPrefix(line, "data:"); ok {
			data.WriteString(strings.TrimPrefix(text, " "))
			continue
		}
		if line != "" {
			continue
		}
		var r reply
		if json.Unmarshal([]byte(data.String()), &r) == nil && string(r.ID) == id && r.Method == "" {
			return &r, nil
		}
		data.Reset()
	}
	return nil, errors.New("the event stream ended without the reply")
}

func (w *web) tell(ctx context.Context, method string) error {
	answer, err := w.post(ctx, request(0, method, nil), method, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s was answered with HTTP %d, not 202", method, answer.StatusCode)
	}
	return nil
}

func (w *web) malformed(ctx context.Context) (string, error) {
	answer, err := w.post(ctx, []byte(`{"jsonrpc":"2.0","id":`), "", nil)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(answer.Body, maxLine))
	var r reply
	if json.Unmarshal(body, &r) == nil && r.Error != nil && answer.StatusCode < 500 {
		return fmt.Sprintf("answered HTTP %d and %d", answer.StatusCode, r.Error.Code), nil
	}
	if answer.StatusCode < 400 || answer.StatusCode >= 500 {
		return "", fmt.Errorf("answered HTTP %d, not 400", answer.StatusCode)
	}
	return fmt.Sprintf("answered HTTP %d", answer.StatusCode), nil
}

// close ends a legacy session; servers may refuse that.
func (w *web) close() {
	if w.session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), w.target.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, w.target.URL, nil)
	if err != nil {
		return
	}
	for key, values := range w.target.Header {
		req.Header[key] = values
	}
	w.mark(req, "", nil)
	if answer, err := w.target.Doer.Do(req); err == nil {
		answer.Body.Close()
	}
}
