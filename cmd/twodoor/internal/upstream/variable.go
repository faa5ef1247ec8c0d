package upstream

import (
	"regexp"
	"strings"

	"github.com/twodoor/twodoor/source/mcpclient"
)

// variable is how clients write variables of the environment and places of the editor: ${NAME},
// ${NAME:-default}, ${workspaceFolder}.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// Refer writes the variables of other clients' files as references of our own, so that they are asked
// about and looked up like those. The folder stands for what editors call the workspace.
func Refer(server mcpclient.Server, lookup func(string) (string, bool), folder string) mcpclient.Server {
	refer := func(text string) string {
		if !strings.Contains(text, "${") {
			return text
		}
		return variable.ReplaceAllStringFunc(text, func(found string) string {
			parts := variable.FindStringSubmatch(found)
			switch _, set := lookup(parts[1]); {
			case parts[1] == "workspaceFolder":
				return folder
			case parts[1] == "userHome":
				return "${env:HOME}"
			case parts[2] != "" && !set:
				return parts[3]
			}
			return "${env:" + parts[1] + "}"
		})
	}
	server.Command, server.Dir, server.URL = refer(server.Command), refer(server.Dir), refer(server.URL)
	args := make([]string, len(server.Args))
	for i, arg := range server.Args {
		args[i] = refer(arg)
	}
	server.Args, server.Env, server.Headers = args, referAll(server.Env, refer), referAll(server.Headers, refer)
	return server
}

func referAll(texts map[string]string, refer func(string) string) map[string]string {
	all := make(map[string]string, len(texts))
	for name, text := range texts {
		all[name] = refer(text)
	}
	return all
}

// Texts are all texts of a server that can hold references.
func Texts(server *mcpclient.Server) []string {
	texts := append([]string{server.Command, server.Dir, server.URL}, server.Args...)
	for _, all := range []map[string]string{server.Env, server.Headers} {
		for _, text := range all {
			texts = append(texts, text)
		}
	}
	return texts
}
