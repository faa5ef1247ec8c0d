package clients

import (
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/secret"
)

// Literal is a secret that stands in an entry as it is.
type Literal struct {
	Where string // "env GITHUB_TOKEN": never the secret
	Name  string // what a keyring may keep it under: "github.GITHUB_TOKEN"
	Value secret.Text

	path       []string
	lead, tail string // of the text around it
}

// literals finds the secrets that stand in an entry of a name.
func literals(name string, entry *rawjson.Node) []Literal {
	var all []Literal
	add := func(where, key, lead, value, tail string, path ...string) {
		if value == "" || strings.Contains(value, "${") {
			return
		}
		keep := name + "." + key
		for n := 2; slices.ContainsFunc(all, func(l Literal) bool { return l.Name == keep }); n++ {
			keep = name + "." + key + "-" + strconv.Itoa(n)
		}
		all = append(all, Literal{where, strings.NewReplacer("}", "_", "{", "_").Replace(keep), secret.New(value), path, lead, tail})
	}
	for _, group := range []string{"env", "environment", "envs", "headers", "http_headers"} {
		for key, value := range entry.Get(group).Members() {
			if text := value.Str(); value.Is(rawjson.KindString) && confidential(key, text) {
				lead, rest := scheme(text)
				add(strings.TrimSuffix(group, "s")+" "+key, key, lead, rest, "", group, key)
			}
		}
	}
	for _, group := range []string{"args", "arguments", "command"} {
		at, before := -1, ""
		for element := range entry.Get(group).Elements() {
			at++
			text := element.Str()
			if option := strings.TrimLeft(before, "-"); option != before && confidential(option, text) && !strings.HasPrefix(text, "-") {
				add("argument "+before, option, "", text, "", group, strconv.Itoa(at))
			} else if lead, value, tail := masked(text); value != "" {
				add("argument "+strconv.Itoa(at+1), "argument-"+strconv.Itoa(at+1), lead, value, tail, group, strconv.Itoa(at))
			}
			before = text
		}
	}
	for _, key := range []string{"url", "serverUrl", "httpUrl", "uri"} {
		if lead, value, tail := masked(entry.Get(key).Str()); value != "" {
			add(key, key, lead, value, tail, key)
		}
	}
	return all
}

// confidential reports whether a value of a name is a secret.
func confidential(name, value string) bool {
	if value == "" || strings.Contains(value, "${") {
		return false
	}
	text := string(rawjson.Quote(name)) + ":" + string(rawjson.Quote(value))
	if string(secret.Hide([]byte(text))) != text {
		return true
	}
	upper := variable(name)
	for _, end := range []string{"_KEY", "_PAT", "_AUTH"} {
		if strings.HasSuffix("_"+upper, end) && len(value) >= 16 && !strings.ContainsAny(value, " /") {
			return true
		}
	}
	return false
}

// scheme parts "Bearer abc".
func scheme(text string) (lead, rest string) {
	word, rest, ok := strings.Cut(text, " ")
	if ok && !strings.Contains(rest, " ") && slices.Contains([]string{"bearer", "basic", "token", "apikey"}, strings.ToLower(word)) {
		return word + " ", rest
	}
	return "", text
}

// masked is the one secret in a text, with what stands around it. A text with several has none that
// could be put elsewhere.
func masked(text string) (lead, value, tail string) {
	hidden := string(secret.Hide([]byte(text)))
	if hidden == text || strings.Count(hidden, secret.Mask) != 1 {
		return "", "", ""
	}
	lead, tail, _ = strings.Cut(hidden, secret.Mask)
	if len(lead)+len(tail) > len(text) || !strings.HasPrefix(text, lead) || !strings.HasSuffix(text, tail) {
		return "", "", ""
	}
	return lead, text[len(lead) : len(text)-len(tail)], tail
}

// refer writes a reference in the place of a secret.
func (l Literal) refer(entry *rawjson.Node) {
	at := entry
	for _, step := range l.path {
		if at.Is(rawjson.KindArray) {
			index, n := 0, at
			for element := range n.Elements() {
				if strconv.Itoa(index) == step {
					at = element
				}
				index++
			}
			continue
		}
		at = at.Get(step)
	}
	if at.Is(rawjson.KindString) {
		at.Text = rawjson.Quote(l.lead + "${keyring:" + l.Name + "}" + l.tail)
	}
}
