package naming

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// routeLines gives routes in the notation of [routesFrom].
func routeLines(text ...string) []Route { return routesFrom(strings.Join(text, "\n")) }

// pagedRoutes marks routes as taking a page.
func pagedRoutes(routes []Route) []Route {
	for i := range routes {
		routes[i].Paged = true
	}
	return routes
}

// manyRoutes makes n routes of a pattern that counts, for the rules that look at shares.
func manyRoutes(n int, pattern string) []Route {
	var routes []Route
	for i := range n {
		routes = append(routes, routeLines(fmt.Sprintf(pattern, i))...)
	}
	return routes
}

// mixedRoutes keeps any method below nine of ten, and any leading noun.
var mixedRoutes = routeLines("GET /zebras", "POST /zebras", "PUT /yaks/{id}", "PATCH /yaks/{id}", "DELETE /yaks/{id}", "HEAD /xenops")

// TestPathRule has a case for each sentence of the path rule in contracts §1. Each names the first
// routes; those of mixedRoutes follow, where a case does not bring enough of its own.
func TestPathRule(t *testing.T) {
	for _, c := range []struct {
		sentence string
		routes   []Route
		want     string
	}{
		{"drop leading segments shared by nine of ten paths",
			manyRoutes(10, "GET /api/core/things%d"), "things0.get things1.get things2.get things3.get things4.get things5.get things6.get things7.get things8.get things9.get"},
		{"nine of ten is enough",
			slices.Concat(routeLines("GET /health"), manyRoutes(9, "GET /api/n%d")), "health.get n0.get n1.get n2.get n3.get n4.get n5.get n6.get n7.get n8.get"},
		{"eight of ten is not",
			slices.Concat(routeLines("PUT /health", "POST /ready"), manyRoutes(8, "GET /api/n%d/{id}")), "health.update ready.create api.n0-get api.n1-get api.n2-get api.n3-get api.n4-get api.n5-get api.n6-get api.n7-get"},
		{"never a path's last noun",
			slices.Concat(routeLines("GET /accounts", "GET /accounts/{id}", "POST /accounts"), manyRoutes(6, "PUT /accounts/{id}/n%d")),
			"accounts.list accounts.get accounts.create n0.update n1.update n2.update n3.update n4.update n5.update"},
		{"drop version segments, anywhere",
			routeLines("GET /v1/cats", "GET /cats/v2beta1/toys", "GET /2010-04-01/dogs/{id}", "GET /v1.1/birds", "GET /v1p1beta1/fish", "GET /vets"),
			"cats.list cats.toys-list dogs.get birds.list fish.get vets.list"},
		{"a word with a v is no version", routeLines("POST /video1", "POST /v1x/{id}"), "video1.create v1x.update"},
		{"drop {params}", routeLines("GET /cats/{id}/toys/{toy}/parts/{part}"), "cats.toys-parts-get"},
		{"params without a word between are one item", routeLines("GET /cats/{base}...{head}"), "cats.get"},
		{"text at a param is a segment", routeLines("POST /cats/{id}:feed", "GET /cats/{id}/photo.{ext}"), "cats.feed-create cats.photo-get"},
		{"a .json ending that nine of ten share",
			manyRoutes(10, "GET /n%d/{Sid}.json"), "n0.get n1.get n2.get n3.get n4.get n5.get n6.get n7.get n8.get n9.get"},
		{"a .json ending that few share", routeLines("GET /cats.json"), "cats-json.get"},
		{"what follows # or ? is a segment",
			routeLines("POST /token", "POST /token#refresh", "POST /cats?beta=true", "GET /cats/{id}?beta=true", "GET /cats?beta=true"),
			"token.create token.refresh cats.beta-true-create cats.beta-true-get cats.beta-true-list"},
		{"words are split and lower case", routeLines("POST /IncidentReports/addFollowers", "PUT /ip_access/APIKeys"), "incident-reports.add-followers ip-access.api-keys-update"},
		{"the first noun is the group, the rest the verb", routeLines("PUT /cats/{id}/toys/colours"), "cats.toys-colours-update"},

		{"GET get on an item, list of many, else get",
			routeLines("GET /cats/{id}", "GET /cats", "GET /staff", "GET /staff/{id}", "GET /status"), "cats.get cats.list staff.list staff.get status.get"},
		{"GET list if it takes a page", pagedRoutes(routeLines("GET /staff", "GET /cats/{id}")), "staff.list cats.get"},
		{"POST update on an item without PUT or PATCH, else create",
			routeLines("POST /cats/{id}", "POST /cats", "POST /dogs/{id}", "PUT /dogs/{id}", "POST /eels/{id}", "PATCH /eels/{id}"),
			"cats.update cats.create dogs.create dogs.update eels.create eels.update"},
		{"PUT replace beside a PATCH, else update",
			routeLines("PUT /cats/{id}", "PATCH /cats/{id}", "PUT /dogs/{id}"), "cats.replace cats.update dogs.update"},
		{"DELETE delete; others their own name",
			routeLines("DELETE /cats/{id}", "HEAD /cats", "OPTIONS /cats", "TRACE /cats"), "cats.delete cats.head cats.options cats.trace"},

		{"left out when a noun remains and nine of ten share the method",
			manyRoutes(10, "PUT /n%d/thing"), "n0.thing n1.thing n2.thing n3.thing n4.thing n5.thing n6.thing n7.thing n8.thing n9.thing"},
		{"not left out when no noun remains",
			manyRoutes(10, "PUT /n%d"), "n0.update n1.update n2.update n3.update n4.update n5.update n6.update n7.update n8.update n9.update"},
		{"left out when the last segment begins or ends in a verb word",
			routeLines("POST /cats/{id}/feed", "POST /cats/{id}/archive", "POST /cats/{id}/bulk-groom", "POST /cats/fur-analyze"),
			"cats.feed-create cats.archive cats.bulk-groom cats.fur-analyze"},
		{"not in the middle", routeLines("POST /cats/fur-analyze-report-cards"), "cats.fur-analyze-report-cards-create"},
		{"not where the segment has items", routeLines("POST /cats/{id}/archive", "GET /cats/{id}/archive/{year}"), "cats.archive-create cats.archive-get"},
		{"GET: a reading word", routeLines("GET /cats/search", "GET /cats/archive", "GET /cats/{id}/toys-export"), "cats.search cats.archive-get cats.toys-export"},
		{"never DELETE", routeLines("DELETE /cats/{id}/archive"), "cats.archive-delete"},
		{"no empty verb", routeLines("POST /search", "GET /search"), "search.create search.get"},

		{"two together: the method's verb comes back",
			routeLines("POST /cats/{id}/archive", "PUT /cats/archive"), "cats.archive-create cats.archive-update"},
		{"then -many on the collection",
			routeLines("DELETE /cats", "DELETE /cats/{id}", "PUT /cats/toys", "PATCH /cats/toys/{id}"), "cats.delete-many cats.delete cats.toys-update-many cats.toys-update"},
		{"then -by-PARAM, the last its rivals lack",
			routeLines("GET /cats/{id}", "GET /cats/{id}/{sha}", "GET /cats/{catName}/{sha}/{line}"), "cats.get cats.get-by-sha cats.get-by-line"},
		{"by the last of several", routeLines("POST /runs/steps", "POST /runs/{run_id}/{attempt}/steps"), "runs.steps-create runs.steps-create-by-attempt"},
		{"then a word of the path", routeLines("GET /apps/v1/sets", "GET /apps/v2/sets"), "apps.sets-list-v1 apps.sets-list-v2"},
		{"then a number, the first keeps its name", routeLines("GET /cats/a-b", "GET /cats/A_B", "GET /cats/a.b"), "cats.a-b-get cats.a-b-get-2 cats.a-b-get-3"},

		{"the source's name where no noun is", routeLines("GET /", "GET /{id}", "POST /v1"), "harbor.get harbor.get-by-id harbor.create"},
		{"an API of POSTs: first segment, then the rest joined by hyphens",
			slices.Concat(routeLines("POST /incident/ack", "POST /status-page/change/create"), manyRoutes(8, "POST /n%d/list/by-id"), routeLines("GET /oncall/roles")),
			"incident.ack status-page.change-create n0.list-by-id n1.list-by-id n2.list-by-id n3.list-by-id n4.list-by-id n5.list-by-id n6.list-by-id n7.list-by-id oncall.roles"},
		{"an API of POSTs with one group keeps it", routeLines("POST /api/v1/incident/ack", "POST /api/v1/incident/list"), "incident.ack incident.list"},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			want := strings.Fields(c.want)
			routes := c.routes
			if len(routes) < 8 && !strings.HasPrefix(c.sentence, "an API of POSTs") {
				routes = slices.Concat(routes, mixedRoutes)
			}
			names, _, _ := Names(routes, "harbor", Path, nil, nil)
			if !slices.Equal(names[:len(want)], want) {
				t.Errorf("got  %v\nwant %v", names[:len(want)], want)
			}
			checkNames(t, names)
		})
	}
}

