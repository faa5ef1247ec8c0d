package clients

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Paste is what a person puts into the client by hand: a part of its file, with commands and links
// where the client has such.
func (c *Client) Paste(p Place, scope Scope, name string, e Entry) (string, error) {
	if c.paste != nil {
		return c.paste(name, e), nil
	}
	raw, err := e.For(c)
	if err != nil {
		return "", err
	}
	f, ok := c.File(p, scope)
	if !ok {
		f = File{Client: c, Scope: User}
	}
	edit := f.edit(p, name)
	edit.Entry, edit.Input = raw, e.question(c)
	text, err := edit.Put(nil)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(text), "\n") + "\n" + c.shortcuts(name, raw), nil
}

// shortcuts are further ways by which the client takes an entry.
func (c *Client) shortcuts(name string, raw []byte) string {
	entry := server(name, raw)
	switch c.ID {
	case claudeCode:
		if entry.URL != "" {
			return "" // its command would need the token on the line
		}
		return "or: claude mcp add --scope user " + name + " -- " + shellWords(append([]string{entry.Command}, entry.Args...)) + "\n"
	case "cursor":
		link := "cursor://anysphere.cursor-deeplink/mcp/install?name=" + url.QueryEscape(name) + "&config=" + url.QueryEscape(base64.StdEncoding.EncodeToString(raw))
		return "or open: " + link + "\n"
	case "vscode":
		named := object("name", name)
		for key, value := range rawjson.Members(raw) {
			named = rawjson.Set(named, key, value)
		}
		escaped := strings.ReplaceAll(url.QueryEscape(string(named)), "+", "%20")
		web := "https://insiders.vscode.dev/redirect/mcp/install?name=" + url.QueryEscape(name) + "&config=" + strings.ReplaceAll(url.QueryEscape(string(raw)), "+", "%20")
		return "or: code --add-mcp " + shellWord(string(named)) + "\nor open: vscode:mcp/install?" + escaped + "\nor open: " + web + "\n"
	case "codex":
		if entry.URL != "" {
			return ""
		}
		return "or: codex mcp add " + name + " -- " + shellWords(append([]string{entry.Command}, entry.Args...)) + "\n"
	}
	return ""
}

func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellWord(word)
	}
	return strings.Join(quoted, " ")
}

func shellWord(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// pasted are the clients and frameworks whose files are not written.
func pasted() []*Client {
	return []*Client{
		{ID: "json", Name: "any client with an mcpServers file", paste: pasteJSON("mcpServers", "${%s}", "type", "url")},
		{ID: "copilot", Name: "GitHub Copilot CLI", user: func(p Place) string { return p.named("COPILOT_HOME", p.home(".copilot"), "mcp-config.json") }, paste: pasteJSON("mcpServers", "${%s}", "type", "url")},
		{ID: "opencode", Name: "OpenCode", user: func(p Place) string {
			return firstThere(p.config("opencode", "opencode.jsonc"), p.config("opencode", "opencode.json"))
		}, paste: pasteOpenCode},
		{ID: "crush", Name: "Crush", user: func(p Place) string { return p.config("crush", "crush.json") }, paste: pasteJSON("mcp", "$%s", "type", "url")},
		{ID: "kiro", Name: "Kiro", user: func(p Place) string { return p.home(".kiro", "settings", "mcp.json") }, paste: pasteJSON("mcpServers", "${%s}", "", "url")},
		{ID: "lmstudio", Name: "LM Studio", user: func(p Place) string {
			return firstThere(p.home(".lmstudio", "mcp.json"), p.home(".cache", "lm-studio", "mcp.json"))
		}, paste: pasteJSON("mcpServers", "${env:%s}", "", "url")},
		{ID: "cline", Name: "Cline", user: func(p Place) string {
			return p.app("Code", "User", "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")
		}, paste: pasteJSON("mcpServers", "${env:%s}", "", "url")},
		{ID: "goose", Name: "Goose", user: func(p Place) string {
			if p.OS == "windows" {
				return p.app("Block", "goose", "config", "config.yaml")
			}
			return p.config("goose", "config.yaml")
		}, paste: pasteGoose},
		{ID: "continue", Name: "Continue", user: func(p Place) string { return p.home(".continue", "config.yaml") }, paste: pasteContinue},
		{ID: "langchain", Name: "LangChain (langchain-mcp-adapters)", paste: pasteLangChain},
		{ID: "crewai", Name: "CrewAI (crewai-tools)", paste: pasteCrewAI},
		{ID: "autogpt", Name: "AutoGPT (MCP block)", paste: pasteAutoGPT},
	}
}

// pasteJSON is the entry in a JSON file. A client whose entries have no type infers it.
func pasteJSON(container, reference, typeKey, urlKey string) func(name string, e Entry) string {
	return func(name string, e Entry) string {
		pairs := []any{"command", e.Command, "args", e.Args}
		kind := "stdio"
		if e.URL != "" {
			kind, pairs = "http", []any{urlKey, e.URL, "headers", e.bearer(reference)}
		}
		if typeKey != "" {
			pairs = append([]any{typeKey, kind}, pairs...)
		}
		return pretty(nested([]string{container, name}, object(pairs...)))
	}
}

func pretty(raw []byte) string { return string(rawjson.Indent(nil, raw, "  ")) + "\n" }

func pasteOpenCode(name string, e Entry) string {
	entry := object("type", "local", "command", append([]string{e.Command}, e.Args...), "enabled", true)
	if e.URL != "" {
		entry = object("type", "remote", "url", e.URL, "headers", e.bearer("{env:%s}"), "enabled", true)
	}
	return pretty(nested([]string{"mcp", name}, entry))
}

func pasteGoose(name string, e Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "extensions:\n  %s:\n    name: %s\n", quoted(name), quoted(name))
	if e.URL != "" {
		fmt.Fprintf(&b, "    type: streamable_http\n    uri: %s\n", quoted(e.URL))
		if e.Token != "" {
			fmt.Fprintf(&b, "    env_keys: [%s]\n    headers:\n      Authorization: %s\n", quoted(e.Token), quoted("Bearer ${"+e.Token+"}"))
		}
	} else {
		fmt.Fprintf(&b, "    type: stdio\n    cmd: %s\n    args: %s\n    envs: {}\n    env_keys: []\n", quoted(e.Command), list(e.Args))
	}
	b.WriteString("    enabled: true\n    timeout: 300\n    bundled: null\n")
	return b.String()
}

