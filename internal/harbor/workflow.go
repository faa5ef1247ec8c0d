package harbor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// workflow is an automation. It can be edited only while it is stopped.
type workflow struct {
	ID         string           `json:"id"`
	Status     string           `json:"status"` // running or stopped
	Version    int              `json:"version"`
	UpdatedAt  time.Time        `json:"updated_at"`
	Definition workflowDocument `json:"definition"`
}

// workflowDocument is what the caller wrote. What Harbor does not look into stays as it was sent.
type workflowDocument struct {
	Name          string          `json:"name"`
	Description   string          `json:"description,omitempty"`
	OwnerID       string          `json:"owner_id,omitempty"`
	ServiceIDs    []string        `json:"service_ids,omitempty"`
	Labels        []string        `json:"labels,omitempty"`
	Trigger       json.RawMessage `json:"trigger"`
	Variables     json.RawMessage `json:"variables,omitempty"`
	Concurrency   json.RawMessage `json:"concurrency,omitempty"`
	TimeoutS      int             `json:"timeout_s,omitempty"`
	Steps         json.RawMessage `json:"steps"`
	OnFailure     json.RawMessage `json:"on_failure,omitempty"`
	Notifications json.RawMessage `json:"notifications,omitempty"`
	Retention     json.RawMessage `json:"retention,omitempty"`
}

// workflowLine is a workflow in a list.
type workflowLine struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Status    string    `json:"status"`
	Version   int       `json:"version"`
	Steps     int       `json:"steps"`
	UpdatedAt time.Time `json:"updated_at"`
}

func listWorkflows(st *state, in *request) (reply, error) {
	p := in.params()
	status := p.one("status", "", "running", "stopped")
	if err := p.err(); err != nil {
		return reply{}, err
	}
	lines := []workflowLine{}
	for _, flow := range st.workflows {
		if status == "" || flow.Status == status {
			lines = append(lines, workflowLine{flow.ID, flow.Definition.Name, flow.Status, flow.Version, countSteps(flow.Definition.Steps), flow.UpdatedAt})
		}
	}
	return ok(map[string]any{"items": lines})
}

func getWorkflow(st *state, in *request) (reply, error) {
	flow, err := st.workflow(in)
	if err != nil {
		return reply{}, err
	}
	return ok(flow)
}

func (st *state) workflow(in *request) (*workflow, error) {
	id := in.PathValue("workflow_id")
	at := slices.IndexFunc(st.workflows, func(flow *workflow) bool { return flow.ID == id })
	if at < 0 {
		return nil, notFound("workflow", id, "GET /workflow lists all ids.")
	}
	return st.workflows[at], nil
}

// createWorkflow keeps a new workflow, stopped.
func createWorkflow(st *state, in *request) (reply, error) {
	var document workflowDocument
	if err := in.decode(&document); err != nil {
		return reply{}, err
	}
	if err := document.check(st); err != nil {
		return reply{}, err
	}
	flow := &workflow{ID: workflowID(document.Name), Status: "stopped", Version: 1, UpdatedAt: in.now, Definition: document}
	if slices.ContainsFunc(st.workflows, func(other *workflow) bool { return other.ID == flow.ID }) {
		return reply{}, &problem{Status: http.StatusConflict, Code: "name_taken", Detail: "There is a workflow of that name already: " + flow.ID + ".",
			Hint: "Take another name, or update that one.", Next: &step{"GET", "/workflow/" + flow.ID}}
	}
	st.workflows = append(st.workflows, flow)
	st.tell(in, "workflow.create", flow.ID)
	answer, err := created(flow)
	return answer.with("Location", "/workflow/"+flow.ID), err
}

// workflowID is made from the name: "Paging drill" is wf_paging_drill.
func workflowID(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return "wf_" + strings.Join(words, "_")
}

