package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/clients"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// serversFile is the name of the file of MCP servers beside a configuration that names none.
const serversFile = "mcp_servers.json"

func (r *run) importCommand() cli.Command {
	return cli.Command{
		Name: "import", Args: "[FILE|PROGRAM]", Short: "Take over the MCP servers of other clients, or draft a verbs file of a program",
		Long: "Reads the file of any client (Claude, Cursor, VS Code, Windsurf, Zed, Gemini, Codex, Goose, Continue, OpenCode, …), a server.json of the MCP registry or the manifest of a bundle; without FILE those that the clients on this machine keep for this user. " +
			"Each server goes into the mcp_servers: file of twodoor.yaml, which is made if it is missing. An entry that is there is never written over unasked. Entries that lead back to twodoor are left out. " +
			"Secrets that stand in a file can be moved to the keyring of this system: a reference takes their place.",
		Example: "twodoor import --dry-run",
		Flags: []cli.Flag{
			{Name: "dry-run", Kind: cli.FlagSwitch, Usage: "write nothing, show the plan"},
			{Name: "server", Kind: cli.FlagList, Usage: "take this one only, may be repeated"},
			{Name: "name", Usage: "name it is to have here, where one server is taken"},
			{Name: "replace", Kind: cli.FlagSwitch, Usage: "write over our entry of the same name"},
			{Name: "keyring", Kind: cli.FlagSwitch, Usage: "move secrets to the keyring without being asked"},
			{Name: "cli", Kind: cli.FlagSwitch, Usage: "FILE is a program: draft a verbs file from its completion or its help"},
		},
		Run: func(ctx context.Context, in *cli.Invocation) error {
			if in.Switch("cli") {
				return r.importProgram(ctx, in)
			}
			return r.importServers(ctx, in)
		},
	}
}

// imported is what import did, for programs.
type imported struct {
	File   string          `json:"file"`
	Config string          `json:"config"`
	DryRun bool            `json:"dry_run"`
	Steps  []*clients.Step `json:"steps"`
}

func (r *run) importServers(ctx context.Context, in *cli.Invocation) error {
	e, err := r.editing()
	if err != nil {
		return err
	}
	if err := r.trust(ctx, e.site, e.site.Claims()); err != nil { // what is granted below must not grant this
		return err
	}
	target, err := r.readServers(e)
	if err != nil {
		return err
	}
	plan := &clients.Import{
		Place: r.machine(), Self: r.self(e.site), Taken: target.taken, Only: in.List("server"), Rename: in.Text("name"), Replace: in.Switch("replace"),
	}
	steps, err := r.planImport(in, plan)
	if err != nil {
		return err
	}
	done := imported{File: target.path, Config: e.file, DryRun: in.Switch("dry-run"), Steps: steps}
	if !done.DryRun {
		if err := r.moveSecrets(in, steps); err != nil {
			return err
		}
		if err := r.saveServers(e, target, steps); err != nil {
			return err
		}
	}
	if err := in.PrintLines(r.importText(plan, done, len(in.Args) == 0), done); err != nil {
		return err
	}
	return leftOut(in, done)
}

// planImport reads what is named, else what is found.
func (r *run) planImport(in *cli.Invocation, plan *clients.Import) (steps []*clients.Step, err error) {
	if len(in.Args) > 0 {
		path := in.Args[0]
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.Dir, path)
		}
		if steps, err = plan.Plan(path, nil); err != nil {
			return nil, r.unread(in.Args[0], err)
		}
	} else {
		for _, f := range plan.Files() {
			if steps, err = plan.Plan(f.Path, steps); err != nil && !errors.Is(err, clients.ErrNoServers) {
				steps = append(steps, &clients.Step{Name: f.Client.ID, From: plan.Place.Short(f.Path), Outcome: clients.Failed, Reason: err.Error()})
			}
		}
	}
	for _, name := range plan.Only {
		if !slices.ContainsFunc(steps, func(s *clients.Step) bool { return s.Name == name || s.Name == plan.Rename }) {
			return nil, &twodoor.Error{Code: twodoor.CodeNotFound, Message: fmt.Sprintf("there is no server %q", name), Hint: "see what there is with --dry-run"}
		}
	}
	if plan.Rename != "" && len(steps) > 1 {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("--name names one server, and there are %d", len(steps)), Hint: "say which with --server NAME"}
	}
	return steps, nil
}

