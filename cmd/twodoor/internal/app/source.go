package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/source/command"
	"github.com/twodoor/twodoor/source/openapi"
	"github.com/twodoor/twodoor/source/protobuf"
)

// readSource reads one source of the configuration.
func (r *run) readSource(ctx context.Context, s *site, name string, kept config.SourceLock) (*twodoor.Reading, error) {
	if isListed(s.Sources[name].Kind()) {
		return r.readListed(s, name)
	}
	if s.Sources[name].Kind() == command.Kind {
		return r.verbs(s, name, s.Sources[name]).Read(ctx)
	}
	if s.Sources[name].Kind() == protobuf.Kind {
		return r.readProtobuf(ctx, s, name, kept)
	}
	source := r.openAPI(s, name, s.Sources[name])
	source.Kept = twodoor.Lock{Rule: kept.Rule, Dropped: kept.Dropped, Split: kept.Split, Names: kept.Names}
	return source.Read(ctx)
}

// openAPI is a source of the configuration, as its room takes it.
func (r *run) openAPI(s *site, name string, c config.Source) *openapi.Source {
	source := &openapi.Source{
		Name: name, File: s.Place(c.OpenAPI), Target: c.Target, Variables: c.Variables, Naming: c.Naming, Prefix: c.Prefix,
		Operations: annotationsOf(s), Fetch: r.fetcher(s, name),
	}
	for _, overlay := range c.Overlays {
		source.Overlays = append(source.Overlays, s.Place(overlay))
	}
	for language, file := range c.Translations {
		if source.Translations == nil {
			source.Translations = map[string]string{}
		}
		source.Translations[language] = s.Place(file)
	}
	return source
}

// annotationsOf are what the configuration says of operations, by glob.
func annotationsOf(s *site) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for glob, annotation := range s.Operations {
		all[glob] = annotation.JSON
	}
	return all
}

// serverHint is for whoever adds an MCP server as if it were a description.
const serverHint = "An MCP server is written into twodoor.yaml: sources: {NAME: {mcp: {url: …}}}"

// fetcher reads URLs in the name of a source.
func (r *run) fetcher(s *site, name string) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, url string) ([]byte, error) {
		text, err := fetch(ctx, r.outbound(s), name, url)
		if err == nil {
			r.fetched.Store(url, sha256.Sum256(text))
		}
		return text, err
	}
}

func fetch(ctx context.Context, client openapi.Doer, source, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%q is no URL", shownURL(url)), Cause: err}
	}
	req.Header.Set("Accept", "application/json, application/yaml, text/yaml, */*")
	answer, err := client.Do(req, twodoor.Access{Source: source})
	if err != nil {
		return nil, unreached(url, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, &twodoor.Error{Code: twodoor.CodeUpstream, Message: fmt.Sprintf("%s answers HTTP %d", shownURL(url), answer.StatusCode), Hint: "open it in a browser: is it the description itself? " + serverHint}
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, openapi.DefaultMaxBytes+1))
	if err != nil {
		return nil, unreached(url, err)
	}
	if len(text) > openapi.DefaultMaxBytes {
		return nil, &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("%s is larger than the bound of %d MiB", shownURL(url), openapi.DefaultMaxBytes>>20)}
	}
	return text, nil
}

// shownURL is an address without the key that it may carry.
func shownURL(url string) string { return string(secret.Hide([]byte(url))) }

// unreached keeps the code of an error that has one.
func unreached(url string, err error) error {
	if fault := twodoor.AsError(err); fault.Code != twodoor.CodeInternal {
		return fault
	}
	return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: "cannot read " + shownURL(url), Hint: "is the address right, and is the server up?", Cause: err}
}
