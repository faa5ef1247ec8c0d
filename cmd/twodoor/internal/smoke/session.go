package smoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// session is one era's way through the checks, on a connection of its own.
type session struct {
	target  Target
	era     era
	link    link
	tools   []tool
	greeted bool

	verdicts []Verdict
	done     chan struct{}
}

func newSession(t Target, e era) *session {
	return &session{target: t, era: e, done: make(chan struct{})}
}

// run makes the checks in order; other is the other era's end.
func (s *session) run(ctx context.Context, other <-chan struct{}) {
	defer close(s.done)
	if !s.open(ctx) {
		return
	}
	defer s.link.close()
	if !s.greet(ctx, other) {
		return
	}
	pipes, isProgram := s.link.(*pipes)
	checks := []check{
		{"tools/list", s.listTools},
		{"unknown method", s.unknownMethod},
		{"unknown tool", s.unknownTool},
		{"malformed message", s.malformed},
	}
	if isProgram {
		checks = append(checks, check{"end of input", func(ctx context.Context) (string, error) { return s.endOfInput(ctx, pipes) }})
	}
	for _, c := range checks {
		if !s.check(ctx, c.name, c.run) {
			break
		}
	}
	if isProgram {
		s.check(ctx, "stdout", func(context.Context) (string, error) { return pipes.purity(s.era) })
	}
}

// check is one thing to look at: it returns what there is to tell, or what is wrong.
type check struct {
	name string
	run  func(context.Context) (string, error)
}

// check runs one check and keeps its verdict. It reports whether going on makes sense.
func (s *session) check(ctx context.Context, name string, run func(context.Context) (string, error)) bool {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.target.Patience)
	defer cancel()
	detail, err := run(ctx)
	v := Verdict{Outcome: OK, Era: s.era.version(), Check: name, Detail: detail, Took: time.Since(begun)}
	if err != nil {
		v.Outcome, v.Detail = Fault, err.Error()
	}
	s.verdicts = append(s.verdicts, v)
	return !errors.Is(err, errGone)
}

func (s *session) open(ctx context.Context) bool {
	if s.target.Command.Path == "" {
		s.link = &web{target: s.target, era: s.era}
		return true
	}
	p, err := startPipes(ctx, s.target.Command)
	if err != nil {
		s.verdicts = append(s.verdicts, Verdict{Outcome: Fault, Era: s.era.version(), Check: "start", Detail: err.Error()})
		return false
	}
	s.link = p
	return true
}

// silence is how long a server may stay silent in one era when it has finished in the other.
const silence = time.Second

// greet opens the conversation. A server that speaks only one era may never answer the greeting of
// the other, so it is not waited for much longer than the other takes.
func (s *session) greet(ctx context.Context, other <-chan struct{}) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*s.target.Patience)
	defer cancel()
	go func() {
		select {
		case <-other:
			time.AfterFunc(silence, cancel)
		case <-ctx.Done():
		}
	}()
	s.check(ctx, s.era.opening(), func(context.Context) (string, error) {
		said, err := s.era.greet(ctx, s.link)
		if err != nil {
			return "", err
		}
		s.greeted = true
		if s.target.Server != "" && said.name != s.target.Server {
			return "", fmt.Errorf("the server calls itself %q, not %q", said.name, s.target.Server)
		}
		return fmt.Sprintf("server %q", said.name), s.era.wellFormed(said.result)
	})
	return s.greeted
}

