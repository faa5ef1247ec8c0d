package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/journal"
)

func (r *run) callsCommand() cli.Command {
	return cli.Command{
		Name: "calls", Args: "[FILTER…]", Short: "Say who called what, and what came of it",
		Long:    "Lists the calls of the journal, the latest first. A filter is made of words that must all hold: op:harbor.* code:timeout code:error door:mcp client:cursor principal:ann session:s1 dur:>500ms since:1h until:2026-01-31, and words that the record contains; a * stands for any text, a minus in front turns a word round. `calls show ID` tells everything about one call, `calls verify` looks for records that were altered, removed or moved. A running up is asked; without one the store is read.",
		Example: "twodoor calls code:error since:1h",
		Flags: []cli.Flag{
			{Name: "follow", Kind: cli.FlagSwitch, Usage: "tell of calls as they end, until interrupted"},
			{Name: "count", Kind: cli.FlagInt, Default: "100", Usage: "calls at most"},
		},
		Run: func(ctx context.Context, in *cli.Invocation) error {
			switch {
			case len(in.Args) == 2 && in.Args[0] == "show":
				return r.showCall(ctx, in, in.Args[1])
			case len(in.Args) == 1 && in.Args[0] == "verify":
				return r.verifyCalls(ctx, in)
			case in.Switch("follow"):
				return r.followCalls(ctx, in)
			}
			return r.listCalls(ctx, in)
		},
		Complete: func(_ context.Context, args []string, _ string) []string {
			if len(args) > 0 {
				return nil
			}
			return []string{"show", "verify", "op:", "code:", "door:", "client:", "principal:", "session:", "dur:>", "since:"}
		},
	}
}

func (r *run) listCalls(ctx context.Context, in *cli.Invocation) error {
	records, err := r.recordsOf(ctx, strings.Join(in.Args, " "), in.Int("count"))
	if err != nil {
		return err
	}
	if len(records) == 0 {
		in.Say("no call fits")
	}
	var text strings.Builder
	for i := range records {
		text.WriteString(lineOfCall(&records[i]))
	}
	return in.PrintText(text.String(), records)
}

// recordsOf are the latest calls that a filter picks, at most so many.
func (r *run) recordsOf(ctx context.Context, filter string, most int) ([]journal.Record, error) {
	reader, err := r.callsHere(ctx)
	if err != nil {
		return nil, err
	}
	records := []journal.Record{}
	query := url.Values{"filter": {filter}}
	for len(records) < most {
		query.Set("limit", fmt.Sprint(min(most-len(records), 1000)))
		text, err := reader.List(ctx, query)
		if err != nil {
			return nil, err
		}
		var page callPage
		if err := json.Unmarshal(text, &page); err != nil {
			return nil, fmt.Errorf("read the journal: %w", err)
		}
		if records = append(records, page.Calls...); page.Next == "" {
			break
		}
		query.Set("before", page.Next)
	}
	return records, nil
}

// lineOfCall is a call for a person, in one line.
func lineOfCall(c *journal.Record) string {
	what := c.Code
	switch {
	case c.Kind == journal.KindDropped:
		return fmt.Sprintf("%s  %d records were lost to overload\n", c.At.Local().Format(time.DateTime), c.Dropped)
	case c.Kind == journal.KindUnknown:
		what = "nobody knows what came of it"
	case c.Kind == journal.KindIntent:
		what = "running"
	case c.DryRun:
		what += " (dry run)"
	}
	operation := orElse(c.Operation, "?")
	if c.ParentID != "" {
		operation = "↳ " + operation // made by another call
	}
	line := fmt.Sprintf("%s  %s  %s %s  %s  %s ≈%d tokens  %s", c.At.Local().Format(time.DateTime), c.CallID, c.Door, orElse(c.Principal, "nobody"), operation, took(c.Duration), c.TokensOut, what)
	if c.Fault != nil {
		line += ": " + c.Fault.Message
	}
	return strings.ReplaceAll(line, "\n", " ") + "\n"
}

func took(ms float64) string {
	return (time.Duration(ms * float64(time.Millisecond))).Round(100 * time.Microsecond).String()
}