// updateWorkflow changes the parts that are sent, of a stopped workflow.
func updateWorkflow(st *state, in *request) (reply, error) {
	flow, err := st.workflow(in)
	if err != nil {
		return reply{}, err
	}
	if flow.Status == "running" {
		return reply{}, &problem{Status: http.StatusConflict, Code: "workflow_running", Detail: "Workflow " + flow.ID + " is running; only a stopped one can be edited.",
			Hint: "Stop it, update it, start it again.", Next: &step{"POST", "/workflow/" + flow.ID + "/stop"}}
	}
	var patch workflowDocument
	if err := in.decode(&patch); err != nil {
		return reply{}, err
	}
	changed := flow.Definition.with(patch)
	if err := changed.check(st); err != nil {
		return reply{}, err
	}
	flow.Definition, flow.UpdatedAt = changed, in.now
	flow.Version++
	st.tell(in, "workflow.update", flow.ID)
	return ok(flow)
}

// with is the document with the parts of the patch that are there.
func (document workflowDocument) with(patch workflowDocument) workflowDocument {
	document.Name = cmp.Or(patch.Name, document.Name)
	document.Description = cmp.Or(patch.Description, document.Description)
	document.OwnerID = cmp.Or(patch.OwnerID, document.OwnerID)
	document.ServiceIDs = orList(patch.ServiceIDs, document.ServiceIDs)
	document.Labels = orList(patch.Labels, document.Labels)
	document.Trigger = orList(patch.Trigger, document.Trigger)
	document.Variables = orList(patch.Variables, document.Variables)
	document.Concurrency = orList(patch.Concurrency, document.Concurrency)
	document.TimeoutS = cmp.Or(patch.TimeoutS, document.TimeoutS)
	document.Steps = orList(patch.Steps, document.Steps)
	document.OnFailure = orList(patch.OnFailure, document.OnFailure)
	document.Notifications = orList(patch.Notifications, document.Notifications)
	document.Retention = orList(patch.Retention, document.Retention)
	return document
}

// orList is the first list that was given, be it empty.
func orList[L ~[]T, T any](given, known L) L {
	if given != nil {
		return given
	}
	return known
}

func startWorkflow(st *state, in *request) (reply, error) { return st.turn(in, "running") }
func stopWorkflow(st *state, in *request) (reply, error)  { return st.turn(in, "stopped") }

func (st *state) turn(in *request, status string) (reply, error) {
	flow, err := st.workflow(in)
	if err != nil {
		return reply{}, err
	}
	if flow.Status != status {
		flow.Status, flow.UpdatedAt = status, in.now
		st.tell(in, "workflow."+status, flow.ID)
	}
	return ok(flow)
}

// check names all misfits of the parts that Harbor looks into.
func (document *workflowDocument) check(st *state) error {
	p := &params{}
	if strings.TrimSpace(document.Name) == "" {
		p.fault("name", "is required")
	}
	if document.OwnerID != "" {
		if _, err := st.person(document.OwnerID); err != nil {
			p.fault("owner_id", "is no person; GET /person lists all ids")
		}
	}
	for i, id := range document.ServiceIDs {
		if _, err := st.service(id); err != nil {
			p.fault("service_ids["+strconv.Itoa(i)+"]", "is no service; GET /service lists all ids")
		}
	}
	p.tagged("trigger", document.Trigger, "kind", triggerNeeds)
	p.steps("steps", document.Steps, true)
	p.steps("on_failure", document.OnFailure, false)
	return p.err()
}

// triggerNeeds and stepNeeds list, by kind, the fields that must be there. A test holds them against the document.
var (
	triggerNeeds = map[string][]string{
		"manual": {}, "schedule": {"cron"}, "incident": {"events"}, "change": {"change_kinds"}, "metric": {"metric", "above"}, "webhook": {"path"},
	}
	stepNeeds = map[string][]string{
		"http": {"url"}, "script": {"language", "source"}, "wait": {"seconds"}, "page": {"schedule_id", "text"}, "message": {"channel", "text"},
		"ticket": {"project", "title"}, "metric_query": {"metric", "service_ids"}, "log_read": {"service_id"}, "rollback": {"change_id"},
		"scale": {"service_id", "replicas"}, "flag": {"flag", "on"}, "approval": {"approver_ids"}, "incident_update": {"incident_id"},
		"set": {"values"}, "workflow": {"workflow_id"}, "branch": {"cases"}, "parallel": {"branches"}, "loop": {"over", "steps"}, "try": {"steps"},
	}
)