// unread says why a file that was named cannot be imported.
func (r *run) unread(named string, err error) error {
	fault := &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot import " + named + ": " + plainCause(err).Error(), Cause: err}
	if !errors.Is(err, fs.ErrNotExist) {
		fault.Hint = "name the file in which a client keeps its MCP servers"
		return fault
	}
	fault.Message = "there is no file " + named
	fault.Hint = "name the file in which a client keeps its MCP servers, or none: then those of this machine's clients are read"
	if _, bad := exec.LookPath(named); bad == nil {
		fault.Hint = "it is a program: draft a verbs file of it with twodoor import " + named + " --cli"
	}
	return fault
}

// servers is the file of MCP servers of a configuration.
type servers struct {
	path  string
	text  []byte
	new   bool // the configuration does not name it yet
	taken []mcpclient.Server
}

// readServers reads the file of servers that a configuration names, or would name.
func (r *run) readServers(e *edit) (*servers, error) {
	t := &servers{path: e.site.Place(e.site.MCPServers)}
	if t.path == "" {
		t.path, t.new = filepath.Join(filepath.Dir(e.file), serversFile), true
	}
	for _, path := range []string{t.path, mcpclient.OverlayPath(t.path)} {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot read " + r.near(path) + ": " + plainCause(err).Error(), Cause: err}
		}
		if path == t.path {
			t.text = text
		}
		if len(strings.TrimSpace(string(text))) == 0 {
			continue
		}
		all, err := mcpclient.ParseServers(text)
		if err != nil {
			return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: r.near(path) + ": " + err.Error(), Hint: "mend it first: nothing is written into a file that cannot be read", Cause: err}
		}
		t.taken = append(t.taken, all...)
	}
	return t, nil
}

// moveSecrets moves the secrets of what is imported to the keyring: where the line says so, or the
// person at the terminal.
func (r *run) moveSecrets(in *cli.Invocation, steps []*clients.Step) error {
	for _, s := range steps {
		if !s.Writes() || len(s.Literal) == 0 {
			continue
		}
		if !in.Switch("keyring") && (in.Yes() || !in.Ask(fmt.Sprintf("%s has secrets in %s: move them to the keyring?", s.Name, strings.Join(s.Secrets, ", ")))) {
			s.Notes = append(s.Notes, "a secret is written out in "+strings.Join(s.Secrets, ", ")+": move it to the keyring with --keyring --replace")
			continue
		}
		for _, l := range s.Keep() {
			if err := (secret.SystemKeyring{}).Set(l.Name, l.Value); err != nil {
				return &twodoor.Error{Code: twodoor.CodeUnavailable, Message: fmt.Sprintf("the keyring does not take the secret of %s: %v; nothing was imported", s.Name, err), Hint: "leave --keyring out, or keep the secret in a variable and write ${env:NAME} into the file first", Cause: err}
			}
		}
		s.Notes = append(s.Notes, "moved to the keyring: "+strings.Join(s.Secrets, ", "))
	}
	return nil
}

