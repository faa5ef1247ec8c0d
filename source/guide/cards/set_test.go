package cards

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
)

// treeOf is a tree of one group with these verbs.
func treeOf(verbs ...string) *guide.Tree {
	tree := &guide.Tree{Program: "td", Commands: []guide.Command{{Command: "td guides read", Usage: "td guides read NAME…"}, {Command: "td find", Usage: "td find WORDS…"}}}
	for _, verb := range verbs {
		tree.Commands = append(tree.Commands, guide.Command{
			ID: "api.item." + verb, Command: "td api item " + verb, Usage: "td api item " + verb + " <item-id> [flags]", Title: "Title of " + verb,
			Description: "What " + verb + " does. And more.", Origin: "POST /item/" + verb, Effect: twodoor.Writes, Example: "td api item " + verb + " i_1",
			Inputs: []guide.Input{
				{Name: "item_id", Path: "item_id", Flag: "--item-id", Position: "<item-id>", Type: "string", Required: true, Description: "Which one."},
				{Name: "kind", Path: "kind", Flag: "--kind", Type: "a|b", Enum: []string{"a", "b"}, Default: []byte(`"a"`)},
			},
			Answer: &guide.Answer{Root: ".items[]", Shape: "{id: string}", Empty: "none is none"},
		})
	}
	return tree
}

func setOf(verbs ...string) *Set {
	return &Set{Name: "api", Title: "The API", Description: "Keeps items.", Version: "1.2.3", Tree: treeOf(verbs...), Groups: map[string]string{"api.item": "Items."}}
}

func fileOf(t *testing.T, files []File, path string) string {
	t.Helper()
	for _, f := range files {
		if f.Path == path {
			return string(f.Text)
		}
	}
	t.Fatalf("no %s among %d files", path, len(files))
	return ""
}