// followCalls tells of calls until it is interrupted: a line for each, as JSON where that is wanted.
func (r *run) followCalls(ctx context.Context, in *cli.Invocation) error {
	reader, err := r.callsHere(ctx)
	if err != nil {
		return err
	}
	news, err := reader.Follow(ctx, url.Values{"filter": {strings.Join(in.Args, " ")}}, "")
	if err != nil {
		return err
	}
	output, _ := in.Output()
	for one, err := range news {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case one.Missed > 0:
			in.Say("%d calls were lost before they could be told", one.Missed)
			continue
		}
		line := string(one.Call) + "\n"
		if output == "table" {
			var c journal.Record
			if err := json.Unmarshal(one.Call, &c); err != nil {
				return fmt.Errorf("read a call: %w", err)
			}
			line = cli.Printable(lineOfCall(&c))
		}
		if _, err := io.WriteString(in.Stdout, line); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) showCall(ctx context.Context, in *cli.Invocation, id string) error {
	reader, err := r.callsHere(ctx)
	if err != nil {
		return err
	}
	text, err := reader.Call(ctx, id)
	if err != nil {
		return err
	}
	var story callStory
	if err := json.Unmarshal(text, &story); err != nil {
		return fmt.Errorf("read the call: %w", err)
	}
	return in.PrintText(textOfCall(&story), text)
}

// textOfCall tells a call to a person.
func textOfCall(story *callStory) string {
	var b strings.Builder
	c := &story.Records[len(story.Records)-1]
	b.WriteString(lineOfCall(c))
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	who := []string{orElse(c.Principal, "nobody"), "at " + orElse(c.Door, "?")}
	for _, more := range []struct{ name, text string }{{"by", c.Client}, {"in the session", c.Session}, {"with the profile", c.Profile}, {"in the version", c.Era}, {"called by", c.ParentID}} {
		if more.text != "" {
			who = append(who, more.name+" "+more.text)
		}
	}
	row("who", "%s", strings.Join(who, ", "))
	if len(story.Records) > 1 {
		row("intent", "was on disk before it began")
	}
	if len(c.Arguments) > 0 {
		row("arguments", "%s", excerpt(c.Arguments, c.ArgsBytes))
	}
	if len(c.Answer) > 0 {
		row("answer", "%s", excerpt(c.Answer, c.AnsBytes))
	}
	if c.Fault != nil && c.Fault.Hint != "" {
		row("hint", "%s", c.Fault.Hint)
	}
	if c.Fault != nil && c.Fault.Cause != "" {
		row("cause", "%s", c.Fault.Cause)
	}
	row("time", "%s, of that %s for the far side", took(c.Duration), took(c.UpDuration))
	row("weight", "%s", weightsOf(c))
	if c.Cut != nil {
		row("cut", "%d of %d shown; %s", c.Cut.Shown, c.Cut.Total, c.Cut.How)
	}
	if c.TraceID != "" {
		row("trace", "%s", c.TraceID)
	}
	for i := range story.Children {
		b.WriteString("  made " + lineOfCall(&story.Children[i]))
	}
	return b.String()
}

// excerpt is what was kept of a value.
func excerpt(raw json.RawMessage, whole int) string {
	text, cut := rawjson.String(raw)
	if !cut || whole == 0 {
		return string(raw)
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.TrimSuffix(text, "…"), whole)
}

// weightsOf tells what an answer weighed before and after each step that made it lighter.
func weightsOf(c *journal.Record) string {
	if c.SavedBy == nil {
		return fmt.Sprintf("≈%d tokens as sent; %d bytes came, %d were sent", c.TokensOut, c.BytesIn, c.BytesOut)
	}
	at := c.TokensOut + c.SavedBy.Total()
	text := fmt.Sprintf("≈%d tokens", at)
	for _, step := range []struct {
		name  string
		spare int
	}{{"with the fields that were wanted", c.SavedBy.Fields}, {"without empty fields", c.SavedBy.LeftOut}, {"cut to the budget", c.SavedBy.Cut}, {"in another format", c.SavedBy.Encoded}} {
		if step.spare > 0 {
			at -= step.spare
			text += fmt.Sprintf(", ≈%d %s", at, step.name)
		}
	}
	return fmt.Sprintf("%s; %d bytes came, %d were sent", text, c.BytesIn, c.BytesOut)
}

// verifyCalls looks for records that are not as they were written.
func (r *run) verifyCalls(ctx context.Context, in *cli.Invocation) error {
	store, err := r.openStore(ctx)
	if err != nil {
		return err
	}
	found, err := store.journal.Verify(ctx)
	if err != nil {
		return unread(err)
	}
	text := fmt.Sprintf("%d records in %d chains are as they were written\n", found.Records, found.Chains)
	if len(found.Faults) > 0 {
		text = fmt.Sprintf("%d records in %d chains, and they are not as they were written:\n", found.Records, found.Chains)
	}
	for _, broken := range found.Faults {
		text += fmt.Sprintf("  chain %d, record %d: %s\n", broken.Chain, broken.N, broken.What)
	}
	if err := in.PrintText(text, found); err != nil || len(found.Faults) == 0 {
		return err
	}
	return cli.Exit(twodoor.CodeChecksFailed.Exit())
}
