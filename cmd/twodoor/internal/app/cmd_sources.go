package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/source/mcpclient"
)

func (r *run) addCommand() cli.Command {
	return cli.Command{
		Name: "add", Args: "FILE|URL", Short: "Add a description to twodoor.yaml",
		Long:    "Reads the description, writes it into the twodoor.yaml that is found (else ./twodoor.yaml), and says what it has. A description that cannot be read changes nothing.",
		Example: "twodoor add ./openapi.yaml --name shop --bearer env:SHOP_TOKEN",
		Flags:   addFlags(),
		Run: func(ctx context.Context, in *cli.Invocation) error {
			e, err := r.addAll(ctx, []wanted{wantedOf(in, in.Args[0])})
			if err != nil {
				return err
			}
			all, err := r.summaries()
			if err != nil {
				return err
			}
			name := append(e.added, e.known...)[0]
			for _, s := range all {
				if s.Name == name {
					return in.PrintLines(s.prose(true)+fmt.Sprintf("%s has it as %q; next: twodoor %s --help\n", r.near(e.file), name, name), s)
				}
			}
			return fmt.Errorf("source %q is not in the catalog after it was added", name)
		},
	}
}

func (r *run) removeCommand() cli.Command {
	return cli.Command{
		Name: "remove", Args: "NAME", Short: "Take a source out of twodoor.yaml",
		Long:    "The description, the connection and the names in twodoor.lock stay: names are reserved until their lines are deleted.",
		Example: "twodoor remove shop",
		Run: func(_ context.Context, in *cli.Invocation) error {
			s, err := r.find()
			if err != nil {
				return err
			}
			text, found, err := config.Remove(s.Text, "sources", in.Args[0])
			if err != nil {
				return err
			}
			if !found && s.filed[in.Args[0]] {
				return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s stands in %s", in.Args[0], r.near(s.file.Path)),
					Hint: fmt.Sprintf("take %q out there, or write it into %s with \"disabled\": true", s.ids[in.Args[0]], r.near(s.file.Overlay()))}
			}
			if !found {
				return &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no source %q", in.Args[0]), Try: config.Sorted(s.Sources)}
			}
			if err := config.WriteFile(s.File, text, 0o644); err != nil {
				return err
			}
			return in.PrintLines(fmt.Sprintf("%s: %s is out\n", r.near(s.File), in.Args[0]), map[string]string{"removed": in.Args[0], "file": s.File})
		},
		Complete: r.completeSources,
	}
}

func (r *run) completeSources(context.Context, []string, string) []string {
	s, err := r.find()
	if err != nil {
		return nil
	}
	return config.Sorted(s.Sources)
}

func (r *run) sourcesCommand() cli.Command {
	return cli.Command{
		Name: "sources", Short: "List the sources, what was found in them, and how their far sides do",
		Long:    "Of MCP servers and other twodoors it also tells the state, the revision of MCP, the transport, how long a list takes, and where something is wrong the reason and what to do. A running up is asked; else it tells what this run knows: a far side that was listed before is not started for it.",
		Example: "twodoor sources",
		Run: func(ctx context.Context, in *cli.Invocation) error {
			all, err := r.sources(ctx)
			if err != nil {
				return err
			}
			var text strings.Builder
			for _, s := range all {
				text.WriteString(s.prose(true))
			}
			if len(all) == 0 {
				text.WriteString("no sources; add one with: twodoor up openapi.yaml\n")
			}
			return in.PrintText(text.String(), all)
		},
	}
}