func TestSplit(t *testing.T) {
	large := slices.Concat(
		manyRoutes(25, "GET /repos/{id}/n%d/{x}"),
		routeLines("GET /repos", "GET /repos/{id}", "POST /repos/{id}/merge", "GET /repos/{id}/issues", "POST /repos/{id}/issues/{n}", "GET /issues"),
		mixedRoutes)
	names, used, _ := Names(large, "harbor", Path, nil, nil)
	if !slices.Equal(used.Split, []string{"repos"}) {
		t.Errorf("split %v, want repos", used.Split)
	}
	want := strings.Fields("n24.get repos.list repos.get repos.merge issues.list-by-id issues.update issues.list")
	if got := names[24:31]; !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for _, c := range []struct {
		name   string
		routes []Route
	}{
		{"20 operations", slices.Concat(manyRoutes(20, "GET /repos/{id}/n%d/{x}"), mixedRoutes)},
		{"40 %", slices.Concat(manyRoutes(24, "GET /repos/{id}/n%d/{x}"), manyRoutes(36, "POST /other%d"))},
		{"one method", slices.Concat(manyRoutes(50, "GET /repos/{id}/n%d/{x}"), manyRoutes(5, "POST /zebras/%d"))},
		{"no items to split by", slices.Concat(manyRoutes(25, "GET /repos/{id}/n%d"), mixedRoutes)},
	} {
		if _, used, _ := Names(c.routes, "harbor", Path, nil, nil); used.Split != nil {
			t.Errorf("%s: split %v", c.name, used.Split)
		}
	}
}

