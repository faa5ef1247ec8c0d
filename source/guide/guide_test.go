package guide

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/twodoor/twodoor"
)

const good = `---
name: triage
title: From an alert to a closed incident
when: something is broken
intents: [what is broken, 什么坏了]
operations: [incident.list, harbor.incident.ack]
---
# From an alert

Text.
`

func TestParse(t *testing.T) {
	for _, text := range []string{good, strings.ReplaceAll(good, "\n", "\r\n"), "\ufeff" + good} {
		g, findings := Parse("harbor", "triage.md", text, 0)
		if len(findings) > 0 {
			t.Fatalf("%q: %v", text[:20], findings)
		}
		if g.Name != "triage" || g.Title != "From an alert to a closed incident" || len(g.Intents) != 2 || g.Operations[0] != "harbor.incident.list" || g.Operations[1] != "harbor.incident.ack" || !strings.HasPrefix(g.Text, "# From") {
			t.Errorf("%+v", g)
		}
	}
}

func TestParseFindsWhatIsBroken(t *testing.T) {
	for _, c := range []struct {
		text string
		kind Mistake
		line int
	}{
		{"# No front matter\n", FrontMatter, 1},
		{"---\nname: x\ntitle: y\n", FrontMatter, 1},
		{"---\nname: [x\n---\n# T\n", FrontMatter, 3},
		{"---\n- a\n---\n# T\n", FrontMatter, 2},
		{"---\nname: Two Words\ntitle: t\n---\n", FrontMatter, 2},
		{"---\nname: x\ntitel: t\n---\n# T\n", FrontMatter, 3},
		{"---\nname: x\ntitle: t\nintents: words\n---\n", FrontMatter, 4},
		{"---\nname: x\n---\ntext\n", FrontMatter, 1},
		{"---\nname: x\ntitle: t\n---\n" + strings.Repeat("many words of prose ", 1000), OverBudget, 5},
	} {
		_, findings := Parse("s", "f.md", c.text, 0)
		if len(findings) != 1 || findings[0].Kind != c.kind || findings[0].Line != c.line {
			t.Errorf("%.40q: wanted %s in line %d: %v", c.text, c.kind, c.line, findings)
		}
	}
}

func TestLoad(t *testing.T) {
	folder := fstest.MapFS{"b.md": {Data: []byte(good)}, "a.md": {Data: []byte(good)}, "c.txt": {Data: []byte("x")}, "huge.md": {Data: make([]byte, maxGuide+1)}}
	library := Load("harbor", folder, 0)
	if len(library.Guides) != 1 || len(library.Findings) != 2 || library.Findings[0].Kind != SameName || library.Findings[1].File != "huge.md" {
		t.Errorf("%+v", library)
	}
	joined := LoadAll(library, library)
	if len(joined.Guides) != 1 || joined.Findings[len(joined.Findings)-1].Kind != SameName {
		t.Errorf("%+v", joined)
	}
	if got := joined.For("harbor.incident.ack"); len(got) != 1 || got[0] != "triage" {
		t.Errorf("%v", got)
	}
}

func engine(t *testing.T, library *Library) *twodoor.Engine {
	t.Helper()
	source := &Source{Library: func() *Library { return library }}
	reading, err := source.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		t.Fatal(err)
	}
	e := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{Kind: source}}
	e.Serve(catalog)
	return e
}

func TestSource(t *testing.T) {
	g, _ := Parse("harbor", "triage.md", good+"<b>\n", 0)
	e := engine(t, &Library{Guides: []Guide{g}})
	do := func(name, args string) (string, *twodoor.Error) {
		result, err := e.Do(context.Background(), twodoor.Call{Operation: name, Arguments: json.RawMessage(args), Principal: twodoor.Operator})
		if err != nil {
			return "", twodoor.AsError(err)
		}
		return string(result.Value), nil
	}
	if got, _ := do("list_guides", `{}`); !strings.Contains(got, `"name":"triage","title":"From an alert`) || strings.Contains(got, `"intents"`) {
		t.Errorf("list: %s", got)
	}
	if got, _ := do("read_guides", `{"names":["triage"]}`); !strings.Contains(got, `Text.\n<b>`) {
		t.Errorf("read: %s", got)
	}
	if _, fault := do("twodoor.read-guides", `{"names":["triag"]}`); fault == nil || fault.Code != twodoor.CodeNotFound || len(fault.Try) != 1 || fault.Try[0] != "triage" {
		t.Errorf("%v", fault)
	}
	if _, fault := do("read_guides", `{"names":[]}`); fault == nil || fault.Code != twodoor.CodeInvalid {
		t.Errorf("%v", fault)
	}
	if got, _ := func() (string, *twodoor.Error) {
		e = engine(t, nil)
		return do("list_guides", `{}`)
	}(); got != `{"guides":[]}` {
		t.Errorf("without guides: %s", got)
	}
}

// FuzzPage: no text makes the reader of Markdown or of a guide panic.
func FuzzPage(f *testing.F) {
	for _, text := range []string{"```sh\ntd a\n", "`td ` `` ` ``` ", "---\n---", "---\nname: [x\n---\n# T\n", "~~~\n<x", "a\r\n```\r\n", good} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := ReadPage("f", text)
		for _, s := range p.Spans {
			if s.Line >= len(p.lines) {
				t.Errorf("a span in line %d of %d", s.Line, len(p.lines))
			}
		}
		Parse("s", "f.md", text, 0)
	})
}
