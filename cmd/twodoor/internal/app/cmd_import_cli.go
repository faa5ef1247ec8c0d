package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/draft"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/proc"
)

// importProgram drafts a verbs file of a program's commands, for a person to trim.
func (r *run) importProgram(ctx context.Context, in *cli.Invocation) error {
	if len(in.Args) == 0 {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "import --cli needs the program to draft a verbs file of", Hint: "name it: twodoor import gh --cli"}
	}
	program := in.Args[0]
	d, err := draft.Program(ctx, draft.Request{Program: program, Dir: r.Dir, Environ: r.Environ})
	if err != nil {
		return undrafted(program, err)
	}
	if name := in.Text("name"); name != "" {
		d.Name = name
	}
	if problem := config.CheckName(d.Name); problem != "" {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: problem, Hint: "give it one with --name"}
	}
	if in.Switch("dry-run") {
		return in.PrintLines(string(d.YAML()), d)
	}
	file := filepath.Join(r.Dir, d.Name+".verbs.yaml")
	if isFile(file) && !in.Switch("replace") {
		return &twodoor.Error{Code: twodoor.CodeConflict, Message: fmt.Sprintf("there is a %s already", r.near(file)), Hint: "look at the draft with --dry-run, or write over the file with --replace"}
	}
	if err := config.WriteFile(file, d.YAML(), 0o644); err != nil {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "cannot write " + r.near(file) + ": " + plainCause(err).Error(), Cause: err}
	}
	return in.PrintLines(r.draftText(d, file), struct {
		*draft.Draft
		File string `json:"file"`
	}{d, file})
}

func (r *run) draftText(d *draft.Draft, file string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s of %s, from its %s\n", r.near(file), counted(len(d.Commands), "command"), d.Program, d.Way)
	if d.Short {
		fmt.Fprintf(&b, "    there are more: these are the first %d\n", draft.MaxCommands)
	}
	fmt.Fprintf(&b, "next: keep the five to ten that agents need, check their effects, then: twodoor add ./%s\n", filepath.Base(file))
	return b.String()
}

func undrafted(program string, err error) error {
	fault := &twodoor.Error{Code: twodoor.CodeUpstream, Message: err.Error(), Hint: "write the verbs file by hand: twodoor docs verbs", Cause: err}
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case proc.NotFound(err):
		fault.Code, fault.Message, fault.Hint = twodoor.CodeInvalid, fmt.Sprintf("there is no program %q on this machine", program), "name one on PATH, or a path"
	}
	return fault
}