func TestOperationIDRule(t *testing.T) {
	for _, c := range []struct {
		sentence string
		routes   []Route
		want     string
	}{
		{"what stands before the first / or . is the group",
			routeLines("GET /a pets/list-all", "GET /b pets.owners.list", "GET /c pets/x.y/z"), "pets.list-all pets.owners-list pets.x-y-z"},
		{"else the first tag", routeLines("GET /a listAll Pet_Shop"), "pet-shop.list-all"},
		{"else the first path noun", routeLines("GET /pets listAll", "POST /v1/dogs/{id}/toys createToy"), "pets.list-all dogs.create-toy"},
		{"else the source's name", routeLines("GET / listAll"), "harbor.list-all"},
		{"the group's words are dropped once", routeLines("GET /a listCoreV1PodCoreV1 core_v1", "GET /b petsList pets"), "core-v1.list-pod-core-v1 pets.list"},
		{"unless that empties it", routeLines("GET /a pets pets"), "pets.pets"},
		{"or makes two alike", routeLines("GET /a listPets pets", "GET /b list pets", "GET /c petsGet pets"), "pets.list-pets pets.list pets.get"},
		{"then -by-PARAM", routeLines("GET /a/{id} pets/list", "GET /a pets/list"), "pets.list-by-id pets.list"},
		{"an operation without id", routeLines("GET /pets/{id}", "GET /dogs dogs/"), "pets.get dogs.list"},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			want := strings.Fields(c.want)
			names, _, _ := Names(slices.Concat(c.routes, mixedRoutes), "harbor", OperationID, nil, nil)
			if !slices.Equal(names[:len(want)], want) {
				t.Errorf("got  %v\nwant %v", names[:len(want)], want)
			}
			checkNames(t, names)
		})
	}
}

