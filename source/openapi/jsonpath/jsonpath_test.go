package jsonpath

import (
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
)

const store = `{"store":{"book":[
 {"category":"reference","author":"Nigel Rees","title":"Sayings of the Century","price":8.95},
 {"category":"fiction","author":"Evelyn Waugh","title":"Sword of Honour","price":12.99},
 {"category":"fiction","author":"Herman Melville","title":"Moby Dick","isbn":"0-553-21311-3","price":8.99},
 {"category":"fiction","author":"J. R. R. Tolkien","title":"The Lord of the Rings","isbn":"0-395-19395-8","price":22.99}],
 "bicycle":{"color":"red","price":399}}, "o'k \"x": [1, null, true], "limit": 10}`

// TestFind asks the queries of RFC 9535 section 1.5 and those that overlays are made of.
func TestFind(t *testing.T) {
	for _, test := range []struct{ query, want string }{
		{`$.store.book[*].author`, `"Nigel Rees" "Evelyn Waugh" "Herman Melville" "J. R. R. Tolkien"`},
		{`$..author`, `"Nigel Rees" "Evelyn Waugh" "Herman Melville" "J. R. R. Tolkien"`},
		{`$.store..price`, `8.95 12.99 8.99 22.99 399`},
		{`$..book[2].title`, `"Moby Dick"`},
		{`$..book[-1].title`, `"The Lord of the Rings"`},
		{`$..book[0,1].price`, `8.95 12.99`},
		{`$..book[:2].price`, `8.95 12.99`},
		{`$..book[::-2].price`, `22.99 12.99`},
		{`$..book[1:99].price`, `12.99 8.99 22.99`},
		{`$..book[9]`, ``},
		{`$..book[?@.isbn].price`, `8.99 22.99`},
		{`$..book[?(!@.isbn)].price`, `8.95 12.99`},
		{`$..book[?(@.price<10)].price`, `8.95 8.99`},
		{`$.store.book[?(@.price < $.limit && @.category == 'fiction')].title`, `"Moby Dick"`},
		{`$.store.book[?@.price >= 12.99 || @['category'] != "fiction"].price`, `8.95 12.99 22.99`},
		{`$.store.book[?length(@.title) > 15].price`, `8.95 22.99`},
		{`$.store[?count(@.*) == 4].book`, ``},
		{`$[?count(@[*]) == 3][0]`, `1`},
		{`$.store.book[?@.nothing == @.neither].price`, `8.95 12.99 8.99 22.99`},
		{`$['o\'k "x'][1]`, `null`},
		{`$["o'k \"x"][?@ == true]`, `true`},
		{`$ .store [ 'bicycle' ] .color`, `"red"`},
	} {
		if got := ask(t, test.query); got != test.want {
			t.Errorf("%s selects %s; want %s", test.query, got, test.want)
		}
	}
}

func ask(t *testing.T, query string) string {
	t.Helper()
	path, err := Compile(query)
	if err != nil {
		t.Error(err)
		return ""
	}
	root, err := rawjson.Parse([]byte(store))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, spot := range path.Find(root) {
		if spot.Parent.Items[spot.At] != spot.Node {
			t.Errorf("%s: the place of what it selects is wrong", query)
		}
		found = append(found, string(spot.Node.JSON()))
	}
	return strings.Join(found, " ")
}

func TestCompileSaysWhatItStumblesOver(t *testing.T) {
	for query, want := range map[string]string{
		``:                               "does not begin with $",
		`store`:                          "does not begin with $",
		`$.`:                             "a name is missing",
		`$.a b`:                          `" b" is not understood`,
		`$[`:                             "a selector is missing",
		`$['a`:                           "does not end",
		`$['a'`:                          "a ] is missing",
		`$[?@.a ==]`:                     "is not understood",
		`$[?1]`:                          "a comparison is missing",
		`$[?(@.a]`:                       "a ) is missing",
		`$[?match(@.a)]`:                 "is not understood",
		`$['\x']`:                        "is not understood",
		`$[99999999999999999999]`:        "is no number",
		"$[?" + strings.Repeat("(", 100): "nest too deep",
		"$[?" + strings.Repeat("!", 100): "nest too deep",
	} {
		if _, err := Compile(query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want it to say %q", query, err, want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, query := range []string{`$.paths['/a'].get`, `$..*[?(@.x == 'y' && !@.z)]`, `$[1:2:-1, 'a', *]`, `$[?length(@) > count($..a)]`} {
		f.Add(query)
	}
	root, err := rawjson.Parse([]byte(store))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string) {
		path, err := Compile(query)
		if err != nil || len(path) > 8 {
			return
		}
		for _, spot := range path.Find(root) {
			if spot.Node == nil {
				t.Errorf("%q selects nothing as something", query)
			}
		}
	})
}
