package clients

import (
	"fmt"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Plugin is what a Claude plugin is made of: the server, and a skill that says no more than how to ask
// the program. What there is to know stands in the program, and cannot grow old beside it.
type Plugin struct {
	Name    string // required; lower-case letters, digits and single hyphens
	Title   string // of what it serves
	About   string // a sentence; may be empty
	Version string
	Guides  string // required; the program's command for its guides: "twodoor guides"
	Find    string // required; its command for searching
	Entry   Entry  // required
}

// Written is a file that is to be written, its path with slashes.
type Written struct {
	Path string
	Text []byte
}

// Files are the files of the plugin. It is its own marketplace: one folder is all that is to be named.
func (p Plugin) Files() []Written {
	about := p.describe(200)
	manifest := object("name", p.Name, "version", p.Version, "description", about, "author", object("name", p.Title), "keywords", []string{"mcp", "api"})
	plugin := object("name", p.Name, "source", "./", "description", about, "version", p.Version)
	market := object("name", p.Name, "owner", object("name", p.Title), "metadata", object("description", about))
	market = rawjson.Set(market, "plugins", append(append([]byte{'['}, plugin...), ']'))
	server := object("command", p.Entry.Command, "args", p.Entry.Args)
	return []Written{
		{".claude-plugin/plugin.json", []byte(pretty(manifest))},
		{".claude-plugin/marketplace.json", []byte(pretty(market))},
		{".mcp.json", []byte(pretty(nested([]string{"mcpServers", p.Name}, server)))},
		{"skills/" + p.Name + "/SKILL.md", p.skill()},
	}
}

// Skill is the skill alone, in the Agent Skills format: a folder of its name.
func (p Plugin) Skill() []Written {
	return []Written{{p.Name + "/SKILL.md", p.skill()}}
}

func (p Plugin) skill() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: %s\ndescription: %s\n---\n\n# %s\n\n", p.Name, quoted(p.describe(700)+" Use when a task is about "+p.Title+"."), p.Title)
	fmt.Fprintf(&b, "Everything there is to know stands in the program itself. Ask it; do not guess commands, tools or fields.\n\n")
	fmt.Fprintf(&b, "With a shell:\n\n```sh\n%s list\n%s WHAT YOU WANT TO DO\n```\n\n", p.Guides, p.Find)
	b.WriteString("Read the guide that fits before the first call. `--help` after any command tells its inputs. Every command answers JSON off a terminal; `--fields`, `--jq` and `--limit` cut an answer, `--dry-run` shows the request and sends nothing.\n\n")
	fmt.Fprintf(&b, "Without a shell, over the MCP server `%s`: `list_guides` and `read_guides` where there are guides, `find_operations` where not every operation is a tool.\n", p.Name)
	return []byte(b.String())
}

// describe is what the plugin is for in at most so many bytes.
func (p Plugin) describe(most int) string {
	text := p.Title + "."
	if p.About != "" {
		text = p.Title + ": " + strings.Join(strings.Fields(p.About), " ")
	}
	for len(text) > most {
		cut := strings.LastIndexByte(text[:most], ' ')
		text = strings.TrimRight(text[:max(cut, 1)], ".,;: ") + "."
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
