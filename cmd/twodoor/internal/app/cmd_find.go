package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/source/find"
)

func (r *run) findCommand() cli.Command {
	return cli.Command{
		Name: "find", Args: "WORDS...", Short: "Find operations by what they do",
		Long:    "Says in order which operations fit the words, and how sure that is. Below the bar it says that nothing fits. The words may be of any language that the descriptions are written in.",
		Example: "twodoor find who is on call for checkout",
		Flags: []cli.Flag{
			{Name: "hits", Kind: cli.FlagInt, Usage: fmt.Sprintf("operations at most, default %d", find.DefaultHits)},
		},
		Run: r.findWords,
	}
}

// hits is what find_operations answers.
type hits struct {
	Confidence float64 `json:"confidence"`
	Hits       []struct {
		ID     string   `json:"id,omitempty"`
		Guide  string   `json:"guide,omitempty"`
		Does   string   `json:"does"`
		Needs  []string `json:"needs,omitempty"`
		Effect string   `json:"effect,omitempty"`
		Also   []string `json:"also,omitempty"`
	} `json:"hits"`
}

func (r *run) findWords(ctx context.Context, in *cli.Invocation) error {
	found, result, err := r.search(ctx, strings.Join(in.Args, " "), in.Int("hits"), in.Profile())
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, hit := range found.Hits {
		if hit.Guide != "" {
			fmt.Fprintf(&text, "%s guides read %s\n    %s\n", r.name(), hit.Guide, hit.Does)
			continue
		}
		fmt.Fprintf(&text, "%s\n    %s (%s)\n", r.typed(hit.ID), hit.Does, hit.Effect)
	}
	if len(found.Hits) == 0 {
		for _, note := range result.Notes {
			in.Say("%s", note)
		}
	} else if id := found.Hits[0].ID; id != "" {
		in.Say("next: %s --help", r.typed(id))
	}
	return in.PrintText(text.String(), result.Value)
}

// search asks the index of the catalog that is served.
func (r *run) search(ctx context.Context, words string, limit int, profile string) (hits, *twodoor.Result, error) {
	if err := r.serve(ctx); err != nil {
		return hits{}, nil, err
	}
	query := map[string]any{"query": words}
	if limit > 0 {
		query["limit"] = limit
	}
	args, err := json.Marshal(query)
	if err != nil {
		return hits{}, nil, err
	}
	result, err := r.engine.Do(ctx, twodoor.Call{Operation: find.FindID, Arguments: args, Principal: twodoor.Operator, Profile: profile, Door: twodoor.DoorCLI})
	if err != nil {
		return hits{}, nil, err
	}
	var found hits
	if err := json.Unmarshal(result.Value, &found); err != nil {
		return hits{}, nil, fmt.Errorf("read the answer of %s: %w", find.FindID, err)
	}
	return found, result, nil
}

// nearest lists operations for words that are no command. A search that fails finds nothing: it is only
// a hint beside an error.
func (r *run) nearest(ctx context.Context, words string, n int) []string {
	if r.opened == nil {
		return nil
	}
	found, _, err := r.search(ctx, words, n, r.early.Profile)
	if err != nil {
		return nil
	}
	var ids []string
	for _, hit := range found.Hits {
		if hit.ID != "" && len(ids) < n {
			ids = append(ids, hit.ID)
		}
	}
	return ids
}
