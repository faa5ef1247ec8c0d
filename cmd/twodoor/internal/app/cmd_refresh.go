package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/bundle"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/diff"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/source/openapi"
)

func (r *run) refreshCommand() cli.Command {
	return cli.Command{
		Name: "refresh", Args: "[SOURCE...]", Short: "Look at the descriptions behind URLs again, and tell what changed",
		Long:    "A description behind a URL is read once and kept. This reads it again and tells what changed and whom it breaks, like diff. Nothing is taken up without --update: then " + config.LockName + " and the kept catalog are written anew.",
		Example: "twodoor refresh --update",
		Flags: []cli.Flag{
			{Name: "update", Kind: cli.FlagSwitch, Usage: "take up what changed"},
			{Name: "breaking", Kind: cli.FlagSwitch, Usage: "only what breaks a caller; where something does, nothing is taken up, and it exits 7"},
		},
		Run:      r.refresh,
		Complete: r.completeSources,
	}
}

// refreshed is what refresh found.
type refreshed struct {
	Sources  []string      `json:"sources"` // that were looked at
	Changes  []diff.Change `json:"changes"`
	Breaking int           `json:"breaking"`
	Origins  []string      `json:"new_origins,omitempty"` // that the descriptions did not call before
	Updated  bool          `json:"updated"`
}

func (r *run) refresh(ctx context.Context, in *cli.Invocation) error {
	o, err := r.open(ctx)
	if err != nil {
		return err
	}
	names, err := r.behindURLs(in.Args)
	if err != nil {
		return err
	}
	found := refreshed{Sources: append([]string{}, names...), Changes: []diff.Change{}}
	if len(names) == 0 {
		in.Say("no description is behind a URL: files are followed as they change")
		return in.PrintText("", found)
	}
	if !o.warm {
		in.Say("nothing was kept before: the descriptions are read for the first time, and kept")
	}
	readings, lost := r.read(ctx, r.site)
	for _, l := range lost {
		if slices.Contains(names, l.source) || in.Switch("update") && !isListed(r.site.Sources[l.source].Kind()) {
			return l.err
		}
	}
	if err := r.compare(&found, readings); err != nil {
		return err
	}
	breaks := in.Switch("breaking") && found.Breaking > 0
	if in.Switch("breaking") {
		found.Changes = diff.Breaking(found.Changes)
	}
	if in.Switch("update") && !breaks {
		if err := r.takeUp(ctx, readings); err != nil {
			return err
		}
		found.Updated = true
	}
	if err := in.PrintLines(found.text(in.Switch("update")), found); err != nil || !breaks {
		return err
	}
	return cli.Exit(twodoor.CodeChecksFailed.Exit())
}

// behindURLs are the sources whose description, or a part of it, is behind a URL: those that are named,
// or all.
func (r *run) behindURLs(named []string) ([]string, error) {
	var names []string
	for _, name := range config.Sorted(r.site.Sources) {
		c := r.site.Sources[name]
		files := slices.Concat([]string{c.OpenAPI}, c.Overlays)
		for _, language := range config.Sorted(c.Translations) {
			files = append(files, c.Translations[language])
		}
		if c.Kind() == openapi.Kind && slices.ContainsFunc(files, config.IsURL) && (len(named) == 0 || slices.Contains(named, name)) {
			names = append(names, name)
		}
	}
	for _, name := range named {
		switch _, there := r.site.Sources[name]; {
		case !there:
			return nil, &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no source %q", name), Try: config.Sorted(r.site.Sources)}
		case !slices.Contains(names, name):
			return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: name + " has no description behind a URL", Hint: "a file is followed as it changes; compare with an older one: twodoor diff HEAD~1"}
		}
	}
	return names, nil
}

// compare tells what changed in the sources that were looked at.
func (r *run) compare(found *refreshed, readings []*twodoor.Reading) error {
	var now []*twodoor.Reading
	before := map[string][]string{}
	for _, info := range r.opened.catalog.Sources() {
		before[info.Name] = info.Origins
	}
	for _, reading := range readings {
		if !slices.Contains(found.Sources, reading.Source) {
			continue
		}
		now = append(now, reading)
		for _, origin := range reading.Origins {
			if !slices.Contains(before[reading.Source], origin) {
				found.Origins = append(found.Origins, origin)
			}
		}
	}
	catalog, err := twodoor.NewCatalog(now...)
	if err != nil {
		return clash(err)
	}
	changes, err := diff.Between(r.opened.catalog, catalog)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if source, _, _ := strings.Cut(c.ID, "."); slices.Contains(found.Sources, source) {
			found.Changes = append(found.Changes, c)
		}
	}
	found.Breaking = len(diff.Breaking(found.Changes))
	diff.Surfaces{Guides: r.library(), Profiles: profilesOf(r.site), Cards: true}.Reach(found.Changes)
	return nil
}

// takeUp keeps what was read: names in the lock, the catalog in its bundle.
func (r *run) takeUp(ctx context.Context, readings []*twodoor.Reading) error {
	path := r.bundlePath(r.site)
	if path == "" {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "there is no place to keep what was read: neither HOME nor XDG_CACHE_HOME is set"}
	}
	if err := r.keepNames(r.site, readings); err != nil {
		return err
	}
	stamp, err := bundle.StampOf(r.key(r.site), r.filesOf(r.site, readings))
	if err != nil {
		return fmt.Errorf("stamp the catalog: %w", err)
	}
	return r.keep(ctx, r.site, path, stamp, readings)
}

func (f refreshed) text(asked bool) string {
	text := changesText(f.Changes)
	if len(f.Origins) > 0 {
		text += "! it calls hosts that it did not call before: " + strings.Join(f.Origins, ", ") + "\n"
	}
	switch {
	case f.Updated:
		text += "taken up; a running up follows at the age of refresh:, or when it is started again\n"
	case asked:
		text += "nothing was taken up, because it breaks callers\n"
	case len(f.Changes) > 0:
		text += "nothing was taken up; take it up with: twodoor refresh --update\n"
	}
	return text
}