func TestAuto(t *testing.T) {
	for _, c := range []struct {
		sentence, rule string
		routes         []Route
	}{
		{"without ids: path", Path, routeLines("GET /a", "GET /A")},
		{"operation-id first where nine of ten ids hold a / or .", OperationID, manyRoutes(10, "GET /n%[1]d x/op%[1]d")},
		{"else path first", Path, slices.Concat(manyRoutes(8, "GET /n%[1]d x/op%[1]d"), routeLines("GET /y op8", "GET /z op9"))},
		{"the first with no collision", OperationID, routeLines("GET /v1/a listA", "GET /v2/a listB")},
		{"the first with no empty verb", Path, slices.Concat(manyRoutes(10, "GET /n%[1]d x/op%[1]d"), routeLines("GET /y x/"))},
		{"the first with at most 80 groups", OperationID, manyRoutes(81, "GET /n%[1]d op%[1]d one")},
		{"else the one with fewest collisions", Path, routeLines("GET /v1/a list x", "GET /v2/a list x", "GET /b list x")},
		{"then the smallest largest group", OperationID, slices.Concat(
			routeLines("GET /v1/a list a", "GET /v2/a list a", "GET /b listB z", "PUT /c put y"), manyRoutes(4, "GET /a/n%[1]d op%[1]d g%[1]d"))},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			_, used, _ := Names(c.routes, "harbor", Auto, nil, nil)
			if used.Rule != c.rule {
				t.Errorf("picked %s: %s", used.Rule, used.Report)
			}
			if !strings.Contains(used.Report, "groups") || !strings.Contains(used.Report, "ids hold") && !strings.Contains(used.Report, "no operation has an id") {
				t.Errorf("the report lacks counts or why: %q", used.Report)
			}
		})
	}
}

func TestOverride(t *testing.T) {
	routes := slices.Concat(routeLines("GET /cats", "POST /cats/{id}/feed"), mixedRoutes)
	for _, c := range []struct{ name, want string }{
		{"animals.all", "animals.all"},
		{"harbor.animals.all", "animals.all"},
		{"showAll", "cats.show-all"},
		{"animals.all.ofThem", "animals.all-of-them"},
		{"cats.feed-create", "cats.feed-create"},
	} {
		routes[0].Name = c.name
		names, _, _ := Names(routes, "harbor", Path, nil, nil)
		if names[0] != c.want {
			t.Errorf("%q: named %s, want %s", c.name, names[0], c.want)
		}
		checkNames(t, names)
	}

	locked := map[string]string{"GET /cats": "cats.list", "POST /cats/{id}/feed": "cats.feed"}
	routes[0].Name = "cats.feed"
	names, _, notes := Names(routes, "harbor", Path, nil, locked)
	if names[0] == "cats.feed" || names[1] != "cats.feed" {
		t.Errorf("an override took a locked name from another: %v", names[:2])
	}
	wantNote(t, notes, "GET /cats", "POST /cats/{id}/feed", names[0])

	routes[0].Name = "cats.all"
	newcomer := routeLines("GET /x x x cats.list")
	names, _, notes = Names(slices.Concat(newcomer, routes), "harbor", Path, nil, locked)
	if names[1] != "cats.all" || names[0] == "cats.list" {
		t.Errorf("renamed %s, and its old name went to another: %v", names[1], names[:2])
	}
	wantNote(t, notes, "GET /cats", "cats.all", "cats.list stays reserved")
}

