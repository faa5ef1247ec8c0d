package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/door/mcpserver"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// maxTool is how heavy one listed tool may be, in estimated tokens.
const maxTool = 1500

// weights is what lists, tools and the last answers cost an agent, in tokens.
type weights struct {
	Exact   bool           `json:"exact,omitempty"` // counted, not estimated
	Profile string         `json:"profile"`
	Expose  twodoor.Expose `json:"expose"`
	Budget  int            `json:"list_budget"`
	Lists   []listWeight   `json:"lists"`
	Tools   []toolWeight   `json:"tools"`             // of the full list, heaviest first
	Answers []answerWeight `json:"answers,omitempty"` // the last calls, the latest first
	Over    []string       `json:"over"`              // what is over its budget, in words

	count func(text []byte) int
}

// answerWeight is what the answer of one call cost, and what shaping it saved, in estimated tokens.
type answerWeight struct {
	Operation string `json:"operation"`
	At        string `json:"at"`
	Tokens    int    `json:"tokens"`
	Saved     int    `json:"saved"`
}

// answers tells what the last answers weighed, the latest first. Nil: no journal is kept.
type answers func(ctx context.Context, most int) ([]answerWeight, error)

// lastAnswers is how many answers are told.
const lastAnswers = 20

type listWeight struct {
	Expose twodoor.Expose `json:"expose"`
	Tools  int            `json:"tools"`
	Tokens int            `json:"tokens"`
}

type toolWeight struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
}

func (r *run) tokensCommand() cli.Command {
	return cli.Command{
		Name: "tokens", Args: "[SOURCE|FILE]", Short: "Weigh what agents are shown over MCP",
		Long:    "Tells what the list costs in each exposure, what each tool costs, and where a journal is kept what the last answers cost, in estimated tokens. Exits 7 where the list that agents get is over list_budget of the profile, or a tool is over 1,500.",
		Example: "twodoor tokens -o json --jq '.lists'",
		Flags:   []cli.Flag{{Name: "exact", Kind: cli.FlagSwitch, Usage: "count with a real vocabulary (o200k), where this twodoor was built with one"}},
		Run: func(ctx context.Context, in *cli.Invocation) error {
			w, err := r.weigh(ctx, in)
			if err != nil {
				return err
			}
			if err := in.PrintText(w.prose(), w); err != nil {
				return err
			}
			if len(w.Over) > 0 {
				return cli.Exit(twodoor.CodeChecksFailed.Exit())
			}
			return nil
		},
	}
}

// weigh weighs the catalog of the configuration, one source of it, or that of a file.
func (r *run) weigh(ctx context.Context, in *cli.Invocation) (*weights, error) {
	engine, name, w := r.engine, in.Profile(), &weights{count: rawjson.Weigh}
	if w.Exact = in.Switch("exact"); w.Exact {
		count, err := exactly()
		if err != nil {
			return nil, err
		}
		w.count = count
	}
	s, err := r.find()
	if err != nil {
		return nil, err
	}
	if len(in.Args) > 0 && s.Sources[in.Args[0]].Kind() == "" {
		reading, err := r.readFile(ctx, s, in.Args[0])
		if err != nil {
			return nil, err
		}
		catalog, err := r.catalogOf(ctx, s, []*twodoor.Reading{reading})
		if err != nil {
			return nil, clash(err)
		}
		engine = &twodoor.Engine{}
		engine.Serve(catalog)
	} else if err := r.serve(ctx); err != nil {
		return nil, err
	}
	profile := engine.Profile(name)
	if profile == nil {
		return nil, &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("there is no profile %q", name)}
	}
	only := ""
	if len(in.Args) > 0 && engine == r.engine {
		only = in.Args[0]
	}
	if err := w.all(engine, name, profile, only); err != nil || engine != r.engine {
		return w, err
	}
	return w, w.last(ctx, r.answers(), only)
}

// answers reads the journal, where anything was ever recorded.
func (r *run) answers() answers {
	if !r.remembers() {
		return nil
	}
	return func(ctx context.Context, most int) (told []answerWeight, err error) {
		records, err := r.recordsOf(ctx, "code:ok", most)
		for _, c := range records {
			told = append(told, answerWeight{c.Operation, c.At.UTC().Format(time.RFC3339), c.TokensOut, c.Saved})
		}
		return told, err
	}
}