// tagged checks an object whose field tag says what else must be there, and gives its fields.
func (p *params) tagged(path string, raw json.RawMessage, tag string, needs map[string][]string) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		p.fault(path, "is required, an object")
		return nil
	}
	var kind string
	needed, known := []string(nil), false
	if err := json.Unmarshal(fields[tag], &kind); err == nil {
		needed, known = needs[kind]
	}
	if !known {
		p.fault(path+"."+tag, "must be one of "+strings.Join(sortedKeys(needs), ", "))
		return nil
	}
	for _, name := range needed {
		if value, has := fields[name]; !has || bytes.Equal(value, []byte("null")) {
			p.fault(path+"."+name, "is required where "+tag+" is "+kind)
		}
	}
	return fields
}

const stepDepth = 20

func sortedKeys(of map[string][]string) []string {
	var keys []string
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// steps checks a list of steps and all steps inside them.
func (p *params) steps(path string, raw json.RawMessage, required bool) {
	if len(raw) == 0 && !required {
		return
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || (required && len(list) == 0) {
		p.fault(path, "must be a list of steps, at least one")
		return
	}
	if strings.Count(path, "[") > stepDepth {
		p.fault(path, "lies too deep; steps nest at most "+strconv.Itoa(stepDepth)+" deep")
		return
	}
	for i, one := range list {
		p.step(path+"["+strconv.Itoa(i)+"]", one)
	}
}

func (p *params) step(path string, raw json.RawMessage) {
	fields := p.tagged(path, raw, "type", stepNeeds)
	if fields == nil {
		return
	}
	if len(fields["id"]) == 0 {
		p.fault(path+".id", "is required")
	}
	for _, name := range []string{"steps", "otherwise", "catch"} {
		p.steps(path+"."+name, fields[name], false)
	}
	for _, name := range []string{"cases", "branches"} {
		p.nested(path+"."+name, fields[name])
	}
}

// nested checks a list of objects that hold steps.
func (p *params) nested(path string, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	var list []struct {
		Steps json.RawMessage `json:"steps"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		p.fault(path, "must be a list of objects with steps")
		return
	}
	for i, one := range list {
		p.steps(path+"["+strconv.Itoa(i)+"].steps", one.Steps, true)
	}
}

// countSteps counts the steps of a list, not those inside them.
func countSteps(raw json.RawMessage) int {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return 0
	}
	return len(list)
}

func seedWorkflows(now time.Time) []*workflow {
	simple := func(name, status, trigger, steps string) *workflow {
		return &workflow{ID: workflowID(name), Status: status, Version: 1, UpdatedAt: now.Add(-30 * 24 * time.Hour),
			Definition: workflowDocument{Name: name, OwnerID: "p_gus", Trigger: json.RawMessage(trigger), Steps: json.RawMessage(steps)}}
	}
	return []*workflow{
		simple("Page on sev1", "running", `{"kind":"incident","events":["created"],"severities":["sev1"]}`,
			`[{"id":"page","type":"page","schedule_id":"0071","text":"A sev1 was opened: ${trigger.incident.title}"}]`),
		simple("Paging drill", "stopped", `{"kind":"schedule","cron":"0 10 * * 1"}`,
			`[{"id":"page","type":"page","schedule_id":"0074","text":"This is a drill."},{"id":"wait","type":"wait","seconds":300}]`),
		simple("Nightly export", "running", `{"kind":"schedule","cron":"0 2 * * *"}`,
			`[{"id":"export","type":"http","url":"https://reports.example.com/export","method":"POST"}]`),
		simple("Rollback on errors", "running", `{"kind":"metric","metric":"error_rate","above":10,"for_s":300}`,
			`[{"id":"ask","type":"approval","approver_ids":["p_ada"]},{"id":"back","type":"rollback","change_id":"${trigger.last_change.id}"}]`),
		simple("Certificate watch", "running", `{"kind":"schedule","cron":"30 6 * * *"}`,
			`[{"id":"look","type":"script","language":"python","source":"check()"}]`),
		simple("Disk cleanup", "stopped", `{"kind":"manual"}`,
			`[{"id":"each","type":"loop","over":["a","b"],"steps":[{"id":"clean","type":"script","language":"sh","source":"clean ${item}"}]}]`),
	}
}
