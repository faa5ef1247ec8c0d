package naming

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var legalName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$`)

func checkNames(t *testing.T, names []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			t.Errorf("%s is given twice", name)
		}
		if !legalName.MatchString(name) {
			t.Errorf("%q is no group.verb", name)
		}
		seen[name] = true
	}
}

func lockOf(routes []Route, names []string) map[string]string {
	locked := map[string]string{}
	for i, r := range routes {
		locked[r.Key()] = names[i]
	}
	return locked
}

func FuzzSlug(f *testing.F) {
	for _, text := range []string{"", "listIDs", "OAuth2Token", "Straße", "事件 list", "a.b-c_d", "…", "É\u0301", "\xff\xfe", "V1APIResources"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		word := Slug(text)
		if !legalName.MatchString("g." + word) {
			t.Errorf("%q is spelled %q", text, word)
		}
		if again := Slug(word); again != word {
			t.Errorf("%q is spelled %q, and that %q", text, word, again)
		}
	})
}

// routesFrom reads a line as "METHOD /path [id [tag [override]]]"; the same operation twice is no
// description's doing and left out.
func routesFrom(text string) []Route {
	var routes []Route
	seen := map[string]bool{}
	for line := range strings.SplitSeq(text, "\n") {
		words := append(strings.Split(line, " "), "", "", "", "", "")
		r := Route{Method: strings.ToUpper(words[0]), Path: words[1], ID: words[2], Name: words[4]}
		if words[3] != "" {
			r.Tags = []string{words[3]}
		}
		if !seen[r.Key()] {
			routes = append(routes, r)
		}
		seen[r.Key()] = true
	}
	return routes
}

// FuzzNames: names are legal, differ, come out the same each time, and stay when the description
// grows in any place or shrinks.
func FuzzNames(f *testing.F) {
	f.Add("GET /groups\nGET /Groups\nPOST /groups", Auto, uint(1), "GET /groups/{id}")
	f.Add("POST /a/b-c\nPOST /a/b/c\nPUT /x/{id}\nPATCH /x", Path, uint(0), "POST /a/b_c")
	f.Add("GET /x pets/list\nGET /y pets/list\nGET /z pets.list", OperationID, uint(9), "GET /w pets/list")
	f.Add("GET /\nGET /v1\nGET /v2\nGET /{a}...{b}\nGET ", Path, uint(2), "DELETE /{x")
	f.Add("GET /事件\nGET /a#b?c\nGET /a?b", Auto, uint(3), "GET /a?c x t g.list")
	f.Add("POST /a x t g.list\nPOST /b x t g.list", Auto, uint(0), "POST /c x t list")
	f.Fuzz(func(t *testing.T, text, rule string, at uint, newcomer string) {
		if len(text)+len(newcomer) > 4000 {
			return
		}
		routes := routesFrom(text)
		names, used, notes := Names(routes, "harbor", rule, nil, nil)
		checkNames(t, names)
		again, _, notesAgain := Names(routes, "harbor", rule, nil, nil)
		if !slices.Equal(names, again) || !slices.Equal(notes, notesAgain) {
			t.Fatalf("named %v, then %v", names, again)
		}
		locked := lockOf(routes, names)
		grown := slices.Insert(slices.Clone(routes), int(at%uint(len(routes)+1)), routesFrom(newcomer)...)
		names, _, _ = Names(grown, "harbor", rule, &used, locked)
		checkNames(t, names)
		checkStays(t, grown, names, locked)

		gone := grown[1:]
		names, _, _ = Names(gone, "harbor", rule, &used, locked)
		checkNames(t, names)
		checkStays(t, gone, names, locked)
		if len(Effects(gone, used)) != len(gone) {
			t.Error("an operation has no effect")
		}
	})
}

// checkStays: what the lock holds is where it was, and nobody else has a name of it.
func checkStays(t *testing.T, routes []Route, names []string, locked map[string]string) {
	t.Helper()
	owner := map[string]string{}
	for key, name := range locked {
		owner[name] = key
	}
	seen := map[string]bool{}
	for i, r := range routes {
		held, ok := locked[r.Key()]
		if ok && !seen[r.Key()] && held != names[i] && r.Name == "" {
			t.Errorf("%s moved from %s to %s", r.Key(), held, names[i])
		}
		if key, taken := owner[names[i]]; taken && key != r.Key() {
			t.Errorf("%s got %s, which belongs to %s", r.Key(), names[i], key)
		}
		seen[r.Key()] = true
	}
}
