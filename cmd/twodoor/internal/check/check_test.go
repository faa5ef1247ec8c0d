package check

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/guide"
)

// TestBadInput: whatever is wrong with a file is told at its line, and nothing ends the check.
func TestBadInput(t *testing.T) {
	b, library := demo(t)
	checker := b.checker(library)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"crlf", "# x\r\n\r\n```sh\r\ntwodoor harbor incident gt inc_1\r\n```\r\n", []string{"4:25: unknown-command"}},
		{"unclosed", "# x\n```sh\ntwodoor harbor incident list --status opn\n", []string{"2:1: unclosed-fence", "3:30: bad-enum"}},
		{"front matter", "---\nname: x\n`twodoor harbor incident list`\n", []string{"1:1: front-matter"}},
		{"indented", "1. Do it:\n   ```bash\n   twodoor harbor incident ack\n   ```\n", []string{"3:4: missing-required"}},
		{"old name of a flag is no fault", "```sh\ntwodoor harbor incident list --service_id svc_1\n```\n", nil},
		{"heredoc never ended", "```sh\ntwodoor harbor incident create --data - <<'EOF'\n{}\n```\n", []string{"2:1: bad-shell"}},
		{"not JSON", "```sh\ntwodoor harbor incident create --data - <<'EOF'\n{\"title\": \"x\nEOF\n```\n", []string{"2:32: bad-body"}},
		{"JSON of something else", "```json\n{\"name\": \"x\", \"arguments\": [1]}\n{\"a\": 1}\n```\n", nil},
		{"a level that is named", "See `twodoor harbor incident` and `twodoor harbor incident ack`, or `twodoor <source> --help`.\n", nil},
		{"a level that is called", "```sh\ntwodoor harbor incident\n```\n", []string{"2:1: unknown-command"}},
		{"elided", "```sh\ntwodoor harbor incident create --severity sev1 …\n```\n", nil},
		{"elided with a wrong flag", "```sh\ntwodoor harbor incident create --sevrity sev1 ...\n```\n", []string{"2:32: unknown-flag"}},
		{"variables", "```sh\nfor id in $(twodoor harbor incident list --jq '.items[].id' -o raw); do twodoor harbor incident get \"$id\"; done\n```\n", nil},
		{"inner command", "```sh\ntwodoor harbor incident get $(twodoor harbor incident lst --jq '.items[0].id')\n```\n", []string{"2:55: unknown-command"}},
		{"xargs", "```sh\ntwodoor harbor incident list --jq '.items[].id' -o raw | xargs -n1 twodoor harbor incident ack\n```\n", nil},
		{"file of a heredoc", "```sh\ncat > body.json <<'EOF'\n{\"titel\": \"x\"}\nEOF\ntwodoor harbor incident create --data @body.json\n```\n", []string{"5:32: missing-required", "5:32: missing-required"}},
		{"file that is elsewhere", "```sh\ntwodoor harbor incident create --data @body.json\n```\n", nil},
		{"stdin that nobody gives", "```sh\ntwodoor harbor incident create --data -\n```\n", []string{"2:1: bad-body"}},
		{"call tool", "```json\n{\"name\": \"write_operation\", \"arguments\": {\"id\": \"harbor.incident.ack\", \"arguments\": {\"incident_id\": \"7\"}, \"want\": {\"fields\": [\"nme\"]}}}\n```\n", []string{"2:1: bad-body", "2:1: unknown-field"}},
		{"tool span", "Call `harbor_incident_ack {\"incident\": \"inc_1\"}` or `harbor_incident_lst`.\n", []string{"1:7: bad-body", "1:7: bad-body", "1:54: unknown-operation"}},
		{"message", "```json\n{\"method\":\"tools/call\",\"params\":{\"name\":\"harbor_incident_list\",\"arguments\":{\"_want\":{\"jq\":\".[].id\"}}}}\n```\n", []string{"2:1: bad-jq"}},
		{"placeholder as a verb", "```sh\ntwodoor harbor incident <verb> --help\n```\n", nil},
		{"name beside an id", "```sh\ntwodoor harbor incident list --jq '.items[] | [.id, .assignee_name, .asignee_name]'\n```\n", []string{"2:35: bad-jq: jq: there is no field asignee_name"}},
		{"not ours", "```sh\ngit status\nkubectl get pods -o json | jq '.itemz[]'\n```\n```python\ntwodoor('x')\n```\n", nil},
		{"nul and bad UTF-8", "```sh\ntwodoor harbor \x00incident \xff\n```\n`twodoor harbor \xfe`", []string{"2:1: bad-shell", "4:2: bad-shell"}},
	} {
		var got []string
		for _, f := range checker.Check("f.md", []byte(c.text)) {
			got = append(got, strings.TrimPrefix(f.String(), "f.md:"))
		}
		ok := len(got) == len(c.want)
		for i := range min(len(got), len(c.want)) {
			ok = ok && strings.HasPrefix(got[i], c.want[i])
		}
		if !ok {
			t.Errorf("%s: wanted %q\n\t%s", c.name, c.want, strings.Join(got, "\n\t"))
		}
	}
}