func TestCard(t *testing.T) {
	text := fileOf(t, setOf("get", "create").Generate(Skill, nil), "api/references/item.md")
	for _, part := range []string{
		"### create <item-id> · writes\nTitle of create. What create does.\n",
		"- <item-id> or --item-id string (required): Which one.\n", "- --kind a|b (default \"a\")\n",
		"Answer: records at jq `.items[]`, {id: string}\nEmpty: none is none\n", "```sh\ntd api item create i_1\n```\n",
		"| show, info, detail, view, read | get |",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}

// TestSkillRules holds the skill to what the validator of Agent Skills asks.
func TestSkillRules(t *testing.T) {
	var verbs []string
	for i := range 90 {
		verbs = append(verbs, fmt.Sprintf("verb%d-create", i))
	}
	files := setOf(verbs...).Generate(Skill, nil)
	text := fileOf(t, files, "api/SKILL.md")
	_, head, _ := strings.Cut(text, "---\n")
	head, body, _ := strings.Cut(head, "---\n")
	name, about, _ := strings.Cut(head, "\n")
	if name != "name: api" {
		t.Errorf("name: %q", name)
	}
	about, _, _ = strings.Cut(about, "\n")
	if n := len(strings.TrimPrefix(about, "description: ")); n < 1 || n > 1024 {
		t.Errorf("the description has %d characters", n)
	}
	if lines, w := strings.Count(body, "\n"), rawjson.Weigh([]byte(body)); lines >= 500 || w >= 5000 {
		t.Errorf("the body has %d lines, ≈%d tokens", lines, w)
	}
	for _, f := range files {
		if strings.Count(f.Path, "/") > 2 {
			t.Errorf("%s is more than one level deep", f.Path)
		}
		if strings.Contains(f.Path, "references/") && rawjson.Weigh(f.Text) > cardBudget*11/10 {
			t.Errorf("%s weighs ≈%d tokens", f.Path, rawjson.Weigh(f.Text))
		}
	}
	for _, link := range strings.Split(text, "](")[1:] {
		path, _, _ := strings.Cut(link, ")")
		fileOf(t, files, "api/"+path)
	}
}

func TestGenerateKeepsProse(t *testing.T) {
	old := setOf("get", "create").Generate(Skill, nil)
	for i := range old {
		if strings.HasSuffix(old[i].Path, "item.md") {
			old[i].Text = append([]byte("Prose in front.\n\n"), append(old[i].Text, "\n## By hand\n\nProse behind.\r\n"...)...)
		}
	}
	// A new command appears, and one is gone: what is between the marks changes, and nothing else.
	set := setOf("get", "update")
	if findings := set.Check(old); len(findings) != 2 || findings[0].Kind != guide.StaleFence {
		t.Errorf("findings: %v", findings)
	}
	files := set.Generate(Skill, old)
	text := fileOf(t, files, "api/references/item.md")
	if !strings.HasPrefix(text, "Prose in front.\n\n# ") || !strings.HasSuffix(text, "\n## By hand\n\nProse behind.\r\n") || strings.Contains(text, "### create") || !strings.Contains(text, "### update") {
		t.Errorf("%s", text)
	}
	if findings := set.Check(files); len(findings) > 0 {
		t.Errorf("%v", findings)
	}
	if again := set.Generate(Skill, files); !slices.EqualFunc(files, again, func(a, b File) bool { return bytes.Equal(a.Text, b.Text) }) {
		t.Error("generating again changes something")
	}
	// A fix of the stale fences is the same as generating.
	for _, f := range old {
		var own []guide.Finding
		for _, finding := range set.Check(old) {
			if finding.File == f.Path {
				own = append(own, finding)
			}
		}
		if got := string(guide.Fix(f.Text, own)); got != fileOf(t, files, f.Path) {
			t.Errorf("%s: the fix is not what would be generated", f.Path)
		}
	}
}

func TestGenerateKeepsTheDivision(t *testing.T) {
	mine := func(ids ...string) []File {
		var files []File
		for i, id := range ids {
			files = append(files, File{fmt.Sprintf("api/references/%d.md", i), []byte("# Mine\n" + parseFenceID(id).wrap(""))})
		}
		return files
	}
	set := setOf("get", "war-room-create", "war-room-list", "war")
	files := set.Generate(Skill, mine("api.item[war-room]", "api.item"))
	if text := fileOf(t, files, "api/references/0.md"); strings.Contains(text, "### war <") || strings.Count(text, "### war-room-") != 2 {
		t.Errorf("%s", text)
	}
	if text := fileOf(t, files, "api/references/1.md"); !strings.Contains(text, "### war <") || !strings.Contains(text, "[0.md](0.md): war-room-create, war-room-list") {
		t.Errorf("%s", text)
	}
	if len(files) != 3 {
		t.Errorf("%d files", len(files))
	}
	for ids, want := range map[string]string{
		"api.item[war] api.item[war]": "claimed by two", "api.item[nothing] api.item": "begins with nothing", "api.item[war]": "no fence takes get",
		"api.item api.item": "claimed by two", "api.itm": "no group api.itm", "api.item[get,war] api.item": "is left",
	} {
		found := ""
		for _, f := range set.Check(mine(strings.Fields(ids)...)) {
			if f.Kind == guide.FenceTopology {
				found += f.Message + "; "
			}
		}
		if !strings.Contains(found, want) {
			t.Errorf("%s: wanted %q: %s", ids, want, found)
		}
	}
}

func TestFenceMarks(t *testing.T) {
	start, end := startMark+"api.item"+startNote+"\n", startMark+"api.item END -->\n"
	for text, want := range map[string]int{start + "x\n" + end: 0, start: 1, end: 1, start + start + end: 1, strings.ReplaceAll(start+"x\n"+end, "\n", "\r\n"): 0} {
		if _, findings := fencesOf(File{"f", []byte(text)}); len(findings) != want {
			t.Errorf("%q: %v", text, findings)
		}
	}
	set := setOf("get")
	files := set.Generate(Skill, []File{{"api/references/item.md", []byte(strings.ReplaceAll("Prose.\n"+start+end, "\n", "\r\n"))}})
	text := fileOf(t, files, "api/references/item.md")
	if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
		t.Error("a file with CRLF gets other line ends")
	}
	if findings := set.Check(files); len(findings) > 0 {
		t.Error(findings)
	}
}

