package remote

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

// maxList bounds a list of the far side, in bytes.
const maxList = 128 << 20

// operationList is an answer of GET /v1/operations.
type operationList struct {
	Profile struct {
		Expose        twodoor.Expose
		OutputSchemas bool `json:"output_schemas"`
	}
	Sources    []twodoor.SourceInfo
	Operations []farOperation
}

// farOperation is an operation as the far side tells it.
type farOperation struct {
	twodoor.Operation
	Pinned     bool
	Definition json.RawMessage
}

// Look reads the far side; nil where it is what it was when it had this tag. An error is a
// *[twodoor.Error].
func (s *Source) Look(ctx context.Context, tag string) (*Far, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if strings.HasPrefix(tag, foreignTag) {
		return s.lookForeign(ctx, tag)
	}
	far := &Far{}
	query := ""
	if s.Relay && s.Most > 0 {
		var brief operationList
		if _, err := s.list(ctx, "brief=true", "", &brief); errors.Is(err, errNoRoute) {
			return s.lookForeign(ctx, tag)
		} else if err != nil {
			return nil, err
		}
		far.Pins = pinned(&brief)
		if far.Short = isShort(&brief, s.Most); far.Short {
			query = "source=" + twodoor.OwnSource
		}
	}
	return s.fill(ctx, far, query, tag)
}

// isShort reports whether only the far side's own operations are read: there are too many, there are
// some by which the others are found, and nobody asked for a full list.
func isShort(brief *operationList, most int) bool {
	if len(brief.Operations) <= most || brief.Profile.Expose == twodoor.ExposeFull {
		return false
	}
	for i := range brief.Operations {
		if brief.Operations[i].Source() == twodoor.OwnSource {
			return true
		}
	}
	return false
}

func pinned(brief *operationList) (ids []string) {
	for i := range brief.Operations {
		if op := &brief.Operations[i]; op.Pinned && op.Source() != twodoor.OwnSource {
			ids = append(ids, op.ID)
		}
	}
	return ids
}

// fill reads the operations themselves.
func (s *Source) fill(ctx context.Context, far *Far, query, tag string) (*Far, error) {
	var all operationList
	newTag, err := s.list(ctx, query, tag, &all)
	switch {
	case errors.Is(err, errNoRoute):
		return s.lookForeign(ctx, tag)
	case errors.Is(err, errUnchanged):
		return nil, nil
	case err != nil:
		return nil, err
	}
	for _, id := range far.Pins {
		if !far.Short {
			break // it is on the list
		}
		var op farOperation
		if _, err := s.get(ctx, "/v1/operations/"+url.PathEscape(id)+s.query(""), "", &op); err != nil {
			return nil, err
		}
		all.Operations = append(all.Operations, op)
	}
	far.Tag, far.Expose, far.OutputSchemas = newTag, all.Profile.Expose, all.Profile.OutputSchemas
	far.Reading = s.reading(&all)
	return far, nil
}

// reading makes the operations of the far side ours.
func (s *Source) reading(all *operationList) *twodoor.Reading {
	reading := &twodoor.Reading{Source: s.Name, Title: "twodoor at " + hostOf(s.URL), Origins: []string{originOf(s.URL)}, Groups: map[string]string{}}
	for _, info := range all.Sources {
		if text := info.Title; text != "" {
			reading.Groups[info.Name] = text
		}
	}
	for i := range all.Operations {
		op, definition := all.Operations[i].Operation, all.Operations[i].Definition
		at := base(s.URL) + "/v1/operations/" + op.ID
		if why := s.refuses(&op); why != "" {
			reading.Skipped = append(reading.Skipped, twodoor.Exception{Operation: op.ID, At: at, Reason: why})
			continue
		}
		if _, err := schema.Compile(op.InputSchema()); err != nil {
			reading.Exceptions = append(reading.Exceptions, twodoor.Exception{Operation: op.ID, At: at, Reason: "its input schema does not compile: " + err.Error()})
			continue
		}
		op.Origin, op.At = op.ID, at
		reading.Operations = append(reading.Operations, s.adopt(op, definition))
	}
	return reading
}

func (s *Source) refuses(op *twodoor.Operation) string {
	if !s.Relay && op.Source() == twodoor.OwnSource {
		return "it is of the far twodoor itself: this one has its own"
	}
	return ""
}

// adopt makes an operation of the far side one of ours. What happens before and after the call there
// stays there.
func (s *Source) adopt(op twodoor.Operation, definition json.RawMessage) twodoor.Operation {
	p := plan{Source: s.Name, URL: base(s.URL), ID: op.ID, Relay: s.Relay, Definition: definition}
	op.Kind, op.Plan, op.Before, op.Next, op.Guides = Kind, p.bytes(), nil, nil, nil
	if s.Relay {
		op.Page, op.Permission = nil, ""
		op.Answer = twodoor.Answer{Meaning: op.Answer.Meaning, Empty: op.Answer.Empty}
		op.Input = withWant(op.InputSchema())
		return op
	}
	op.ID, op.Tool, op.Prefix, op.Aliases = s.Name+"."+op.ID, "", s.Prefix, nil
	op.Answer.IDNames = nil
	if op.Page != nil && op.Page.Style == twodoor.PageLink {
		op.Page = nil // the links of the far side are followed there
	}
	return op
}

// withWant makes _want a property of the operation's own: the engine here leaves it to the far side.
func withWant(input json.RawMessage) json.RawMessage {
	properties, _ := rawjson.Get(input, "properties")
	if _, own := rawjson.Get(properties, twodoor.WantKey); own {
		return input
	}
	return rawjson.Set(input, "properties", rawjson.Set(properties, twodoor.WantKey, []byte("{}")))
}

var (
	errNoRoute   = errors.New("the far side has no such route")
	errUnchanged = errors.New("the list is what it was")
)

func (s *Source) list(ctx context.Context, query, tag string, into *operationList) (newTag string, err error) {
	return s.get(ctx, "/v1/operations"+s.query(query), tag, into)
}

// get reads a JSON answer of the far side.
func (s *Source) get(ctx context.Context, route, tag string, into any) (newTag string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base(s.URL)+route, nil)
	if err != nil {
		return "", &twodoor.Error{Code: twodoor.CodeInvalid, Message: s.URL + " is no address", Cause: err}
	}
	req.Header.Set("Accept", "application/json")
	if tag != "" {
		req.Header.Set("If-None-Match", tag)
	}
	if s.Session != "" {
		req.Header.Set(headerSession, s.Session)
	}
	resp, err := s.Doer.Do(req, twodoor.Access{Source: s.Name})
	if err != nil {
		return "", unreached(ctx, hostOf(s.URL), err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusNotModified:
		return tag, errUnchanged
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "", errNoRoute
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	if err != nil {
		return "", unreached(ctx, hostOf(s.URL), err)
	}
	if resp.StatusCode != http.StatusOK {
		return "", refused(resp, body, s.Relay)
	}
	if rawjson.Check(body) != nil { // a page of an application that answers every path
		return "", errNoRoute
	}
	if err := json.Unmarshal(body, into); err != nil {
		return "", &twodoor.Error{Code: twodoor.CodeUpstream, Message: hostOf(s.URL) + " answers " + route + " with something else than a twodoor does", Cause: err}
	}
	return resp.Header.Get("ETag"), nil
}

// hostOf is the host of an address, for messages.
func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}
