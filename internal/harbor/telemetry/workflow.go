package telemetry

import (
	"encoding/json"
	"slices"
	"strconv"

	"connectrpc.com/connect"
	"errors"
)

// workflow is kept as it was written; Harbor looks into its name and its flows only.
type workflow struct {
	WorkflowID string          `json:"workflowId"`
	State      string          `json:"state"`
	Created    string          `json:"created"`
	Definition json.RawMessage `json:"definition"`
}

// outline is what Harbor looks at.
type outline struct {
	Name  string
	Flows []struct {
		Name   string
		States []struct {
			ID          string
			Transitions []struct{ To string }
		}
	}
}

// createWorkflow keeps a new workflow, stopped.
func (s *Server) createWorkflow(in json.RawMessage) (any, error) {
	want, err := decode[struct {
		Definition json.RawMessage
		DryRun     bool `json:"dryRun"`
		Origin     string
	}](in)
	if err != nil {
		return nil, err
	}
	about, err := decode[outline](want.Definition)
	if err != nil {
		return nil, err
	}
	if err := s.check(about); err != nil {
		return nil, err
	}
	flow := workflow{"wf_" + strconv.Itoa(len(s.workflows)+1), "WORKFLOW_STATE_STOPPED", stamp(s.now()), want.Definition}
	if !want.DryRun {
		s.workflows = append(s.workflows, flow)
	}
	return flow, nil
}

// check finds what the messages alone cannot show.
func (s *Server) check(about outline) error {
	if about.Name == "" || len(about.Flows) == 0 {
		return invalid("definition needs a name and at least one flow")
	}
	for _, other := range s.workflows {
		if named, err := decode[outline](other.Definition); err == nil && named.Name == about.Name {
			return connect.NewError(connect.CodeAlreadyExists, errors.New("there is a workflow of that name already: "+other.WorkflowID))
		}
	}
	for i, flow := range about.Flows {
		known := []string{}
		for _, state := range flow.States {
			known = append(known, state.ID)
		}
		for j, state := range flow.States {
			for k, transition := range state.Transitions {
				if !slices.Contains(known, transition.To) {
					return invalid("definition.flows[%d].states[%d].transitions[%d].to is %q, which is no state of the flow", i, j, k, transition.To)
				}
			}
		}
	}
	return nil
}

func (s *Server) find(in json.RawMessage) (int, error) {
	want, err := decode[struct {
		WorkflowID string `json:"workflowId"`
	}](in)
	if err != nil {
		return 0, err
	}
	at := slices.IndexFunc(s.workflows, func(w workflow) bool { return w.WorkflowID == want.WorkflowID })
	if at < 0 {
		return 0, notFound("workflow", want.WorkflowID, "ListWorkflows lists all ids")
	}
	return at, nil
}

func (s *Server) getWorkflow(in json.RawMessage) (any, error) {
	at, err := s.find(in)
	if err != nil {
		return nil, err
	}
	return s.workflows[at], nil
}

func (s *Server) deleteWorkflow(in json.RawMessage) (any, error) {
	at, err := s.find(in)
	if err != nil {
		return nil, err
	}
	s.workflows = slices.Delete(s.workflows, at, at+1)
	return struct{}{}, nil
}

func (s *Server) listWorkflows(in json.RawMessage) (any, error) {
	want, err := decode[paging](in)
	if err != nil {
		return nil, err
	}
	lines := []any{}
	for _, w := range s.workflows {
		about, err := decode[outline](w.Definition)
		if err != nil {
			return nil, err
		}
		lines = append(lines, map[string]any{"workflowId": w.WorkflowID, "name": about.Name, "state": w.State, "flows": len(about.Flows)})
	}
	page, next, err := pageOf(lines, want, 50, 100)
	return map[string]any{"workflows": page, "nextPageToken": next}, err
}
