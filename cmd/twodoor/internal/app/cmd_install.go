package app

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/clients"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// tokenVariable is where clients look for the operator token. No token is written into their files.
const tokenVariable = "TWODOOR_TOKEN"

func (r *run) installCommand() cli.Command {
	return cli.Command{
		Name: "install", Args: "[CLIENT…]", Short: "Put twodoor into the configuration of MCP clients",
		Long: "Shows what it would write, asks, keeps a backup, and writes one entry: all else in the file stays byte for byte, comments too. Without a name it takes the clients that are found on this machine. The entry starts `twodoor mcp` with the absolute path of the configuration, or with --http calls a running `twodoor up`; no token is ever written. Clients: " +
			strings.Join(clientIDs(true), ", ") + ". With --print also: " + strings.Join(clientIDs(false), ", ") + ".",
		Example: "twodoor install claude-code --dry-run",
		Flags: []cli.Flag{
			{Name: "print", Kind: cli.FlagSwitch, Usage: "write nothing, print what to paste, with the links and commands that the client has"},
			{Name: "dry-run", Kind: cli.FlagSwitch, Usage: "write nothing, show what would be written"},
			{Name: "name", Default: r.name(), Usage: "name of the entry"},
			{Name: "scope", Values: []string{"user", "project", "local"}, Default: "user", Usage: "whose file: user, project (this repository's, shared), or local (Claude Code: yours, for this repository)"},
			{Name: "http", Kind: cli.FlagSwitch, Usage: "the client calls a running twodoor up, in place of starting a program"},
			{Name: "expose", Values: []string{"auto", "full", "search"}, Usage: "how operations are listed: auto, full or search; default: full for clients that search tools themselves, else auto"},
			{Name: "replace", Kind: cli.FlagSwitch, Usage: "write over an entry of that name that is not twodoor"},
		},
		Run:      r.install,
		Complete: func(context.Context, []string, string) []string { return append(clientIDs(true), clientIDs(false)...) },
	}
}

func (r *run) uninstallCommand() cli.Command {
	return cli.Command{
		Name: "uninstall", Args: "CLIENT…", Short: "Take twodoor out of the configuration of MCP clients",
		Long:    "A file that nobody has touched since install becomes what it was before, byte for byte. In any other our entry alone is taken out.",
		Example: "twodoor uninstall claude-code",
		Flags: []cli.Flag{
			{Name: "dry-run", Kind: cli.FlagSwitch, Usage: "write nothing, show what would be done"},
			{Name: "name", Default: r.name(), Usage: "name of the entry"},
			{Name: "scope", Values: []string{"user", "project", "local"}, Usage: "whose file; default: all that the client has"},
		},
		Run:      r.uninstall,
		Complete: func(context.Context, []string, string) []string { return clientIDs(true) },
	}
}

