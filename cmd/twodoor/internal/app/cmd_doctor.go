package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/auth/session"
	"github.com/twodoor/twodoor/bundle"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
)

func (r *run) doctorCommand() cli.Command {
	return cli.Command{
		Name: "doctor", Short: "Check this installation, each finding with its fix",
		Long:    "Checks the version, the configuration, its keys, the cache, every source, the operator token, the address and the socket. Exit status 7 when something fails.",
		Example: "twodoor doctor -o json",
		Run: func(ctx context.Context, in *cli.Invocation) error {
			findings := r.examine(ctx)
			if err := in.PrintLines(proseOfFindings(findings), findings); err != nil {
				return err
			}
			for _, f := range findings {
				if f.Status == fails {
					return cli.Exit(twodoor.CodeChecksFailed.Exit())
				}
			}
			return nil
		},
	}
}

// finding is what one check has found.
type finding struct {
	Check  string `json:"check"`
	Status health `json:"status"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

type health string

const (
	fine  health = "ok"
	warns health = "warn"
	fails health = "fail"
)

func proseOfFindings(findings []finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%-4s  %-8s  %s\n", f.Status, f.Check, f.Detail)
		if f.Fix != "" {
			fmt.Fprintf(&b, "      fix: %s\n", f.Fix)
		}
	}
	return b.String()
}

// examine makes the checks in the order in which one needs the other.
func (r *run) examine(ctx context.Context) []finding {
	findings := []finding{{Check: "version", Status: fine, Detail: fmt.Sprintf("twodoor %s, %s, %s/%s", r.Version, r.Version.Go, runtime.GOOS, runtime.GOARCH)}}
	s, err := r.find()
	if err != nil {
		return append(findings, finding{"config", fails, lineOf(r.told(err)), "mend it, then look with: twodoor config validate"})
	}
	findings = append(findings, r.examineConfig(s)...)
	if err := r.trust(ctx, s, s.Claims()); err != nil {
		return append(findings, finding{"config", fails, err.Error(), "read the file; if it is good, run: twodoor doctor --trust"})
	}
	findings = append(findings, r.examineKeys(s)...)
	findings = append(findings, r.examineCache(s))
	findings = append(findings, r.examineSources(ctx, s)...)
	findings = append(findings, r.examineToken(), r.examineAddress(s), r.examineSocket(s))
	return append(findings, r.examineClients(s)...)
}

func (r *run) examineConfig(s *site) []finding {
	if r.Pack != nil {
		return []finding{{Check: "config", Status: fine, Detail: "this program carries its own, with " + counted(len(s.Sources), "source")}}
	}
	if s.File == "" {
		return []finding{{"config", warns, "there is no " + config.FileName + " here or above", "make one with: twodoor up openapi.yaml"}}
	}
	findings := []finding{{Check: "config", Status: fine, Detail: s.File + ", " + counted(len(s.Sources), "source")}}
	for _, w := range s.Warnings {
		findings = append(findings, finding{"config", warns, r.short(config.Fault{File: w.File, Line: w.Line, Problem: w.Problem}).String(), w.Hint})
	}
	return findings
}

// examineKeys looks up every reference, and shows none of them.
func (r *run) examineKeys(s *site) []finding {
	var findings []finding
	for _, claim := range s.Claims() {
		ref, isKey := strings.CutPrefix(string(claim), "read ")
		if !isKey {
			continue
		}
		if _, err := r.resolver().Resolve(refOf(ref)); err != nil {
			findings = append(findings, finding{"keys", fails, err.Error(), "set it, or change the reference in " + r.near(s.File)})
			continue
		}
		findings = append(findings, finding{Check: "keys", Status: fine, Detail: "${" + ref + "} is there"})
	}
	return findings
}

func (r *run) examineCache(s *site) finding {
	path := r.bundlePath(s)
	switch b, err := bundle.Open(path); {
	case r.folders.Cache == "":
		return finding{"cache", warns, "there is no cache folder: descriptions are read at every start", "set HOME or XDG_CACHE_HOME"}
	case err == nil:
		defer b.Close()
		if b.Stamp().Fresh(r.key(s)) {
			return finding{Check: "cache", Status: fine, Detail: path + " is fresh"}
		}
		return finding{Check: "cache", Status: fine, Detail: path + " is old, and made anew at the next call"}
	case errors.Is(err, bundle.ErrDamaged):
		return finding{Check: "cache", Status: warns, Detail: path + " is damaged, and made anew at the next call"}
	}
	if err := writable(r.folders.Cache); err != nil {
		return finding{"cache", warns, fmt.Sprintf("%s cannot be written to (%v): descriptions are read at every start", r.folders.Cache, plainCause(err)), "make it writable, or set XDG_CACHE_HOME"}
	}
	return finding{Check: "cache", Status: fine, Detail: r.folders.Cache + " can be written to"}
}

// writable tries to make a file in a folder.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// examineSources reads every source anew: that is the check that they can be read.
func (r *run) examineSources(ctx context.Context, s *site) []finding {
	if r.Pack != nil {
		return r.examinePacked(ctx, s)
	}
	r.askAll(ctx, s)
	readings, lost := r.read(ctx, s)
	lost = append(lost, r.faulty(s, lost)...)
	findings := []finding{}
	for _, reading := range readings {
		f := finding{Check: "source", Status: fine, Detail: fmt.Sprintf("%s: %d operations", reading.Source, len(reading.Operations))}
		if n := len(reading.Exceptions); n > 0 {
			f.Status, f.Fix = warns, "see which and why: twodoor coverage "+reading.Source
			f.Detail += fmt.Sprintf(", %d cannot be served", n)
		}
		findings = append(findings, f)
		findings = append(findings, r.examineOrigins(ctx, s, reading)...)
		findings = append(findings, r.examinePrograms(s, reading)...)
	}
	for _, l := range lost {
		findings = append(findings, finding{"source", fails, l.source + ": " + l.err.Error(), hintOf(l.err)})
	}
	return findings
}

// reachTime bounds one attempt to reach a host.
const reachTime = 3 * time.Second

// examineOrigins tries whether the hosts that a source calls take connections.
func (r *run) examineOrigins(ctx context.Context, s *site, reading *twodoor.Reading) []finding {
	origins := reading.Origins
	if target := s.Sources[reading.Source].Target; target != "" {
		origins = []string{target}
	}
	var findings []finding
	for _, origin := range origins {
		address := hostPort(origin)
		dialer := net.Dialer{Timeout: reachTime}
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			findings = append(findings, finding{"reach", fails, fmt.Sprintf("%s: %s does not answer: %v", reading.Source, address, plainCause(err)), "is the API up, and is sources." + reading.Source + ".target right?"})
			continue
		}
		conn.Close()
		findings = append(findings, finding{Check: "reach", Status: fine, Detail: reading.Source + ": " + address})
	}
	return findings
}

func (r *run) examineToken() finding {
	path := filepath.Join(r.folders.State, session.TokenFile)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return finding{Check: "token", Status: fine, Detail: "the operator token is made at the first start"}
	case err != nil:
		return finding{"token", fails, fmt.Sprintf("%s cannot be read: %v", path, plainCause(err)), "make it readable for this user"}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return finding{"token", warns, fmt.Sprintf("%s is open to others (%v)", path, info.Mode().Perm()), "chmod 600 " + path}
	}
	return finding{Check: "token", Status: fine, Detail: path}
}

func (r *run) examineAddress(s *site) finding {
	addresses := s.Server.Listen
	if len(addresses) == 0 {
		addresses = []string{defaultListen}
	}
	if s.File != "" && r.alive(s.File) {
		return finding{Check: "address", Status: fine, Detail: "an up of this configuration is running"}
	}
	for _, address := range addresses {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return finding{"address", warns, unbound(address, err).Error(), "stop what listens there, or choose another with --listen"}
		}
		l.Close()
	}
	return finding{Check: "address", Status: fine, Detail: strings.Join(addresses, ", ") + " is free"}
}

func (r *run) examineSocket(s *site) finding {
	switch path := r.socketPath(s.File); {
	case path == "":
		return finding{Check: "socket", Status: fine, Detail: "none: mcp runs by itself"}
	case r.alive(s.File):
		return finding{Check: "socket", Status: fine, Detail: path + ": mcp attaches to the running up"}
	default:
		return finding{Check: "socket", Status: fine, Detail: "no up is running: mcp runs by itself"}
	}
}

// lineOf is an error in one line, with what a fault has to say in its fields.
func lineOf(err error) string {
	fault := twodoor.AsError(err)
	text := fault.Error()
	for _, f := range fault.Fields {
		text += "; " + f.Problem
	}
	return text
}

func hintOf(err error) string {
	if fault, ok := errors.AsType[*twodoor.Error](err); ok {
		return fault.Hint
	}
	return ""
}
