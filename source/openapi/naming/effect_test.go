package naming

import (
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
)

// TestEffects has a case for each sentence of contracts §5, "Effect when nobody says".
func TestEffects(t *testing.T) {
	for _, c := range []struct {
		sentence string
		routes   []string
		want     string
	}{
		{"GET, HEAD and OPTIONS read", []string{"GET /cats", "HEAD /cats", "OPTIONS /cats", "GET /cats/delete"}, "reads reads reads reads"},
		{"except behind exec, attach, portforward, proxy and connect",
			[]string{"GET /pods/{id}/exec", "GET /pods/{id}/attach", "HEAD /pods/{id}/portforward", "OPTIONS /pods/{id}/proxy/{path}", "GET /pods/connect", "GET /proxy/pods"},
			"writes writes writes writes writes reads"},
		{"DELETE destroys", []string{"DELETE /cats/{id}", "DELETE /cats/list"}, "destroys destroys"},
		{"a noun after the first that is wholly a destroying word",
			[]string{"POST /cats/delete/batch", "PUT /cats/{id}/purge/{part}", "POST /delete/cats", "POST /cats/delete-hook/run"}, "destroys destroys writes writes"},
		{"a last segment that begins or ends in one",
			[]string{"POST /cats/{id}/removeItem", "PATCH /cats/bulk-delete", "POST /revoke", "POST /cats/soft-delete-marks"}, "destroys destroys destroys writes"},
		{"not where that segment has items", []string{"POST /cats/remove-requests", "GET /cats/remove-requests/{id}"}, "writes reads"},
		{"a POST whose last segment begins or ends in a reading word reads",
			[]string{"POST /cats/search", "POST /cats/list-by-id", "POST /cats/fur-count", "POST /cats/download", "POST /cats/the-list-of-all"}, "reads reads reads reads writes"},
		{"not a PUT or PATCH", []string{"PUT /cats/search", "PATCH /cats/export"}, "writes writes"},
		{"not where it has items", []string{"POST /cats/export", "GET /cats/export/{id}"}, "writes reads"},
		{"destroying goes before reading", []string{"POST /cats/delete-list"}, "destroys"},
		{"the method's summary is not asked where methods differ", []string{"POST /cats/feed | List the feed"}, "writes"},
		{"else writes", []string{"POST /cats", "PUT /cats/{id}", "PATCH /cats/{id}", "TRACE /cats"}, "writes writes writes writes"},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			checkEffects(t, slices.Concat(summarised(c.routes), mixedRoutes), c.want)
		})
	}
}

func TestEffectsOfOneMethod(t *testing.T) {
	routes := summarised([]string{
		"POST /alert/feed | List alert activity", "POST /insight/team | Get team insight", "POST /incident/close | Remove the incident",
		"POST /incident/ack | Acknowledge it", "POST /incident/delete | Get rid of it", "POST /rule/audits | 列出", "POST /rule/audit",
	})
	checkEffects(t, routes, "reads reads destroys writes destroys writes writes")
}

func TestEffectIgnoresDroppedSegments(t *testing.T) {
	routes := routeLines("POST /api/delete/x", "GET /api/cats", "PUT /api/cats/{id}")
	effects := Effects(routes, Choice{Rule: Path, Dropped: []string{"api"}})
	if effects[0].Effect != twodoor.Writes {
		t.Errorf("delete is the first noun after api, got %+v", effects[0])
	}
}

func TestIdempotent(t *testing.T) {
	routes := routeLines("GET /cats", "HEAD /cats", "PUT /cats/{id}", "DELETE /cats/{id}", "POST /cats", "PATCH /cats/{id}", "POST /cats/list", "GET /cats/exec")
	for i, e := range Effects(routes, Choice{}) {
		if want := i < 4; e.Idempotent != want {
			t.Errorf("%s: idempotent %v", routes[i].Key(), e.Idempotent)
		}
	}
}

// summarised reads "METHOD /path | summary".
func summarised(text []string) []Route {
	var routes []Route
	for _, line := range text {
		head, summary, _ := strings.Cut(line, " | ")
		r := routeLines(head)[0]
		r.Summary = summary
		routes = append(routes, r)
	}
	return routes
}

func checkEffects(t *testing.T, routes []Route, want string) {
	t.Helper()
	effects := Effects(routes, Choice{})
	for i, word := range strings.Fields(want) {
		if e := effects[i]; string(e.Effect) != word || e.Reason == "" || strings.Contains(e.Reason, "\n") {
			t.Errorf("%s: %s (%q), want %s", routes[i].Key(), e.Effect, e.Reason, word)
		}
	}
}