func TestLock(t *testing.T) {
	old := slices.Concat(routeLines("POST /cats/{id}/archive", "GET /cats", "GET /dogs/{id}"), mixedRoutes)
	names, used, _ := Names(old, "harbor", Auto, nil, nil)
	locked := lockOf(old, names)

	t.Run("a newcomer that collides gets the longer name", func(t *testing.T) {
		grown := slices.Concat(routeLines("PUT /cats/archive"), old, routeLines("GET /dogs/{id}/{tail}"))
		names, _, notes := Names(grown, "harbor", Auto, &used, locked)
		for i, want := range map[int]string{0: "cats.archive-update", 1: "cats.archive", len(grown) - 1: "dogs.get-by-tail"} {
			if names[i] != want {
				t.Errorf("%s: %s, want %s", grown[i].Key(), names[i], want)
			}
		}
		wantNote(t, notes, "PUT /cats/archive", "POST /cats/{id}/archive", "cats.archive", "cats.archive-update")
	})
	t.Run("the name of a removed operation stays reserved", func(t *testing.T) {
		changed := slices.Concat(routeLines("PUT /cats/archive"), old[1:])
		names, _, notes := Names(changed, "harbor", Auto, &used, locked)
		if names[0] != "cats.archive-update" {
			t.Errorf("named %s", names[0])
		}
		wantNote(t, notes, "PUT /cats/archive", "POST /cats/{id}/archive (no longer so named)")
	})
	t.Run("rule, dropped and split are not decided again", func(t *testing.T) {
		kept := Choice{Rule: Path, Dropped: []string{"api", ".json"}, Split: []string{"repos"}}
		routes := slices.Concat(routeLines("GET /api/repos/{id}/tags/{tag}.json x/a", "GET /other/things.json x/b"), manyRoutes(10, "GET /n%[1]d x/%[1]d"))
		names, used, _ := Names(routes, "harbor", Auto, &kept, nil)
		if used.Rule != Path || !slices.Equal(used.Dropped, kept.Dropped) || !slices.Equal(used.Split, kept.Split) {
			t.Errorf("kept %+v, used %+v", kept, used)
		}
		if names[0] != "tags.get" || names[1] != "other.things" {
			t.Errorf("named %v", names[:2])
		}
	})
	t.Run("a rule asked for goes before the kept one", func(t *testing.T) {
		if _, used, _ := Names(old, "harbor", OperationID, &used, locked); used.Rule != OperationID {
			t.Errorf("used %s", used.Rule)
		}
	})
	t.Run("a lock edited by hand", func(t *testing.T) {
		bad := map[string]string{"GET /cats": "cats", "GET /dogs/{id}": "x.y", "POST /cats/{id}/archive": "x.y", "GET /gone": "x.y"}
		names, _, notes := Names(old, "harbor", Auto, &used, bad)
		checkNames(t, names)
		if names[0] != "x.y" || names[1] != "cats.list" || names[2] != "dogs.get" {
			t.Errorf("named %v", names[:3])
		}
		wantNote(t, notes, "GET /cats", "not group.verb")
		wantNote(t, notes, "POST /cats/{id}/archive", "GET /dogs/{id}", "named anew")
	})
}

// wantNote asks for one note with all the parts.
func wantNote(t *testing.T, notes []string, parts ...string) {
	t.Helper()
	if !slices.ContainsFunc(notes, func(note string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(note, part) })
	}) {
		t.Errorf("no note has %q: %q", parts, notes)
	}
}

// The numbered edge cases of the survey of generators that concern names in a description.

