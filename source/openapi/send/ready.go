package send

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

// readyPlan is a plan made ready: what does not change from call to call is worked out once.
type readyPlan struct {
	plan.Plan
	path   []pathPart
	accept string
	fields map[string]*plan.Field // of the body, by input
	parted bool                   // the media types of the body have other fields each
	fixed  []argument             // plan.Fix, sorted by name
}

// pathPart is literal text of a path template, or a parameter in it.
type pathPart struct {
	text  string
	param *plan.Param
}

// maxPlans bounds how many plans are kept ready.
const maxPlans = 4096

// ready is the plan of an operation, made ready.
func (v *Invoker) ready(op *twodoor.Operation) (*readyPlan, error) {
	v.mu.RLock()
	r := v.plans[string(op.Plan)]
	v.mu.RUnlock()
	if r != nil {
		return r, nil
	}
	r, err := newReadyPlan(op.Plan)
	if err != nil {
		return nil, fmt.Errorf("read the plan of %s: %w", op.ID, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.plans == nil || len(v.plans) >= maxPlans {
		v.plans = map[string]*readyPlan{}
	}
	v.plans[string(op.Plan)] = r
	return r, nil
}

func newReadyPlan(raw json.RawMessage) (*readyPlan, error) {
	r := &readyPlan{}
	if err := json.Unmarshal(raw, &r.Plan); err != nil {
		return nil, err
	}
	r.accept = acceptOf(r.Accept)
	for name, value := range r.Fix {
		r.fixed = append(r.fixed, argument{name: name, value: value})
	}
	slices.SortFunc(r.fixed, func(a, b argument) int { return strings.Compare(a.name, b.name) })
	if r.Body != nil {
		r.fields, r.parted = map[string]*plan.Field{}, r.Body.Parted()
		for i := range r.Body.Fields {
			r.fields[r.Body.Fields[i].Arg] = &r.Body.Fields[i]
		}
	}
	return r, r.cutPath()
}

// cutPath takes the template apart. A variable that no parameter describes is a fault of the plan.
func (r *readyPlan) cutPath() error {
	for rest := r.Path; rest != ""; {
		literal, tail, braced := strings.Cut(rest, "{")
		if literal != "" {
			r.path = append(r.path, pathPart{text: string(escapeLiteral(literal))})
		}
		if !braced {
			break
		}
		name, after, closed := strings.Cut(tail, "}")
		at := slices.IndexFunc(r.Params, func(p plan.Param) bool { return p.In == "path" && p.Wire() == name })
		if !closed || at < 0 {
			return fmt.Errorf("nothing describes {%s} of the path %s", name, r.Path)
		}
		r.path = append(r.path, pathPart{param: &r.Params[at]})
		rest = after
	}
	return nil
}

// escapeLiteral keeps what a description may have encoded itself.
func escapeLiteral(text string) []byte { return escapeBut(nil, text, ":/@!$&'()*+,;=", true) }

// acceptOf prefers JSON: of several types without a weight a far side may pick any.
func acceptOf(types []string) string {
	if len(types) == 0 {
		return "application/json, */*;q=0.5"
	}
	first := slices.ContainsFunc(types, mediatype.IsJSON)
	parts := make([]string, len(types))
	for i, media := range types {
		parts[i] = media
		if first && !mediatype.IsJSON(media) && !strings.Contains(media, ";q=") {
			parts[i] += ";q=0.5"
		}
	}
	return strings.Join(parts, ", ")
}