// summary is what there is to know of a source in a line or two.
type summary struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`
	Title      string   `json:"title,omitempty"`
	Version    string   `json:"version,omitempty"`
	File       string   `json:"file"`
	Operations int      `json:"operations"`
	Reads      int      `json:"reads"`
	Writes     int      `json:"writes"`
	Destroys   int      `json:"destroys"`
	Exceptions int      `json:"exceptions"`
	Skipped    int      `json:"skipped"`
	Origins    []string `json:"origins"`
	Starts     []string `json:"starts,omitempty"` // programs
	Notes      []string `json:"notes"`
	Error      string   `json:"error,omitempty"`

	state // of far sides that list their operations themselves
}

// summaries tells of all sources of the configuration, also of those that cannot be served.
func (r *run) summaries() ([]summary, error) {
	readings, err := r.opened.readings()
	if err != nil {
		return nil, err
	}
	all := []summary{}
	for _, name := range config.Sorted(r.site.Sources) {
		c := r.site.Sources[name]
		s := summary{Name: name, Kind: c.Kind(), File: r.site.placeOf(name), Origins: []string{}, Notes: []string{}}
		for _, reading := range readings {
			if reading.Source == name {
				s.tell(reading, r.opened.catalog)
				if note := keyNote(reading, c); note != "" {
					s.Notes = append(s.Notes, note)
				}
			}
		}
		if isListed(s.Kind) {
			s.state = r.stateOf(name)
		}
		for _, lost := range r.opened.lost {
			if lost.source == name {
				s.fail(lost.err)
			}
		}
		all = append(all, s)
	}
	return append(all, r.disabled()...), nil
}

func (s *summary) tell(reading *twodoor.Reading, catalog *twodoor.Catalog) {
	s.Title, s.Version = reading.Title, reading.Version
	s.Exceptions, s.Skipped = len(reading.Exceptions), len(reading.Skipped)
	s.Origins, s.Notes = append(s.Origins, reading.Origins...), append(s.Notes, reading.Notes...)
	s.Starts = programsOf(reading)
	for _, entry := range catalog.Below(s.Name + ".") {
		s.Operations++
		switch entry.Effect {
		case twodoor.Reads:
			s.Reads++
		case twodoor.Writes:
			s.Writes++
		case twodoor.Destroys:
			s.Destroys++
		}
	}
}

// keyNote says which key the description asks for, where the configuration names none.
func keyNote(reading *twodoor.Reading, c config.Source) string {
	if len(reading.Schemes) == 0 || c.Connection != "" || len(c.Connections) > 0 {
		return ""
	}
	var kinds []string
	for _, s := range reading.Schemes {
		kind := s.Type
		switch {
		case s.Type == "http":
			kind = s.Scheme
		case s.Type == "apiKey":
			kind = "API key in the " + s.In + " " + s.Param
		}
		if kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return fmt.Sprintf("it asks for a key (%s) and none is named: give one with --bearer env:NAME at add or up, or with connection: in twodoor.yaml", strings.Join(kinds, ", "))
}

// prose is the summary for a person, with what the reader of the description noted.
func (s *summary) prose(notes bool) string {
	if s.State == mcpclient.Disabled {
		return fmt.Sprintf("%s  is switched off\n", s.Name)
	}
	if s.Error != "" {
		what := ""
		if !isListed(s.Kind) {
			what = filepath.Base(s.File) + " "
		}
		return fmt.Sprintf("%s  %sis left out: %s\n", s.Name, what, s.Error) + s.repair()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s", s.Name, orElse(s.Title, s.File))
	if s.Version != "" {
		fmt.Fprintf(&b, " %s", s.Version)
	}
	fmt.Fprintf(&b, ": %s, %d read, %d write, %d destroy\n", counted(s.Operations, "operation"), s.Reads, s.Writes, s.Destroys)
	if line := s.line(); line != "" {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	if s.Reason != "" {
		fmt.Fprintf(&b, "    reason: %s\n%s", s.Reason, s.repair())
	}
	if s.Exceptions > 0 {
		fmt.Fprintf(&b, "    %d cannot be served; which and why: twodoor coverage %s\n", s.Exceptions, s.Name)
	}
	if len(s.Origins) > 0 {
		fmt.Fprintf(&b, "    calls %s\n", strings.Join(s.Origins, ", "))
	}
	if len(s.Starts) > 0 {
		fmt.Fprintf(&b, "    starts %s\n", strings.Join(s.Starts, ", "))
	}
	if notes {
		for _, note := range s.Notes {
			fmt.Fprintf(&b, "    note: %s\n", note)
		}
	}
	return b.String()
}

// repair is what to do about what is wrong.
func (s *summary) repair() string {
	var b strings.Builder
	for _, line := range s.Stderr[max(0, len(s.Stderr)-5):] {
		fmt.Fprintf(&b, "    it said: %s\n", line)
	}
	if s.Fix != "" {
		fmt.Fprintf(&b, "    fix: %s\n", s.Fix)
	}
	return b.String()
}

// counted is a number of things: "1 source", "2 sources".
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