func clientIDs(written bool) []string {
	var ids []string
	for _, c := range clients.All() {
		if c.Written() == written {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func (r *run) install(ctx context.Context, in *cli.Invocation) error {
	s, err := r.find()
	if err != nil {
		return err
	}
	if r.Pack == nil && (s.File == "" || s.demo) {
		return &twodoor.Error{
			Code: twodoor.CodeInvalid, Message: "there is no " + config.FileName + " here or above: a client would have nothing to start",
			Hint: "make one from a description, or name one with --config", Try: []string{"twodoor up openapi.yaml", "twodoor import"},
		}
	}
	if r.Pack != nil && in.Switch("http") {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: r.name() + " serves no addresses", Hint: "leave --http out: clients start it"}
	}
	if in.Switch("print") {
		return r.printEntries(in, s)
	}
	chosen, err := r.chosen(in)
	if err != nil {
		return err
	}
	desk, scope := r.desk(s), clients.Scope(in.Text("scope"))
	var plan []*clients.Change
	var faults []error
	for _, c := range chosen {
		change, err := r.planInstall(in, s, desk, c, scope)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		plan = append(plan, change)
	}
	if len(plan) == 0 {
		return faults[0]
	}
	for _, fault := range faults {
		r.note("twodoor: " + lineOf(fault))
	}
	if in.Switch("dry-run") {
		return in.PrintLines(r.preview(desk.Place, plan), plan)
	}
	return r.writeEntries(ctx, in, s, desk, plan)
}

// chosen are the clients that a line names, else those that are found on this machine.
func (r *run) chosen(in *cli.Invocation) ([]*clients.Client, error) {
	var all []*clients.Client
	for _, id := range in.Args {
		c, err := clientOf(id)
		if err != nil {
			return nil, err
		}
		if !c.Written() && !in.Switch("print") {
			return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: c.Name + " is not written to", Hint: "see what to paste", Try: []string{"twodoor install " + id + " --print"}}
		}
		all = append(all, c)
	}
	if len(in.Args) > 0 {
		return all, nil
	}
	place := r.machine()
	for _, c := range clients.All() {
		if c.Written() && c.Installed(place) && slices.Contains(c.Scopes(), clients.Scope(in.Text("scope"))) {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, &twodoor.Error{
			Code: twodoor.CodeNotFound, Message: "no client was found on this machine", Hint: "name one of " + strings.Join(clientIDs(true), ", ") + ", or see what to paste",
			Try: []string{"twodoor install --print"},
		}
	}
	return all, nil
}

func clientOf(id string) (*clients.Client, error) {
	if c := clients.Find(id); c != nil {
		return c, nil
	}
	ids := append(clientIDs(true), clientIDs(false)...)
	fault := &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no client %q", id), Hint: "clients are " + strings.Join(ids, ", ")}
	for _, near := range rawjson.Nearest(ids, id, 2) {
		fault.Try = append(fault.Try, "twodoor install "+near)
	}
	return nil, fault
}

func (r *run) planInstall(in *cli.Invocation, s *site, desk *clients.Desk, c *clients.Client, scope clients.Scope) (*clients.Change, error) {
	f, ok := c.File(desk.Place, scope)
	if !ok {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s has no file of scope %s here", c.Name, scope), Hint: "leave --scope out, or see what to paste with --print"}
	}
	return desk.Put(f, in.Text("name"), r.entryFor(in, s, c), in.Switch("replace"))
}

// entryFor is how a client is to reach this configuration.
func (r *run) entryFor(in *cli.Invocation, s *site, c *clients.Client) clients.Entry {
	expose := in.Text("expose")
	if expose == "" && c.Searches {
		expose = string(twodoor.ExposeFull)
	}
	profile := in.Profile()
	if in.Switch("http") {
		e := clients.Entry{URL: r.address(s) + "/mcp"}
		if profile != "" {
			e.URL += "/" + profile
		}
		if expose != "" {
			e.URL += "?expose=" + expose
		}
		if s.Auth.Mode != "none" {
			e.Token = tokenVariable
		}
		return e
	}
	e := clients.Entry{Command: r.program(), Args: []string{"mcp"}}
	if r.Pack == nil {
		e.Args = append(e.Args, "--config", s.File)
	}
	if profile != "" {
		e.Args = append(e.Args, "--profile", profile)
	}
	if expose != "" {
		e.Args = append(e.Args, "--expose", expose)
	}
	return e
}

// started is the entry by which clients start this program on a configuration.
func (r *run) started(s *site) clients.Entry {
	e := clients.Entry{Command: r.program(), Args: strings.Fields(r.own("mcp"))[1:]}
	if s.File != "" {
		e.Args = append(e.Args, "--config", s.File)
	}
	return e
}

// own is the line of an own command: under self, where a packed program uses its word otherwise.
func (r *run) own(word string) string {
	if r.brandUses(word) {
		return r.name() + " self " + word
	}
	return r.name() + " " + word
}

// address is where an up of a configuration is reached, as far as the configuration says.
func (r *run) address(s *site) string {
	if s.Server.PublicURL != "" {
		return strings.TrimSuffix(s.Server.PublicURL, "/")
	}
	for _, listen := range s.Server.Listen {
		return "http://" + reachable(listen)
	}
	return "http://" + defaultListen
}

// program is the path by which clients start this program. The one on PATH is taken where it leads
// here: it stays when the next version is put behind it.
func (r *run) program() string {
	if found, err := exec.LookPath(r.name()); err == nil {
		here, err := filepath.EvalSymlinks(r.Executable)
		there, bad := filepath.EvalSymlinks(found)
		if absolute, no := filepath.Abs(found); err == nil && bad == nil && no == nil && here == there {
			return absolute
		}
	}
	return orElse(r.Executable, r.name())
}

func (r *run) desk(s *site) *clients.Desk {
	return &clients.Desk{Place: r.machine(), Self: r.self(s), State: r.folders.State}
}

// machine is this machine and the repository of the present folder, as the room of clients sees them.
func (r *run) machine() clients.Place {
	return clients.Place{OS: runtime.GOOS, LookupEnv: r.LookupEnv, Project: r.repository()}
}

// repository is the nearest folder upwards that is under version control, else the present one.
func (r *run) repository() string {
	for at := r.Dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
	}
	return r.Dir
}

// self is how this program and configuration are told from others in clients' files.
func (r *run) self(s *site) clients.Self {
	self := clients.Self{Executable: r.Executable, Addresses: append([]string{defaultListen, compatListen}, s.Server.Listen...)}
	if s.Server.PublicURL != "" {
		self.Addresses = append(self.Addresses, hostPort(s.Server.PublicURL))
	}
	return self
}

// preview shows what is to be written, or taken out.
func (r *run) preview(place clients.Place, plan []*clients.Change) string {
	var b strings.Builder
	for _, ch := range plan {
		fmt.Fprintf(&b, "%s  %s\n", clients.Find(ch.Client).Name, place.Short(ch.File))
		switch ch.Action {
		case clients.Add:
			fmt.Fprintf(&b, "  + %s = %s\n", ch.Key, ch.Entry)
		case clients.Replace:
			fmt.Fprintf(&b, "  ~ %s = %s\n", ch.Key, ch.Entry)
			if len(ch.Hidden) > 0 {
				fmt.Fprintf(&b, "    the entry that is replaced has %s\n", strings.Join(ch.Hidden, ", "))
			}
		case clients.Nothing:
			fmt.Fprintf(&b, "  = %s\n", ch.Key)
		case clients.Remove:
			fmt.Fprintf(&b, "  - %s\n", ch.Key)
		case clients.Restore:
			fmt.Fprintf(&b, "  - %s; the file becomes what it was before\n", ch.Key)
		}
	}
	return b.String()
}

// writeEntries asks, and writes. What is written is trusted: a client has no terminal to be asked at.
func (r *run) writeEntries(ctx context.Context, in *cli.Invocation, s *site, desk *clients.Desk, plan []*clients.Change) error {
	todo := slices.DeleteFunc(slices.Clone(plan), func(ch *clients.Change) bool { return ch.Action == clients.Nothing })
	if len(todo) > 0 {
		if err := r.temporary(); err != nil && !in.Switch("http") {
			return err
		}
		if err := r.trust(ctx, s, s.Claims()); err != nil {
			return err
		}
		if !in.Yes() {
			r.note(strings.TrimRight(r.preview(desk.Place, todo), "\n"))
		}
		if !in.Ask("write it into " + counted(len(todo), "file") + "? (backups are kept)") {
			return &twodoor.Error{Code: twodoor.CodeConfirm, Message: "nothing was written", Hint: "say --yes to write it, --dry-run to look, --print to paste it yourself"}
		}
	}
	var b strings.Builder
	for _, ch := range plan {
		if err := desk.Write(ch); err != nil {
			r.note(strings.TrimRight(b.String(), "\n")) // what was done is told all the same
			return err
		}
		fmt.Fprintf(&b, "%s  %s has %s", clients.Find(ch.Client).Name, desk.Place.Short(ch.File), ch.Key)
		if ch.Action == clients.Nothing {
			b.WriteString(" already")
		}
		b.WriteByte('\n')
		if ch.Backup != "" {
			fmt.Fprintf(&b, "  as it was before: %s\n", ch.Backup)
		}
		if ch.Note != "" {
			fmt.Fprintf(&b, "  then: %s\n", ch.Note)
		}
	}
	b.WriteString(r.afterInstall(in, s))
	return in.PrintLines(b.String(), plan)
}

// afterInstall says what an address needs.
func (r *run) afterInstall(in *cli.Invocation, s *site) string {
	if !in.Switch("http") {
		return ""
	}
	text := "the clients call " + r.address(s) + "/mcp: keep twodoor up running\n"
	if s.Auth.Mode != "none" {
		text += "they take the token from " + tokenVariable + " of their environment (VS Code asks for it): twodoor up prints it\n"
	}
	return text
}

// temporary refuses a program that will be gone when the client wants to start it.
func (r *run) temporary() error {
	if !strings.Contains(filepath.ToSlash(r.program()), "/go-build") {
		return nil
	}
	return &twodoor.Error{Code: twodoor.CodeInvalid, Message: r.program() + " is what go run has built, and will be gone", Hint: "build it first: go install ./cmd/twodoor"}
}

// pasted is what to paste into a client.
type pasted struct {
	Client string `json:"client"`
	Name   string `json:"name"`
	File   string `json:"file,omitempty"`
	Text   string `json:"text"`
}

// printEntries prints what to paste into the clients that are named, else into all.
func (r *run) printEntries(in *cli.Invocation, s *site) error {
	chosen := clients.All()
	if len(in.Args) > 0 {
		var err error
		if chosen, err = r.chosen(in); err != nil {
			return err
		}
	}
	place, scope := r.machine(), clients.Scope(in.Text("scope"))
	var b strings.Builder
	all := []pasted{}
	for _, c := range chosen {
		text, err := c.Paste(place, scope, in.Text("name"), r.entryFor(in, s, c))
		if err != nil {
			if len(in.Args) > 0 {
				return &twodoor.Error{Code: twodoor.CodeInvalid, Message: err.Error()}
			}
			text = err.Error() + "\n"
		}
		p := pasted{Client: c.ID, Name: c.Name, Text: text}
		fmt.Fprintf(&b, "# %s (%s)", c.Name, c.ID)
		if f, ok := c.File(place, scope); ok {
			p.File = f.Path
			fmt.Fprintf(&b, ": %s", place.Short(f.Path))
		}
		fmt.Fprintf(&b, "\n%s\n", text)
		all = append(all, p)
	}
	return in.PrintLines(strings.TrimRight(b.String(), "\n")+"\n", all)
}

func (r *run) uninstall(_ context.Context, in *cli.Invocation) error {
	s, err := r.find()
	if err != nil {
		return err
	}
	desk := r.desk(s)
	var plan []*clients.Change
	for _, id := range in.Args {
		c, err := clientOf(id)
		if err != nil {
			return err
		}
		if !c.Written() {
			return &twodoor.Error{Code: twodoor.CodeInvalid, Message: c.Name + " is not written to: take the entry out where you pasted it"}
		}
		found, err := r.planUninstall(in, desk, c)
		if err != nil {
			return err
		}
		plan = append(plan, found...)
	}
	if in.Switch("dry-run") {
		return in.PrintLines(orElse(r.preview(desk.Place, plan), "nothing is to be taken out\n"), plan)
	}
	var b strings.Builder
	for _, ch := range plan {
		if err := desk.Clear(ch); err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s: %s is out", clients.Find(ch.Client).Name, desk.Place.Short(ch.File), ch.Key)
		if ch.Action == clients.Restore {
			b.WriteString(", the file is what it was before")
		}
		b.WriteByte('\n')
		if ch.Backup != "" && ch.Action == clients.Remove {
			fmt.Fprintf(&b, "  as it was before install: %s\n", ch.Backup)
		}
	}
	if len(plan) == 0 {
		fmt.Fprintf(&b, "%s: there was no entry %q of ours\n", strings.Join(in.Args, ", "), in.Text("name"))
		plan = []*clients.Change{}
	}
	return in.PrintLines(b.String(), plan)
}

// planUninstall looks for our entry in every file of a client, or in the one of the scope that is
// named.
func (r *run) planUninstall(in *cli.Invocation, desk *clients.Desk, c *clients.Client) ([]*clients.Change, error) {
	scopes := c.Scopes()
	if named := in.Text("scope"); named != "" {
		scopes = []clients.Scope{clients.Scope(named)}
	}
	var plan []*clients.Change
	for _, scope := range scopes {
		f, ok := c.File(desk.Place, scope)
		if !ok {
			continue
		}
		ch, err := desk.Take(f, in.Text("name"))
		if err != nil {
			if !in.Given("scope") && scope != clients.User {
				continue // a project's file, in which nothing of ours is known
			}
			return nil, err
		}
		if ch.Action != clients.Nothing {
			plan = append(plan, ch)
		}
	}
	return plan, nil
}