// tool is what is needed of a listed tool.
type tool struct {
	Name        string          `json:"name"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations struct {
		ReadOnly bool `json:"readOnlyHint"`
	} `json:"annotations"`
}

const maxPages = 100

func (s *session) listTools(ctx context.Context) (string, error) {
	if err := s.readTools(ctx); err != nil {
		return "", err
	}
	seen := map[string]bool{}
	for _, t := range s.tools {
		switch kind, _ := rawjson.Get(t.InputSchema, "type"); {
		case t.Name == "":
			return "", errors.New("a tool has no name")
		case seen[t.Name]:
			return "", fmt.Errorf("two tools are named %q", t.Name)
		case string(kind) != `"object"`:
			return "", fmt.Errorf("the inputSchema of %s is not of type object", t.Name)
		}
		seen[t.Name] = true
	}
	if want := s.target.Tools; want != nil && len(s.tools) != *want {
		return "", fmt.Errorf("%d tools, not %d", len(s.tools), *want)
	}
	return fmt.Sprintf("%d tools", len(s.tools)), nil
}

func (s *session) readTools(ctx context.Context) error {
	cursor := json.RawMessage(nil)
	for range maxPages {
		params := json.RawMessage(`{}`)
		if cursor != nil {
			params = rawjson.Set(params, "cursor", cursor)
		}
		reply, err := s.link.ask(ctx, "tools/list", s.era.params(params))
		if err != nil {
			return err
		}
		if reply.Error != nil {
			return fmt.Errorf("it answered %s", reply.Error)
		}
		if err := s.era.wellFormed(reply.Result); err != nil {
			return err
		}
		var page struct {
			Tools  []tool          `json:"tools"`
			Cursor json.RawMessage `json:"nextCursor"`
		}
		if err := json.Unmarshal(reply.Result, &page); err != nil {
			return fmt.Errorf("the result is no list of tools: %w", err)
		}
		s.tools = append(s.tools, page.Tools...)
		if cursor = page.Cursor; cursor == nil || string(cursor) == "null" {
			return nil
		}
	}
	return fmt.Errorf("the list did not end after %d pages", maxPages)
}

func (s *session) unknownMethod(ctx context.Context) (string, error) {
	reply, err := s.link.ask(ctx, "smoke/no-such-method", s.era.params(json.RawMessage(`{}`)))
	switch {
	case err != nil:
		return "", err
	case reply.Error == nil:
		return "", fmt.Errorf("answered with a result, not with error %d", methodNotFound)
	case reply.Error.Code != methodNotFound:
		return "", fmt.Errorf("answered with %s, not with %d", reply.Error, methodNotFound)
	}
	return fmt.Sprint(methodNotFound), nil
}

func (s *session) unknownTool(ctx context.Context) (string, error) {
	reply, err := s.link.ask(ctx, "tools/call", s.era.params(json.RawMessage(`{"name":"smoke_no_such_tool","arguments":{}}`)))
	if err != nil {
		return "", err
	}
	if reply.Error != nil {
		if reply.Error.Code != invalidParams {
			return "", fmt.Errorf("answered with %s, not with %d or isError", reply.Error, invalidParams)
		}
		return fmt.Sprint(invalidParams), nil
	}
	if failed, _ := rawjson.Get(reply.Result, "isError"); string(failed) != "true" {
		return "", fmt.Errorf("answered as if it had worked, not with %d or isError", invalidParams)
	}
	return "isError", nil
}

// malformed sends what is no JSON; the server may answer or not, but must go on.
func (s *session) malformed(ctx context.Context) (string, error) {
	answer, err := s.link.malformed(ctx)
	if err != nil {
		return "", err
	}
	reply, err := s.link.ask(ctx, "tools/list", s.era.params(json.RawMessage(`{}`)))
	if err != nil {
		return "", fmt.Errorf("after it, tools/list: %w", err)
	}
	if reply.Error != nil {
		return "", fmt.Errorf("after it, tools/list answered %s", reply.Error)
	}
	if late, ok := s.link.(*pipes); ok {
		answer = late.complaint()
	}
	return answer + ", and went on", nil
}

// endOfInput ends the input while a call is in flight: the call is to be answered, and the server to
// leave with exit status 0.
func (s *session) endOfInput(ctx context.Context, p *pipes) (string, error) {
	method, params, what := "tools/list", json.RawMessage(`{}`), "tools/list (no tool is marked read-only)"
	if t := s.readOnly(); t != nil {
		method, what = "tools/call", t.Name
		params = rawjson.Set(params, "name", rawjson.AppendString(nil, t.Name))
		params = rawjson.Set(params, "arguments", arguments(t.InputSchema))
	}
	if err := p.last(ctx, method, s.era.params(params)); err != nil {
		return "", fmt.Errorf("%s in flight: %w", what, err)
	}
	if err := p.leave(ctx); err != nil {
		return "", err
	}
	return what + " was answered, exit status 0", nil
}

// readOnly is the read-only tool that needs least.
func (s *session) readOnly() *tool {
	var best *tool
	needs := func(t *tool) (n int) {
		required, _ := rawjson.Get(t.InputSchema, "required")
		for range rawjson.Elements(required) {
			n++
		}
		return n
	}
	for i := range s.tools {
		if t := &s.tools[i]; t.Annotations.ReadOnly && (best == nil || needs(t) < needs(best)) {
			best = t
		}
	}
	return best
}

// arguments makes values for the required properties: whether they make sense to the tool does not
// matter here, an answer that refuses them is an answer.
func arguments(schema json.RawMessage) json.RawMessage {
	args := json.RawMessage(`{}`)
	required, _ := rawjson.Get(schema, "required")
	for item := range rawjson.Elements(required) {
		if name, ok := rawjson.String(item); ok {
			property, _ := rawjson.GetPath(schema, "properties", name)
			args = rawjson.Set(args, name, value(property))
		}
	}
	return args
}

func value(schema json.RawMessage) json.RawMessage {
	for _, key := range []string{"default", "const"} {
		if v, ok := rawjson.Get(schema, key); ok {
			return v
		}
	}
	for _, key := range []string{"enum", "examples"} {
		list, _ := rawjson.Get(schema, key)
		for v := range rawjson.Elements(list) {
			return v
		}
	}
	kind, _ := rawjson.Get(schema, "type")
	switch string(kind) {
	case `"integer"`, `"number"`:
		return json.RawMessage(`1`)
	case `"boolean"`:
		return json.RawMessage(`true`)
	case `"array"`:
		return json.RawMessage(`[]`)
	case `"object"`:
		return arguments(schema)
	}
	return json.RawMessage(`"smoke"`)
}
