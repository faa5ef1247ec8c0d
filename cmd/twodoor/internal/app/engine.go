package app

import (
	"encoding/json"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/source/command"
	"github.com/twodoor/twodoor/source/find"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/mcpclient"
	"github.com/twodoor/twodoor/source/openapi"
	"github.com/twodoor/twodoor/source/protobuf"
	"github.com/twodoor/twodoor/source/remote"
)

// ready makes the run's engine able to carry calls of the configuration.
func (r *run) ready() {
	if r.memory.stays {
		r.memory.learn(r, r.site)
	}
	r.engine.Keeper = r.memory.keeper
	r.engine.Invokers = map[string]twodoor.Invoker{
		openapi.Kind: &openapi.Invoker{Doer: r.outbound(r.site), UserAgent: "twodoor/" + r.Version.Number},
		guide.Kind:   &guide.Source{Library: r.library},
		find.Kind:    &find.Invoker{Index: r.opened.index, Shelf: r.memory.shelf},

		protobuf.Kind:  &protobuf.Invoker{Doer: r.outbound(r.site), UserAgent: "twodoor/" + r.Version.Number},
		command.Kind:   &r.far.verbs.invoker,
		mcpclient.Kind: r.memory.traced(r.toolInvoker()),
		remote.Kind:    &remote.Invoker{Doer: &r.far.out},
	}
	r.engine.Profiles = profilesOf(r.site)
	r.engine.Seal = r.memory.seal
}

func profilesOf(s *site) map[string]*twodoor.Profile {
	profiles := map[string]*twodoor.Profile{}
	for name, p := range s.Profiles {
		profiles[name] = profileOf(p)
	}
	return profiles
}

func profileOf(p config.Profile) *twodoor.Profile {
	profile := &twodoor.Profile{
		Include: p.Include, Exclude: p.Exclude, Expose: twodoor.Expose(p.Expose), ListBudget: p.ListBudget,
		AnswerBudget: p.AnswerBudget, AnswerFormat: twodoor.Format(p.AnswerFormat), Pins: p.Pins, Confirm: twodoor.Confirm(p.Confirm), OutputSchemas: p.OutputSchemas,
	}
	for _, effect := range p.Effects {
		profile.Effects = append(profile.Effects, twodoor.Effect(effect))
	}
	return profile
}

// toolInvoker calls the tools of MCP servers: over the connections of this program where it stays, else
// over those of the running up where there is one.
func (r *run) toolInvoker() twodoor.Invoker {
	own := &mcpclient.Invoker{Pool: &r.far.pool}
	if r.staying || r.stays() {
		return own
	}
	return &attached{run: r, own: own}
}

// definitionOf is the definition of a tool as its MCP server wrote it, however far away that is.
func definitionOf(op *twodoor.Operation) json.RawMessage {
	if op.Kind == remote.Kind {
		return remote.Definition(op)
	}
	return mcpclient.Definition(op)
}
