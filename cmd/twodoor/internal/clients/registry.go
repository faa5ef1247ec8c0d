package clients

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// readRegistry reads a server.json of the MCP registry (schema 2025-12-11): the first of its packages
// that can be started here, else the first of its addresses.
func readRegistry(root *rawjson.Node) ([]Found, error) {
	if inner := root.Get("server"); inner.Is(rawjson.KindObject) { // as the registry's API wraps it
		root = inner
	}
	full := root.Get("name").Str()
	name := full[strings.LastIndexByte(full, '/')+1:]
	if name == "" {
		return nil, errors.New("it is a server.json without a name")
	}
	var why []string
	for p := range root.Get("packages").Elements() {
		entry, err := packageEntry(p)
		if err == nil {
			return registered(name, root, entry), nil
		}
		why = append(why, err.Error())
	}
	for r := range root.Get("remotes").Elements() {
		entry, err := remoteEntry(r)
		if err == nil {
			return registered(name, root, entry), nil
		}
		why = append(why, err.Error())
	}
	if len(why) == 0 {
		why = []string{"it names neither packages nor remotes"}
	}
	return []Found{{Server: mcpclient.Server{ID: name, Problem: strings.Join(why, "; ")}}}, nil
}

func registered(name string, root *rawjson.Node, entry []byte) []Found {
	if text := root.Get("description").Str(); text != "" {
		entry = rawjson.Set(entry, "description", rawjson.Quote(text))
	}
	s := server(name, entry)
	return []Found{{Server: s}}
}

// runtimes start a package of a kind: the program, what stands before the package, and between its
// name and its version.
var runtimes = map[string]struct {
	program, join string
	before        []string
}{
	"npm":   {"npx", "@", []string{"-y"}},
	"pypi":  {"uvx", "==", nil},
	"nuget": {"dnx", "@", nil},
	"oci":   {"docker", ":", []string{"run", "-i", "--rm"}},
}

// packageEntry is the entry that starts a package.
func packageEntry(p *rawjson.Node) ([]byte, error) {
	kind, identifier := p.Get("registryType").Str(), p.Get("identifier").Str()
	run, ok := runtimes[kind]
	switch {
	case !ok:
		return nil, fmt.Errorf("a package of kind %q cannot be started from here", kind)
	case identifier == "":
		return nil, errors.New("a package has no identifier")
	}
	if transport := p.Path("transport", "type").Str(); transport != "" && transport != "stdio" {
		return nil, fmt.Errorf("the package %s speaks %s: start it yourself, then add its address", identifier, transport)
	}
	program := run.program
	if hint := p.Get("runtimeHint").Str(); hint != "" {
		program = hint
	}
	words := arguments(p.Get("runtimeArguments"))
	if program == run.program {
		words = missing(run.before, words)
	}
	env := &rawjson.Node{Kind: rawjson.KindObject}
	for v := range p.Get("environmentVariables").Elements() {
		name := v.Get("name").Str()
		if value, wanted := valueOf(v, name); wanted {
			env.Put(name, rawjson.StringNode(value))
			if kind == "oci" {
				words = append(words, "-e", name)
			}
		}
	}
	if version := p.Get("version").Str(); version != "" && !strings.Contains(identifier, "@sha256:") {
		identifier += run.join + version
	}
	words = append(append(words, identifier), arguments(p.Get("packageArguments"))...)
	pairs := []any{"command", program, "args", words}
	if env.Len() > 0 {
		pairs = append(pairs, "env", env.JSON())
	}
	return object(pairs...), nil
}

// missing puts words before others that do not have them yet.
func missing(before, words []string) []string {
	if len(words) > 0 && len(before) > 0 && words[0] == before[0] {
		return words
	}
	return append(append([]string{}, before...), words...)
}

// arguments are the words of a list of arguments.
func arguments(list *rawjson.Node) []string {
	words := []string{}
	for a := range list.Elements() {
		name := a.Get("name").Str()
		label := name
		if label == "" {
			label = a.Get("valueHint").Str()
		}
		value, wanted := valueOf(a, variable(label))
		if !wanted {
			continue
		}
		if a.Get("type").Str() == "named" {
			words = append(words, name)
		}
		if value != "" && a.Get("format").Str() != "boolean" {
			words = append(words, value)
		}
	}
	return words
}

// valueOf is the value of an input: what the file says, or a reference to a variable where it is
// required and not said. wanted is false where it can be left out.
func valueOf(n *rawjson.Node, name string) (value string, wanted bool) {
	for _, key := range []string{"value", "default"} {
		if text := n.Get(key).Str(); text != "" {
			if filled, ok := filled(text, n.Get("variables")); ok {
				return filled, true
			}
		}
	}
	if n.Get("isRequired").Bool() && name != "" {
		return "${env:" + name + "}", true
	}
	return "", false
}

// filled puts the values of variables into a text with {names}.
func filled(text string, variables *rawjson.Node) (string, bool) {
	for name, v := range variables.Members() {
		if !strings.Contains(text, "{"+name+"}") {
			continue
		}
		value, wanted := valueOf(v, variable(name))
		if !wanted {
			value = "${env:" + variable(name) + "}"
		}
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	bare := strings.NewReplacer("${env:", "", "${keyring:", "", "${file:", "").Replace(text)
	return text, !strings.Contains(bare, "{")
}

// remoteEntry is the entry that calls an address.
func remoteEntry(r *rawjson.Node) ([]byte, error) {
	address, ok := filled(r.Get("url").Str(), r.Get("variables"))
	if address == "" || !ok {
		return nil, fmt.Errorf("the address %q names what is not said", r.Get("url").Str())
	}
	headers := &rawjson.Node{Kind: rawjson.KindObject}
	for h := range r.Get("headers").Elements() {
		name := h.Get("name").Str()
		if value, wanted := valueOf(h, variable(name)); wanted && name != "" {
			headers.Put(name, rawjson.StringNode(value))
		}
	}
	pairs := []any{"type", r.Get("type").Str(), "url", address}
	if headers.Len() > 0 {
		pairs = append(pairs, "headers", headers.JSON())
	}
	return object(pairs...), nil
}

// variable is a name as variables are spelled: "github-token" is GITHUB_TOKEN.
func variable(name string) string {
	var b strings.Builder
	for _, r := range strings.ToUpper(strings.TrimLeft(name, "-")) {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	return strings.Trim(b.String(), "_")
}

// readManifest reads the manifest of an unpacked bundle (MCPB).
func readManifest(file string, root *rawjson.Node) ([]Found, error) {
	name := root.Get("name").Str()
	if name == "" {
		return nil, errors.New("it is a manifest without a name")
	}
	entry := root.Path("server", "mcp_config").Clone()
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	eachString(entry, func(text string) string {
		text = strings.ReplaceAll(text, "${__dirname}", dir)
		return reference.ReplaceAllStringFunc(text, func(ref string) string {
			key, ok := strings.CutPrefix(strings.Trim(ref, "${}"), "user_config.")
			if !ok {
				return ref
			}
			if value := root.Path("user_config", key, "default").Str(); value != "" {
				return value
			}
			return "${env:" + variable(key) + "}"
		})
	})
	return registered(name, root, entry.JSON()), nil
}
