package config

import (
	"slices"
	"strings"
	"testing"
)

var petstore = []Setting{{Key: "openapi", Text: "./pets.yaml"}, {Key: "variables", Below: []Setting{{Key: "region", Text: "no"}}}}

const petstoreBlock = "  pets:\n    openapi: ./pets.yaml\n    variables:\n      region: \"no\"\n"

func TestPutKeepsWhatIsThere(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "sources:\n" + petstoreBlock},
		{"another section", "# mine\nstore: sqlite # small", "# mine\nstore: sqlite # small\n\nsources:\n" + petstoreBlock},
		{"empty section", "sources:\nstore: sqlite\n", "sources:\n" + petstoreBlock + "store: sqlite\n"},
		{
			"at the end of the section",
			"sources:\n  # the one\n  a:   {openapi: x} # keep\n\n# then\nstore:  sqlite\n",
			"sources:\n  # the one\n  a:   {openapi: x} # keep\n" + petstoreBlock + "\n# then\nstore:  sqlite\n",
		},
		{
			"after a text of many lines, no newline at the end",
			"sources:\n  a:\n    openapi: |\n      x\n\n      y",
			"sources:\n  a:\n    openapi: |\n      x\n\n      y\n" + petstoreBlock,
		},
		{
			"in the place of the old one",
			"sources:\n  pets:\n    # old\n    openapi: gone\n  # after\n  b: {openapi: y}\n",
			"sources:\n" + petstoreBlock + "  # after\n  b: {openapi: y}\n",
		},
		{
			"deeper indent",
			"sources:\n    a: {openapi: x}\n",
			"sources:\n    a: {openapi: x}\n" + indent(petstoreBlock, "  "),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Put([]byte(test.text), "sources", "pets", petstore)
			if err != nil || string(got) != test.want {
				t.Errorf("%v\n got:\n%s\nwant:\n%s", err, got, test.want)
			}
			l, err := Parse("f", got)
			if err != nil || l.Sources["pets"].Variables["region"] != "no" {
				t.Errorf("it does not read back: %v", err)
			}
		})
	}
}

func indent(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(by + line)
	}
	return b.String()
}

func TestPutIntoOneLineKeepsComments(t *testing.T) {
	got, err := Put([]byte("# head\nsources: {a: {openapi: x}} # keep\n"), "sources", "pets", petstore)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Parse("f", got)
	if err != nil {
		t.Fatalf("%v in\n%s", err, got)
	}
	if names := Sorted(l.Sources); !slices.Equal(names, []string{"a", "pets"}) || !strings.Contains(string(got), "# head") || !strings.Contains(string(got), "# keep") {
		t.Errorf("got\n%s", got)
	}
}

func TestRemove(t *testing.T) {
	text := "sources:\n  # first\n  a:\n    openapi: x # gone\n\n  # second\n  b: {openapi: y}\nstore: sqlite\n"
	got, found, err := Remove([]byte(text), "sources", "a")
	if want := "sources:\n  # first\n\n  # second\n  b: {openapi: y}\nstore: sqlite\n"; err != nil || !found || string(got) != want {
		t.Errorf("%v %v\n%s", found, err, got)
	}
	got, _, _ = Remove(got, "sources", "b")
	if l, err := Parse("f", got); err != nil || len(l.Sources) != 0 {
		t.Errorf("the last one: %v\n%s", err, got)
	}
	if _, found, _ := Remove(got, "sources", "b"); found {
		t.Error("removed twice")
	}
	got, found, err = Remove([]byte("sources: {a: {openapi: x}, b: {openapi: y}}\n"), "sources", "a")
	if l, perr := Parse("f", got); err != nil || !found || perr != nil || len(l.Sources) != 1 {
		t.Errorf("one line: %v %v\n%s", err, perr, got)
	}
}

// FuzzPut: whatever file parses, an entry put into it reads back, and the others stay.
func FuzzPut(f *testing.F) {
	for _, seed := range []string{"", whole, "sources:\n  a: {openapi: x}\n", "sources: {a: {openapi: x}}\n", "sources:\n", "store: x"} {
		f.Add(seed, "./pets.yaml")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		before, err := Parse("f", []byte(text))
		if err != nil || value == "" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Skip()
		}
		got, err := Put([]byte(text), "sources", "new", []Setting{{Key: "openapi", Text: value}})
		if err != nil {
			t.Skip()
		}
		after, err := Parse("f", got)
		if err != nil {
			t.Fatalf("%v in\n%s", err, got)
		}
		if after.Sources["new"].OpenAPI != value {
			t.Errorf("put %q, read %q", value, after.Sources["new"].OpenAPI)
		}
		for name := range before.Sources {
			if _, ok := after.Sources[name]; !ok {
				t.Errorf("%s is lost in\n%s", name, got)
			}
		}
	})
}

func TestPutText(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "mcp_servers: ./m.json\n"},
		{"# mine\nsources: {}  # none\n", "# mine\nsources: {}  # none\nmcp_servers: ./m.json\n"},
		{"sources:\n  a: {openapi: x}", "sources:\n  a: {openapi: x}\nmcp_servers: ./m.json\n"},
		{"sources: {}\n# the end\n", "sources: {}\n# the end\nmcp_servers: ./m.json\n"},
		{"mcp_servers: other.json\n", ""},
		{"mcp_servers:\n", ""},
		{"{sources: {}}\n", ""},
		{"store: |\n  text\n...\n", ""},
	} {
		got, err := PutText([]byte(test.text), "mcp_servers", "./m.json")
		if string(got) != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%q: %q %v, want %q", test.text, got, err, test.want)
		}
	}
}