func TestLanguages(t *testing.T) {
	set := setOf("get")
	set.Languages = []Language{{Code: "zh", Groups: map[string]string{"api.item": "物品。"}, Words: map[string]twodoor.Words{
		"api.item.get": {Title: "读取", Description: "读取一个。", Inputs: map[string]string{"item_id": "哪一个"}},
	}}}
	files := set.Generate(Skill, nil)
	text := fileOf(t, files, "api/references/item.zh.md")
	if !strings.Contains(text, "### get <item-id> · writes\n读取一个\n") || !strings.Contains(text, "(required): 哪一个\n") || !strings.Contains(text, "td api item get i_1") || !strings.Contains(text, "物品") {
		t.Errorf("%s", text)
	}
	if index := fileOf(t, files, "api/SKILL.md"); !strings.Contains(index, "| Items; Title of get | 物品; 读取 | [item](references/item.md) [zh](references/item.zh.md) |") {
		t.Errorf("%s", index)
	}
	if findings := set.Check(files); len(findings) > 0 {
		t.Error(findings)
	}
}

func TestVariants(t *testing.T) {
	set := setOf("get")
	set.Guides = &guide.Library{Guides: []guide.Guide{{Name: "triage", Title: "Triage", When: "it burns", Intents: []string{"what burns"}}}}
	for v, paths := range map[Variant][]string{
		Claude: {".claude-plugin/plugin.json", "skills/api/SKILL.md", "skills/api/references/item.md"},
		Gemini: {"GEMINI.md", "gemini-extension.json", "references/item.md"},
		LLMs:   {"llms.txt"},
		Agents: {"AGENTS.md"},
	} {
		var got []string
		for _, f := range set.Generate(v, nil) {
			got = append(got, f.Path)
			if strings.HasSuffix(f.Path, ".json") && rawjson.Check(f.Text) != nil {
				t.Errorf("%s is no JSON", f.Path)
			}
		}
		if !slices.Equal(got, paths) {
			t.Errorf("%s: %v", v, got)
		}
	}
	text := fileOf(t, set.Generate(LLMs, nil), "llms.txt")
	if !strings.HasPrefix(text, "# The API\n\n> Keeps items.") || !strings.Contains(text, "## Guides\n\n- [Triage](guides/triage.md): it burns") || !strings.Contains(text, "- [item](api/references/item.md): Items") {
		t.Errorf("%s", text)
	}
	mine := "# My project\n\nRules of mine.\n"
	text = fileOf(t, set.Generate(Agents, []File{{"AGENTS.md", []byte(mine)}}), "AGENTS.md")
	if !strings.HasPrefix(text, mine) || !strings.Contains(text, "## The API") {
		t.Errorf("%s", text)
	}
}

// TestPart: a skill of one source, among several, is checked as what it is.
func TestPart(t *testing.T) {
	part := setOf("get")
	part.Sources = []string{"api"}
	files := part.Generate(Skill, nil)
	if got := SourcesOf(files); !slices.Equal(got, part.Sources) {
		t.Errorf("the sources are %v", got)
	}
	if findings := part.Check(files); len(findings) > 0 {
		t.Error(findings)
	}
	if again := part.Generate(Skill, files); len(again) != len(files) || fileOf(t, again, "api/SKILL.md") != fileOf(t, files, "api/SKILL.md") {
		t.Errorf("generated again: %s", fileOf(t, again, "api/SKILL.md"))
	}
	whole := setOf("get")
	if findings := whole.Check(files); len(findings) > 0 {
		t.Error(findings)
	}
	if got := SourcesOf(whole.Generate(Agents, nil)); got != nil {
		t.Errorf("of all sources: %v", got)
	}
}

// FuzzFences: no text makes the reader of fences panic, and each lies within its file.
func FuzzFences(f *testing.F) {
	for _, text := range []string{"a\r\n", startMark + "api.item" + startNote + "\nx\n" + startMark + "api.item END -->\n", startMark + "a@zh[b,c] START"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, _ := fencesOf(File{"f", []byte(text)})
		for _, one := range list {
			if one.from > one.to || one.to > len(text) {
				t.Errorf("a fence from %d to %d of %d", one.from, one.to, len(text))
			}
		}
	})
}
