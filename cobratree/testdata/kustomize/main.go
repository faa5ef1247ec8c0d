// Command kustomize is kustomize itself with an mcp command: a program of others, served by two lines.
package main

import (
	"os"

	"sigs.k8s.io/kustomize/kustomize/v5/commands"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cobratree"
)

func main() {
	root := commands.NewDefaultCommand()
	root.AddCommand(cobratree.Command(root, cobratree.Options{
		Commands: []string{"build", "create", "edit add resource", "edit add configmap", "edit remove resource", "edit set image", "edit set namespace", "version"},
		Effects:  map[string]twodoor.Effect{"build": twodoor.Reads, "version": twodoor.Reads},
		New:      commands.NewDefaultCommand,
	}))
	if root.Execute() != nil {
		os.Exit(1)
	}
}
