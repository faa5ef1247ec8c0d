package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/source/guide"
)

func (r *run) guidesCommand() cli.Command {
	return cli.Command{
		Name: "guides", Short: "Read how a task is done from its beginning to its end",
		Commands: []cli.Command{
			{Name: "list", Short: "List the guides: what each is for, when to read it", Example: "twodoor guides list", Run: r.guidesList},
			{
				Name: "read", Args: "NAME...", Short: "Read guides, as Markdown", Example: "twodoor guides read triage", Run: r.guidesRead,
				Complete: func(context.Context, []string, string) []string {
					library, err := r.guidesHere()
					if err != nil {
						return nil
					}
					return library.Names()
				},
			},
		},
	}
}

// library reads the guides of all sources.
func (r *run) library() *guide.Library {
	if r.site == nil {
		return &guide.Library{}
	}
	return r.libraryOf(r.site)
}

// libraryOf reads the guides of all sources of a configuration.
func (r *run) libraryOf(s *site) *guide.Library {
	var all []*guide.Library
	for _, name := range config.Sorted(s.Sources) {
		if folder := s.Sources[name].Guides; folder != "" {
			files, place := r.guidesOf(s, name)
			library := guide.Load(name, files, 0)
			for i := range library.Guides {
				library.Guides[i].File = place + "/" + library.Guides[i].File
			}
			for i := range library.Findings {
				library.Findings[i].File = place + "/" + library.Findings[i].File
			}
			all = append(all, library)
		}
	}
	return guide.LoadAll(all...)
}

// hasGuides reports whether a source names a folder of guides.
func (s *site) hasGuides() bool {
	for _, source := range s.Sources {
		if source.Guides != "" {
			return true
		}
	}
	return false
}

func (r *run) guidesHere() (*guide.Library, error) {
	if _, err := r.find(); err != nil {
		return nil, err
	}
	return r.library(), nil
}

func (r *run) guidesList(_ context.Context, in *cli.Invocation) error {
	library, err := r.guidesHere()
	if err != nil {
		return err
	}
	if len(library.Guides) == 0 {
		in.Say("there are no guides: name a folder of them with guides: in %s", config.FileName)
	}
	var text strings.Builder
	for _, g := range library.Guides {
		fmt.Fprintf(&text, "%s\n    %s\n", g.Name, g.Title)
		if g.When != "" {
			fmt.Fprintf(&text, "    when %s\n", g.When)
		}
	}
	return in.PrintText(text.String(), map[string][]guide.Guide{"guides": append([]guide.Guide{}, library.Guides...)})
}

func (r *run) guidesRead(_ context.Context, in *cli.Invocation) error {
	library, err := r.guidesHere()
	if err != nil {
		return err
	}
	var texts []string
	for _, name := range in.Args {
		g := library.Find(name)
		if g == nil {
			fault := library.Unknown(name)
			fault.Hint = "list them with: twodoor guides list"
			return fault
		}
		texts = append(texts, strings.TrimRight(g.Text, "\n"))
	}
	text := strings.Join(texts, "\n\n") + "\n"
	return in.PrintLines(text, map[string]string{"text": text})
}