// TestGuidesOfAnotherTime: guides that name what is gone, and two of one name.
func TestGuidesOfAnotherTime(t *testing.T) {
	b, _ := demo(t)
	text := "---\nname: x\ntitle: X\noperations: [incident.gone, incident.list, 'incident.*', 'gone.*']\n---\n`incident.gone`\n"
	checker := b.checker(guide.Load("harbor", fstest.MapFS{"a.md": {Data: []byte(text)}, "b.md": {Data: []byte(text)}}, 0))
	var kinds []string
	for _, f := range checker.CheckGuides() {
		kinds = append(kinds, string(f.Kind))
	}
	if got := strings.Join(kinds, " "); got != "unknown-operation unknown-operation same-name" {
		t.Errorf("%s", got)
	}
	if findings := checker.Check("a.md", []byte(text)); len(findings) != 1 || findings[0].Line != 6 || findings[0].Kind != guide.UnknownOperation {
		t.Errorf("%v", findings)
	}
}

// TestAnnotations: the demo's annotations hold, and each broken one is told.
func TestAnnotations(t *testing.T) {
	b, library := demo(t)
	findings, err := b.checker(library).CheckCatalog()
	if err != nil || len(findings) > 0 {
		t.Fatalf("%v %v", err, findings)
	}
	for name, c := range map[string]struct {
		kind  guide.Mistake
		spoil func(op *twodoor.Operation)
	}{
		"guide":       {guide.UnknownGuide, func(op *twodoor.Operation) { op.Guides = []string{"triagx"} }},
		"next target": {guide.UnknownOperation, func(op *twodoor.Operation) { op.Next[0].Call = "incident.akc" }},
		"next when":   {guide.BadJQ, func(op *twodoor.Operation) { op.Next[0].When = ".itemz" }},
		"next jq":     {guide.BadJQ, func(op *twodoor.Operation) { op.Next[0].Arguments = map[string]string{"incident_id": ".items[0].idd"} }},
		"next argument": {guide.UnknownField, func(op *twodoor.Operation) {
			op.Next[0].Arguments = map[string]string{"incident_id": ".items[0].id", "incident": ".total"}
		}},
		"next without id":  {guide.MissingRequired, func(op *twodoor.Operation) { op.Next[0].Arguments = nil }},
		"before duration":  {guide.BadValue, func(op *twodoor.Operation) { op.Before = []twodoor.Step{{Call: "service.list", Every: "soon"}} }},
		"before until":     {guide.BadJQ, func(op *twodoor.Operation) { op.Before = []twodoor.Step{{Call: "service.list", Until: ".itemz"}} }},
		"answer field":     {guide.UnknownField, func(op *twodoor.Operation) { op.Answer.Fields = []string{"id", "titel"} }},
		"answer root":      {guide.UnknownField, func(op *twodoor.Operation) { op.Answer.Root = ".itemz" }},
		"names of ids":     {guide.UnknownOperation, func(op *twodoor.Operation) { op.Answer.IDNames = map[string]string{"x": "person.gt"} }},
		"input of paging":  {guide.UnknownField, func(op *twodoor.Operation) { p := *op.Page; p.Param = "cursr"; op.Page = &p }},
		"answer of paging": {guide.UnknownField, func(op *twodoor.Operation) { p := *op.Page; p.Next = ".nxt"; op.Page = &p }},
		"view rows":        {guide.BadJQ, func(op *twodoor.Operation) { op.View = []byte(`{"kind":"timeline","rows":".itemz"}`) }},
		"view field":       {guide.BadJQ, func(op *twodoor.Operation) { op.View = []byte(`{"kind":"timeline","rows":".items","start":"att"}`) }},
		"view program": {guide.BadJQ, func(op *twodoor.Operation) {
			op.View = []byte(`{"kind":"timeline","rows":".items[]","label":".titel"}`)
		}},
		"step after a fault": {guide.BadJQ, func(op *twodoor.Operation) {
			op.Next = []twodoor.Step{{On: twodoor.CodeConflict, When: ".error.codee == 1", Call: "incident.get", Arguments: map[string]string{"incident_id": ".error.message"}}}
		}},
		"argument after a fault": {guide.BadJQ, func(op *twodoor.Operation) {
			op.Next = []twodoor.Step{{On: twodoor.CodeConflict, Call: "incident.get", Arguments: map[string]string{"incident_id": ".arguments.idd"}}}
		}},
		"example": {guide.BadBody, func(op *twodoor.Operation) { op.Examples = []twodoor.Example{{Arguments: []byte(`{"status":"opn"}`)}} }},
	} {
		broken := *b.reading
		broken.Operations = slices.Clone(b.reading.Operations)
		at := slices.IndexFunc(broken.Operations, func(op twodoor.Operation) bool { return op.ID == "harbor.incident.list" })
		op := broken.Operations[at]
		op.Next = slices.Clone(op.Next)
		c.spoil(&op)
		broken.Operations[at] = op
		findings, err := over(t, &broken).checker(library).CheckCatalog()
		if err != nil || len(findings) == 0 || findings[0].Kind != c.kind {
			t.Errorf("%s: wanted %s: %v %v", name, c.kind, err, findings)
		}
	}
}
