package smoke

import (
	"context"
	"net/http"
	"time"

	"github.com/twodoor/twodoor/internal/proc"
)

// Target is the server to be put through: a program or a URL.
type Target struct {
	Command proc.Command // Path set: the program is started, once for each era
	URL     string       // else: a Streamable HTTP endpoint
	Header  http.Header  // sent along with every request to the URL
	Doer    Doer         // sends the requests to the URL; nil: a client that follows no redirect

	Tools    *int          // how many tools it must list; nil: any number
	Server   string        // the name it must give itself; empty: any
	Patience time.Duration // for each answer; 0: 5 s, twice that for the greeting
}

// Doer sends HTTP requests: an *http.Client is one.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Client is an HTTP client that goes where it is told and nowhere else.
func Client() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Verdict is the outcome of one check.
type Verdict struct {
	Outcome Outcome       `json:"outcome"`
	Era     string        `json:"era"` // the protocol revision spoken
	Check   string        `json:"check"`
	Detail  string        `json:"detail"`
	Took    time.Duration `json:"-"`
}

// Outcome is how a check ended.
type Outcome string

// The outcomes.
const (
	OK    Outcome = "ok"
	Fault Outcome = "fault"
	Skip  Outcome = "skip" // nothing to check, for the reason in Detail
)

// Failed reports whether any verdict is a fault.
func Failed(verdicts []Verdict) bool {
	for _, v := range verdicts {
		if v.Outcome == Fault {
			return true
		}
	}
	return false
}

// Run makes all checks in both eras at once. The order of the verdicts is fixed: modern first.
func Run(ctx context.Context, t Target) []Verdict {
	if t.Patience == 0 {
		t.Patience = 5 * time.Second
	}
	if t.Doer == nil {
		t.Doer = Client()
	}
	sessions := []*session{newSession(t, modern{}), newSession(t, legacy{})}
	for i, s := range sessions {
		go s.run(ctx, sessions[1-i].done)
	}
	for _, s := range sessions {
		<-s.done
	}
	return merge(sessions[0], sessions[1])
}

// merge puts the verdicts together: an era that the server does not speak is no fault as long as it
// speaks the other one.
func merge(sessions ...*session) []Verdict {
	spoken := false
	for _, s := range sessions {
		spoken = spoken || s.greeted
	}
	var all []Verdict
	for _, s := range sessions {
		if spoken && !s.greeted {
			all = append(all, Verdict{Outcome: Skip, Era: s.era.version(), Check: s.era.opening(), Detail: "not spoken: " + s.verdicts[0].Detail})
			continue
		}
		all = append(all, s.verdicts...)
	}
	return all
}