func TestEdge01ThreeReduceToOneName(t *testing.T) {
	names, _, notes := Names(routeLines("GET /x getCat pets", "GET /y get-cat pets", "GET /z get_cat pets"), "harbor", OperationID, nil, nil)
	if want := []string{"pets.get-cat-x", "pets.get-cat-y", "pets.get-cat-z"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	wantNote(t, notes, "GET /x", "GET /y", "GET /z", "pets.get-cat")
}

func TestEdge02TwoCollectionsUnderOneTag(t *testing.T) {
	names, _, _ := Names(routeLines("GET /cats x cats", "GET /cats/{id}/cats x cats", "GET /zoo/{id}/cats x cats", "GET /zoo/{zoo}/cats/by/id x cats"), "harbor", Auto, nil, nil)
	checkNames(t, names)
}

func TestEdge03TwinsInCaseAndNoIDs(t *testing.T) {
	names, used, notes := Names(routeLines("GET /groups", "GET /Groups", "POST /groups"), "harbor", Auto, nil, nil)
	if want := []string{"groups.list", "groups.list-2", "groups.create"}; !slices.Equal(names, want) || used.Rule != Path {
		t.Errorf("got %v by %s, want %v", names, used.Rule, want)
	}
	wantNote(t, notes, "GET /groups", "GET /Groups", "groups.list-2")
}

func TestEdge48TemplatedTwins(t *testing.T) {
	names, _, _ := Names(routeLines("GET /cats/{id}", "GET /cats/{name}", "POST /cats"), "harbor", Path, nil, nil)
	if want := []string{"cats.get-by-id", "cats.get-by-name", "cats.create"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"listCoreV1Pods": "list-core-v1-pods", "V1APIResources": "v1-api-resources", "listIDs": "list-ids", "APIs": "apis",
		"getURLsForUser": "get-urls-for-user", "OAuth2Token": "oauth2-token", "2FA": "2fa", "snake_case.and-dots": "snake-case-and-dots",
		"  Goal memberships ": "goal-memberships", "S3Bucket": "s3-bucket", "x--y__z": "x-y-z", "+1": "1", "@me": "me",
		"Café": "cafe", "Cafe\u0301": "cafe", "Straße": "strasse", "Überblick": "ueberblick", "Ærø": "aero",
	} {
		if got := Slug(text); got != want {
			t.Errorf("%q is spelled %q, want %q", text, got, want)
		}
	}
	spelled := map[string]string{}
	for _, text := range []string{"", "…", "成员管理", "故障管理", "v成员", "*", "Ω"} {
		word := Slug(text)
		if other, taken := spelled[word]; taken {
			t.Errorf("%q and %q are both spelled %s", text, other, word)
		}
		spelled[word] = text
		if !legalName.MatchString("g." + word) {
			t.Errorf("%q is spelled %q", text, word)
		}
	}
}

func TestPlural(t *testing.T) {
	singular := strings.Fields("status address access analysis news dns sms staff bus process")
	plural := strings.Fields("cats addresses statuses people children api-keys settings")
	for i, noun := range slices.Concat(singular, plural) {
		if got := isPlural(strings.Split(noun, "-")); got != (i >= len(singular)) {
			t.Errorf("%s: plural %v", noun, got)
		}
	}
}

func TestNamesPage(t *testing.T) {
	for _, yes := range []string{"page", "Page", "pageToken", "page[number]", "cursor", "offset", "starting_after", "continue"} {
		if !NamesPage(yes) {
			t.Errorf("%s chooses a page", yes)
		}
	}
	for _, no := range []string{"page_size", "per_page", "limit", "page_id", "status_page", "utc_offset", ""} {
		if NamesPage(no) {
			t.Errorf("%s chooses no page", no)
		}
	}
}

// TestWordLists: a word that tells the effect is a verb, and no word tells two effects.
func TestWordLists(t *testing.T) {
	for word := range maps.Keys(readingWords) {
		if destroyingWords[word] || !isVerbWord(word) {
			t.Errorf("%s reads, and destroys or is no verb", word)
		}
	}
	for word := range maps.Keys(destroyingWords) {
		if !isVerbWord(word) {
			t.Errorf("%s destroys and is no verb", word)
		}
	}
}
