package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/upstream"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// site is the configuration that a run works with, and how it was found.
type site struct {
	*config.Loaded
	where   config.Where
	demo    bool                        // it is the running demo's
	servers map[string]mcpclient.Server // by source
	ids     map[string]string           // by source: the exact id of its server
	file    *upstream.File              // mcp_servers: nil: there is none
	filed   map[string]bool             // sources that are servers of the file
}

// find finds and reads the configuration, once.
func (r *run) find() (*site, error) {
	if r.site != nil {
		return r.site, nil
	}
	if r.Pack != nil {
		return r.findPacked()
	}
	file, where := r.locate()
	demo := false
	if where == config.Nowhere {
		if of := r.demoFile(); isFile(of) && r.alive(of) {
			file, demo = of, true
		}
	}
	found := config.None()
	if file != "" {
		loaded, err := config.Load(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no configuration " + file, Hint: "make one with: twodoor up openapi.yaml", Cause: err}
		}
		if err != nil {
			return nil, err
		}
		found = loaded
	}
	if demo {
		where = config.Named
	}
	if err := found.Override(r.getenv); err != nil {
		return nil, err
	}
	s, err := r.siteOf(found, where)
	if err != nil {
		return nil, err
	}
	s.demo, r.site = demo, s
	r.far.keepIn(r, s)
	return s, nil
}

func (r *run) locate() (string, config.Where) {
	named := r.early.Config
	if named == "" {
		named = r.getenv("TWODOOR_CONFIG")
	}
	if named == "" {
		return config.Find(r.Dir, r.folders.Config)
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(r.Dir, named)
	}
	return named, config.Named
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// trust makes sure that somebody has agreed to what a configuration does. Only files that were found
// by walking up are asked about: what was named is meant.
func (r *run) trust(ctx context.Context, s *site, claims []config.Claim) error {
	if s.where != config.Walked {
		return nil
	}
	book := config.Trust{Dir: filepath.Join(r.folders.State, "trust")}
	missing, known := book.Missing(s.File, claims)
	if len(missing) == 0 {
		return nil
	}
	if !r.early.Trust {
		if err := r.agree(ctx, s, missing, known); err != nil {
			return err
		}
	}
	return r.granted(book, s.File, claims)
}

// granted keeps that a configuration is trusted.
func (r *run) granted(book config.Trust, file string, claims []config.Claim) error {
	err := book.Grant(file, claims)
	if err == nil {
		return nil
	}
	return &twodoor.Error{
		Code: twodoor.CodeInvalid, Message: fmt.Sprintf("that %s is trusted cannot be kept in %s: %v", r.near(file), book.Dir, plainCause(err)),
		Hint: "make that folder writable, set XDG_STATE_HOME, or name the configuration with --config: then nobody is asked", Cause: err,
	}
}

// agree asks the person at the terminal. Off a terminal nobody can agree.
func (r *run) agree(ctx context.Context, s *site, missing []config.Claim, known bool) error {
	what := fmt.Sprintf("%s was never used before", r.near(s.File))
	if known {
		what = fmt.Sprintf("%s does more than what was trusted", r.near(s.File))
	}
	lines := make([]string, len(missing))
	for i, claim := range missing {
		lines[i] = string(claim)
	}
	if !r.StdinTTY || !r.StderrTTY {
		fault := &twodoor.Error{Code: twodoor.CodeDenied, Message: what, Hint: "read the file; if it is good, run the same again with --trust, once"}
		if len(lines) > 0 {
			fault.Message += "; it wants to " + strings.Join(lines, ", ")
		}
		return fault
	}
	r.note(what)
	for _, line := range lines {
		r.note("  it wants to " + line)
	}
	if !cli.Ask(ctx, r.Stdin, r.Stderr, "trust it?") && ctx.Err() == nil {
		return &twodoor.Error{Code: twodoor.CodeDenied, Message: r.near(s.File) + " is not trusted"}
	}
	return ctx.Err()
}