func pasteContinue(name string, e Entry) string {
	if e.URL != "" {
		text := fmt.Sprintf("mcpServers:\n  - name: %s\n    type: streamable-http\n    url: %s\n", quoted(name), quoted(e.URL))
		if e.Token != "" {
			text += fmt.Sprintf("    requestOptions:\n      headers:\n        Authorization: %s\n", quoted("Bearer ${{ secrets."+e.Token+" }}"))
		}
		return text
	}
	return fmt.Sprintf("mcpServers:\n  - name: %s\n    command: %s\n    args: %s\n", quoted(name), quoted(e.Command), list(e.Args))
}

func pasteLangChain(name string, e Entry) string {
	if e.URL != "" {
		headers, imports := "", ""
		if e.Token != "" {
			headers, imports = fmt.Sprintf(", \"headers\": {\"Authorization\": \"Bearer \" + os.environ[%s]}", quoted(e.Token)), "import os\n"
		}
		return fmt.Sprintf("%sfrom langchain_mcp_adapters.client import MultiServerMCPClient\n\nclient = MultiServerMCPClient({%s: {\"transport\": \"streamable_http\", \"url\": %s%s}})\ntools = await client.get_tools()\n", imports, quoted(name), quoted(e.URL), headers)
	}
	return fmt.Sprintf("from langchain_mcp_adapters.client import MultiServerMCPClient\n\nclient = MultiServerMCPClient({%s: {\"transport\": \"stdio\", \"command\": %s, \"args\": %s}})\ntools = await client.get_tools()\n", quoted(name), quoted(e.Command), list(e.Args))
}

func pasteCrewAI(_ string, e Entry) string {
	if e.URL != "" {
		headers, imports := "", ""
		if e.Token != "" {
			headers, imports = fmt.Sprintf(", \"headers\": {\"Authorization\": \"Bearer \" + os.environ[%s]}", quoted(e.Token)), "import os\n"
		}
		return fmt.Sprintf("%sfrom crewai_tools import MCPServerAdapter\n\nwith MCPServerAdapter({\"url\": %s, \"transport\": \"streamable-http\"%s}) as tools:\n    ...\n", imports, quoted(e.URL), headers)
	}
	return fmt.Sprintf("from crewai_tools import MCPServerAdapter\nfrom mcp import StdioServerParameters\n\nwith MCPServerAdapter(StdioServerParameters(command=%s, args=%s)) as tools:\n    ...\n", quoted(e.Command), list(e.Args))
}

func pasteAutoGPT(_ string, e Entry) string {
	if e.URL == "" {
		return "The MCP block takes an address. Run: twodoor up; then: twodoor install --print autogpt --http\n"
	}
	text := "In the MCP block, server URL: " + e.URL + "\n"
	if e.Token != "" {
		text += "its bearer token: the value of " + e.Token + "\n"
	}
	return text
}

// quoted is a text in quotes, as JSON, YAML and Python read it alike.
func quoted(text string) string { return string(rawjson.Quote(text)) }

// list is a list of texts, as JSON, YAML and Python read it alike.
func list(texts []string) string {
	quotedTexts := make([]string, len(texts))
	for i, text := range texts {
		quotedTexts[i] = quoted(text)
	}
	return "[" + strings.Join(quotedTexts, ", ") + "]"
}
