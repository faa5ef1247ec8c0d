package remote

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/twodoor/twodoor"
)

// Kind is the kind of the operations that this package reads and invokes.
const Kind = "remote"

// Doer sends an HTTP request with the key of the source put on it. The caller closes the answer's body.
type Doer interface {
	Do(req *http.Request, access twodoor.Access) (*http.Response, error)
}

// Source is another server.
type Source struct {
	Name string // required; first word of all ids, but of those of a relay
	URL  string // required; its address, with or without /api
	Doer Doer   // required

	Prefix  string // stands for the name in MCP spellings
	Profile string // of the far side; empty: its default one, or that of our token
	Session string // the session there that the reading is for; empty: none

	// Relay keeps the ids and names of the far side, its own operations among them, and leaves all
	// shaping to it: whoever calls is to see what they would see there.
	Relay bool
	// Most bounds a relay: of a far side with more operations only its own are read, by which all
	// others are found and called, and those that its profile pins. 0: no bound.
	Most int
}

// Far is what a far side was found to be.
type Far struct {
	Reading       *twodoor.Reading
	Tag           string         // hand it to Look to hear only of changes
	Expose        twodoor.Expose // how the far side's profile lists operations
	OutputSchemas bool           // its profile sends structured content
	Pins          []string       // ids that its profile always lists; known where Most is set
	Short         bool           // it has more operations than Most
	Foreign       bool           // it is no twodoor, but speaks the routes of existing bridges
}

// Read reads the far side. An error is a *[twodoor.Error].
func (s *Source) Read(ctx context.Context) (*twodoor.Reading, error) {
	far, err := s.Look(ctx, "")
	if err != nil {
		return nil, err
	}
	return far.Reading, nil
}

// base is the address to which routes are appended.
func base(address string) string { return strings.TrimRight(strings.TrimSpace(address), "/") }

// eventsURL is where a far side says that it changed, as a stream of server-sent events.
func (s *Source) eventsURL() string { return base(s.URL) + "/v1/events" + s.query("") }

// query is a query string with the profile.
func (s *Source) query(more string) string {
	if s.Profile != "" {
		if more != "" {
			more += "&"
		}
		more += "profile=" + escapeQuery(s.Profile)
	}
	if more == "" {
		return ""
	}
	return "?" + more
}

func (s *Source) check() error {
	if s.Name == "" || s.URL == "" || s.Doer == nil {
		return fmt.Errorf("a remote source needs a name, a URL and a Doer, got %q and %q", s.Name, s.URL)
	}
	return nil
}
