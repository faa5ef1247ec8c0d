package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/cmd/twodoor/internal/clients"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// installLine says which clients on this machine install would write to.
func (r *run) installLine() string {
	var names []string
	machine := r.machine()
	for _, c := range clients.All() {
		if c.Written() && c.Installed(machine) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return "twodoor install --print says what to paste into a client"
	}
	return "twodoor install puts it into " + strings.Join(names, ", ")
}

// examineClients looks at every entry of the user's clients that is meant to lead here.
func (r *run) examineClients(s *site) []finding {
	findings := []finding{}
	machine, self := r.machine(), r.self(s)
	for _, c := range clients.All() {
		f, ok := c.File(machine, clients.User)
		if !ok || !c.Written() {
			continue
		}
		text, err := os.ReadFile(f.Path)
		if err != nil {
			continue // it is not there, or not ours to read
		}
		all, err := clients.Read(f.Path, text)
		if err != nil {
			continue
		}
		for _, found := range all {
			if found.Folder == "" && self.Starts(found.Server) {
				findings = append(findings, r.examineEntry(c, found.Server))
			}
		}
	}
	return findings
}

func (r *run) examineEntry(c *clients.Client, entry mcpclient.Server) finding {
	f := finding{Check: "client", Status: fine, Detail: fmt.Sprintf("%s: %s", c.Name, orElse(entry.URL, entry.Command))}
	if entry.URL != "" {
		return f
	}
	fix := r.own("install") + " " + c.ID
	if entry.ID != r.name() {
		fix += " --name " + entry.ID
	}
	if at := slices.Index(entry.Args, "--config"); at >= 0 && at+1 < len(entry.Args) && !isFile(entry.Args[at+1]) {
		f.Status, f.Fix = fails, fix
		f.Detail += ": its configuration " + entry.Args[at+1] + " is not there"
	}
	if !filepath.IsAbs(entry.Command) {
		return f // found on a PATH that is the client's own
	}
	there, err := filepath.EvalSymlinks(entry.Command)
	here, bad := filepath.EvalSymlinks(r.Executable)
	switch {
	case err != nil:
		f.Status, f.Fix = fails, fix
		f.Detail += ": it is not there"
	case bad == nil && there != here:
		f.Status, f.Fix = warns, fix
		f.Detail += ": it is another twodoor than this one, " + here
	}
	return f
}
