package harbor

import (
	"net/http"

	"github.com/twodoor/twodoor/internal/harbor/fault"
)

const faultsPath = "/faults" // where faults are asked for; never fails by one

// Fault makes the next n requests (1 to 1000) fail in the named way; faults asked for earlier come first.
// With flaky, n counts pairs of requests. The route /faults itself never fails so.
func (s *Server) Fault(name string, n int) error {
	if field, wrong := s.faults.Add(name, n); wrong != "" {
		return invalid(field, wrong)
	}
	return nil
}

func (s *Server) listFaults(*state, *request) (reply, error) {
	return ok(map[string]any{"waiting": s.faults.List(), "kinds": fault.Kinds()})
}

func (s *Server) createFaults(_ *state, in *request) (reply, error) {
	want := fault.Waiting{Count: 1}
	if err := in.decode(&want); err != nil {
		return reply{}, err
	}
	if err := s.Fault(want.Name, want.Count); err != nil {
		return reply{}, err
	}
	return created(want)
}

func (s *Server) clearFaults(*state, *request) (reply, error) {
	s.faults.Clear()
	return noContent()
}

// refuse turns a request away for a second.
func refuse(w http.ResponseWriter, status int, code, detail string) {
	writeProblem(w, &problem{Status: status, Code: code, Detail: detail, RetryAfter: 1})
}
