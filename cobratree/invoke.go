package cobratree

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// outcome is what came of a command.
type outcome struct {
	stdout []byte
	stderr string
	over   bool // it printed more than it may
	err    error
}

// Invoke runs a command.
func (t *Tree) Invoke(ctx context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	args, err := argsOf(in)
	if err != nil {
		return nil, err
	}
	run := t.within
	if t.options.Apart {
		run = t.apart
	}
	out, err := run(ctx, args)
	if err != nil {
		return nil, err
	}
	return t.value(out)
}

// Preview shows the command line.
func (t *Tree) Preview(_ context.Context, in *twodoor.Invocation) (*twodoor.Preview, error) {
	args, err := argsOf(in)
	if err != nil {
		return nil, err
	}
	var detail rawjson.Object
	detail.PutString("program", t.root.Name())
	detail.PutStrings("args", args)
	var text strings.Builder
	text.WriteString(t.root.Name())
	for _, arg := range args {
		fmt.Fprintf(&text, " %s", shellWord(arg))
	}
	return &twodoor.Preview{Text: text.String() + "\n", Detail: detail.Bytes()}, nil
}

func argsOf(in *twodoor.Invocation) ([]string, error) {
	var p plan
	if err := json.Unmarshal(in.Operation.Plan, &p); err != nil {
		return nil, fmt.Errorf("read the plan of %s: %w", in.Operation.ID, err)
	}
	return lineOf(&p, in.Arguments)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./=:,@%+-]+$`)

func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// within runs a command in this process, when those before it are done. A command that does not heed
// its context keeps its turn until it ends; whoever called it does not wait.
func (t *Tree) within(ctx context.Context, args []string) (outcome, error) {
	select {
	case <-t.turn:
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() { t.turn <- struct{}{} }()
		done <- t.execute(ctx, args)
	}()
	select {
	case out := <-done:
		if ctx.Err() != nil && out.err != nil {
			return out, ctx.Err()
		}
		return out, nil
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
}

// execute runs a command line on a tree that is as if it had never run.
func (t *Tree) execute(ctx context.Context, args []string) (out outcome) {
	root := t.root
	if t.options.New != nil {
		root = t.options.New()
	} else {
		defer restore(root)
	}
	root.SetArgs(args)
	root.SetIn(strings.NewReader(""))
	usage, errs := root.SilenceUsage, root.SilenceErrors
	defer func() { root.SilenceUsage, root.SilenceErrors = usage, errs }()
	root.SilenceUsage, root.SilenceErrors = true, true
	stderr := &bounded{limit: maxStderr}
	root.SetErr(stderr)
	out.stdout, out.over = t.capture.during(t.maxBytes(), func(stdout io.Writer) {
		root.SetOut(stdout)
		defer func() {
			if p := recover(); p != nil {
				out.err = fmt.Errorf("it panicked: %v", p)
			}
		}()
		out.err = root.ExecuteContext(ctx)
	})
	out.stderr = stderr.String()
	return out
}

// restore puts everything that a run leaves in a tree back.
func restore(cmd *cobra.Command) {
	back := func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok && f.Changed {
			_ = list.Replace(sliceOf(f.DefValue))
		} else if f.Changed {
			_ = f.Value.Set(f.DefValue)
		}
		f.Changed = false
	}
	cmd.Flags().VisitAll(back)
	cmd.PersistentFlags().VisitAll(back)
	//lint:ignore SA1012 cobra keeps the context of the first run otherwise
	cmd.SetContext(nil)
	cmd.SetArgs(nil)
	cmd.SetIn(nil)
	cmd.SetOut(nil)
	cmd.SetErr(nil)
	for _, sub := range cmd.Commands() {
		restore(sub)
	}
}

// sliceOf is a default of a list, as pflag prints it: [a,b].
func sliceOf(text string) []string {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	if text == "" {
		return []string{}
	}
	return strings.Split(text, ",")
}

// value is what a command printed, as JSON where it is JSON; a command that failed is a fault whose
// message ends with the end of its words.
func (t *Tree) value(out outcome) (*twodoor.Value, error) {
	if out.err != nil {
		return nil, t.fault(out)
	}
	if out.over {
		return nil, &twodoor.Error{
			Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("the command printed more than %d bytes; it ran to its end", t.maxBytes()),
			Hint: "ask for less: the inputs that narrow or limit",
		}
	}
	if raw := rawjson.Trim(out.stdout); len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') && rawjson.Check(raw) == nil {
		return &twodoor.Value{JSON: raw}, nil
	}
	text := strings.TrimRight(strings.ToValidUTF8(string(out.stdout), "�"), "\n")
	value := &twodoor.Value{JSON: rawjson.Quote(text), MediaType: "text/plain"}
	if text == "" {
		value = &twodoor.Value{}
		if said := last(out.stderr); said != "" {
			value.Notes = []string{said}
		}
	}
	return value, nil
}

func (t *Tree) fault(out outcome) error {
	message := strings.TrimSpace(out.err.Error())
	said := last(out.stderr)
	if said == "" {
		said = last(string(out.stdout))
	}
	if said != "" && !strings.Contains(said, message) {
		message += ": " + said
	} else if said != "" {
		message = said
	}
	if message == "" {
		message = "the command failed and did not say why"
	}
	return &twodoor.Error{Code: twodoor.CodeUpstream, Message: message, Cause: out.err, Upstream: &twodoor.UpstreamFault{Told: true}}
}

// Bounds of what is kept of stderr, and repeated of it.
const (
	maxStderr = 64 << 10
	maxSaid   = 1000
)

// last is the end of a text, in whole lines where they are short.
func last(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "�"))
	if len(text) <= maxSaid {
		return text
	}
	text = text[len(text)-maxSaid:]
	if _, after, ok := strings.Cut(text, "\n"); ok {
		text = after
	}
	return "…" + strings.ToValidUTF8(text, "")
}

// bounded keeps the end of what is written to it.
type bounded struct {
	limit int
	text  []byte
}

func (b *bounded) Write(text []byte) (int, error) {
	b.text = append(b.text, text...)
	if over := len(b.text) - b.limit; over > 0 {
		b.text = append(b.text[:0], b.text[over:]...)
	}
	return len(text), nil
}

func (b *bounded) String() string { return string(b.text) }