// saveServers writes the entries into the file of servers, and its name into the configuration. What
// we wrote is trusted: somebody just asked for it.
func (r *run) saveServers(e *edit, t *servers, steps []*clients.Step) error {
	text := t.text
	for _, s := range steps {
		if !s.Writes() {
			continue
		}
		put := clients.Edit{Format: clients.JSON, Path: clients.ServersPath(text, s.Name), Entry: s.Entry}
		var err error
		if text, err = put.Put(text); err != nil {
			return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s cannot take %s: %v", r.near(t.path), s.Name, err), Hint: "mend the file, then import again", Cause: err}
		}
	}
	if bytes.Equal(text, t.text) {
		return nil
	}
	if t.new {
		var err error
		if e.text, err = config.PutText(e.text, "mcp_servers", refFrom(filepath.Dir(e.file), t.path)); err != nil {
			return &twodoor.Error{Code: twodoor.CodeInvalid, Message: r.near(e.file) + ": " + err.Error(), Cause: err}
		}
	}
	loaded, err := config.Parse(e.file, e.text)
	if err != nil {
		return err
	}
	if err = config.WriteFile(t.path, text, 0o600); err == nil && t.new {
		err = config.WriteFile(e.file, e.text, 0o644)
	}
	if err != nil {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "nothing more was imported: " + err.Error(), Cause: err}
	}
	now, err := r.siteOf(loaded, e.site.where)
	if err != nil || now.where != config.Walked {
		return err
	}
	return r.granted(config.Trust{Dir: filepath.Join(r.folders.State, "trust")}, e.file, now.Claims())
}

var outcomeMarks = map[clients.Outcome]string{
	clients.Added: "+", clients.Replaced: "~", clients.Conflict: "!", clients.Skipped: "=", clients.Failed: "✗",
}

// importText tells the plan, or what was done.
func (r *run) importText(plan *clients.Import, done imported, looked bool) string {
	var b strings.Builder
	wrote := 0
	for _, s := range done.Steps {
		fmt.Fprintf(&b, "%s %s  %s", outcomeMarks[s.Outcome], s.Name, s.From)
		if s.Writes() {
			wrote++
			fmt.Fprintf(&b, ": %s", s.Reach)
		}
		if s.Reason != "" {
			fmt.Fprintf(&b, ": %s", s.Reason)
		}
		b.WriteByte('\n')
		if s.Writes() && done.DryRun && len(s.Secrets) > 0 {
			fmt.Fprintf(&b, "    secrets in %s\n", strings.Join(s.Secrets, ", "))
		}
		for _, note := range s.Notes {
			fmt.Fprintf(&b, "    %s\n", note)
		}
	}
	switch {
	case len(done.Steps) == 0:
		b.WriteString("no MCP servers were found\n")
	case done.DryRun:
		fmt.Fprintf(&b, "nothing was written; it would put %s into %s\n", counted(wrote, "server"), r.near(done.File))
	default:
		fmt.Fprintf(&b, "%s has %s more\n", r.near(done.File), counted(wrote, "server"))
	}
	if looked {
		for _, f := range plan.ProjectFiles() {
			fmt.Fprintf(&b, "%s is this project's, and was not read: twodoor import %s\n", r.near(f.Path), r.near(f.Path))
		}
	}
	return b.String()
}

// leftOut is the fault of a run that left servers out because others have their names, or found none
// in the file that it was given that can be served.
func leftOut(in *cli.Invocation, done imported) error {
	var names []string
	failed := 0
	for _, s := range done.Steps {
		switch s.Outcome {
		case clients.Conflict:
			names = append(names, s.Name)
		case clients.Failed:
			failed++
		}
	}
	switch {
	case done.DryRun:
		return nil
	case len(in.Args) > 0 && failed > 0 && failed == len(done.Steps):
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: in.Args[0] + " has no server that can be served", Hint: "why is said above, for each"}
	case len(names) == 0:
		return nil
	}
	fault := &twodoor.Error{
		Code: twodoor.CodeConflict, Message: "left out, because others have their names: " + strings.Join(names, ", "),
		Hint: "take one under another name with --server NAME --name OTHER, or write over ours with --replace",
	}
	if len(in.Args) > 0 {
		fault.Try = []string{fmt.Sprintf("twodoor import %s --server %s --name %s-2", in.Args[0], names[0], names[0])}
	}
	return fault
}