// last adds what the last answers weighed, all or those of one source.
func (w *weights) last(ctx context.Context, read answers, source string) error {
	if read == nil {
		return nil
	}
	told, err := read(ctx, lastAnswers)
	if err != nil {
		return fmt.Errorf("read what the last answers weighed: %w", err)
	}
	w.Answers = slices.DeleteFunc(told, func(a answerWeight) bool {
		return source != "" && !strings.HasPrefix(a.Operation, source+".")
	})
	return nil
}

// all weighs the lists of a profile in each exposure.
func (w *weights) all(engine *twodoor.Engine, name string, profile *twodoor.Profile, only string) error {
	w.Profile, w.Expose, w.Budget, w.Over = orElse(name, twodoor.DefaultProfile), profile.Expose, profile.ListBudget, []string{}
	if w.Expose == "" {
		w.Expose = twodoor.ExposeAuto
	}
	if w.Budget == 0 {
		w.Budget = mcpserver.ListBudget
	}
	door := &mcpserver.Door{Engine: engine}
	for _, expose := range []twodoor.Expose{twodoor.ExposeFull, twodoor.ExposeSearch, twodoor.ExposeAuto} {
		tools, err := door.Tools(twodoor.Operator, name, expose)
		if err != nil {
			return err
		}
		w.add(expose, ofSource(engine.Catalog(), tools, only))
	}
	slices.SortStableFunc(w.Tools, func(a, b toolWeight) int { return b.Tokens - a.Tokens })
	return nil
}

// ofSource leaves the tools of one source, where one is asked for.
func ofSource(catalog *twodoor.Catalog, tools []json.RawMessage, source string) []json.RawMessage {
	if source == "" {
		return tools
	}
	return slices.DeleteFunc(tools, func(tool json.RawMessage) bool {
		op, _, err := catalog.Find(nameOf(tool))
		return err != nil || op == nil || op.Source() != source
	})
}

func nameOf(tool json.RawMessage) string {
	raw, _ := rawjson.Get(tool, "name")
	name, _ := rawjson.String(raw)
	return name
}

func (w *weights) add(expose twodoor.Expose, tools []json.RawMessage) {
	list := listWeight{Expose: expose, Tools: len(tools)}
	for _, tool := range tools {
		weight := w.count(tool)
		list.Tokens += weight
		if expose == twodoor.ExposeFull {
			w.Tools = append(w.Tools, toolWeight{nameOf(tool), weight})
			if weight > maxTool {
				w.Over = append(w.Over, fmt.Sprintf("%s weighs %s%d tokens, more than %d", nameOf(tool), w.about(), weight, maxTool))
			}
		}
	}
	w.Lists = append(w.Lists, list)
	if expose == w.Expose && expose != twodoor.ExposeFull && list.Tokens > w.Budget {
		w.Over = append(w.Over, fmt.Sprintf("the list weighs %s%d tokens, more than %d", w.about(), list.Tokens, w.Budget))
	}
}

// about marks a figure that is estimated.
func (w *weights) about() string {
	if w.Exact {
		return ""
	}
	return "≈"
}

func (w *weights) prose() string {
	var out strings.Builder
	for _, list := range w.Lists {
		mark := ""
		if list.Expose == w.Expose {
			mark = ", what agents get in profile " + w.Profile
		}
		fmt.Fprintf(&out, "%-6s  %4d tools  %s%d tokens%s\n", list.Expose, list.Tools, w.about(), list.Tokens, mark)
	}
	for _, tool := range w.Tools[:min(len(w.Tools), 10)] {
		fmt.Fprintf(&out, "    %s%-6d %s\n", w.about(), tool.Tokens, tool.Name)
	}
	if len(w.Tools) > 10 {
		fmt.Fprintf(&out, "    … %d more, with -o json\n", len(w.Tools)-10)
	}
	for _, answer := range w.Answers {
		fmt.Fprintf(&out, "answer ≈%-6d saved ≈%-6d %s %s\n", answer.Tokens, answer.Saved, answer.At, answer.Operation)
	}
	for _, over := range w.Over {
		fmt.Fprintf(&out, "over: %s\n", over)
	}
	return out.String()
}
