package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/cli/internal/render"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/shape"
)

// encode writes an answer: the data alone to stdout or to the file of --out, everything said about it
// to stderr.
func (r *run) encode(op *twodoor.Operation, result *twodoor.Result, out *outFile) error {
	err := r.data(op, result, out)
	r.remark(op, result)
	return err
}

func (r *run) data(op *twodoor.Operation, result *twodoor.Result, out *outFile) error {
	switch {
	case result.Preview != nil:
		return r.write(out, r.previewed(result.Preview))
	case len(result.Value) == 0 && len(result.Blobs) == 0:
		if !r.opts.asked || !r.isJSON() {
			r.say("OK: %s", wordOr(op.Origin, op.ID))
		}
		return nil
	case len(result.Value) == 0 || out != nil && len(result.Blobs) == 1:
		return r.writeBlobs(result.Blobs, out)
	}
	for _, blob := range result.Blobs {
		r.say("note: %s of %d bytes is not shown: --out FILE keeps it", wordOr(blob.MediaType, "content"), len(blob.Data))
	}
	text, err := r.render(op, result.Value)
	if err != nil {
		return err
	}
	return r.write(out, text)
}

// previewed is a request that was not sent: a curl line, or its parts where JSON was asked for.
func (r *run) previewed(p *twodoor.Preview) []byte {
	if r.opts.asked && r.isJSON() && len(p.Detail) > 0 {
		return append(bytes.Clone(p.Detail), '\n')
	}
	text := strings.TrimRight(p.Text, "\n")
	if r.toTerminal() {
		text = Printable(text)
	}
	return append([]byte(text), '\n')
}

// render writes a value in the output that is wanted.
func (r *run) render(op *twodoor.Operation, value json.RawMessage) ([]byte, error) {
	view := render.View{Width: r.tableWidth(), Terminal: r.toTerminal(), Color: r.color()}
	if op != nil {
		view.Columns = r.opts.want.Fields
		view.Root = op.Answer.Root
		if view.Root == "" && op.Page != nil {
			view.Root = op.Page.Items
		}
	}
	if len(view.Columns) == 0 && op != nil && r.opts.want.JQ == "" {
		view.Columns = op.Answer.Fields
	}
	return render.Append(nil, r.opts.output, value, view)
}

func (r *run) write(out *outFile, text []byte) error {
	if out != nil {
		return r.commit(out, text)
	}
	if _, err := r.door.Stdout.Write(text); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

func (r *run) commit(out *outFile, data []byte) error {
	if err := out.commit(data); err != nil {
		return err
	}
	r.say("wrote %s (%d bytes)", out.name, len(data))
	return nil
}

// writeBlobs hands out binary content: to a file, or raw to whatever stdout is, if it is no terminal.
func (r *run) writeBlobs(blobs []twodoor.Blob, out *outFile) error {
	if len(blobs) > 1 {
		return &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("the answer is %d pieces of binary content, and only one can be written", len(blobs))}
	}
	blob := blobs[0]
	if out != nil {
		return r.commit(out, blob.Data)
	}
	if r.door.StdoutTTY {
		return &twodoor.Error{
			Code:    twodoor.CodeInvalid,
			Message: fmt.Sprintf("the call worked, but its answer is binary (%s, %d bytes) and not for a terminal", wordOr(blob.MediaType, "unknown type"), len(blob.Data)),
			Hint:    "write it to a file with --out FILE, or send it on with |",
		}
	}
	return r.write(nil, blob.Data)
}

// remark says on stderr what belongs to an answer and is not in it.
func (r *run) remark(op *twodoor.Operation, result *twodoor.Result) {
	for _, note := range result.Notes {
		r.say("note: %s", note)
	}
	if result.Cut != nil {
		r.say("cut: %s", cutText(result.Cut))
	}
	if list, _, ok := r.records(op, result.Value); ok && rawjson.Len(list) == 0 && result.Cut == nil {
		r.say("none: %s", wordOr(op.Answer.Empty, "the answer is an empty list"))
	}
	for _, next := range result.Next {
		r.say("next: %s%s", r.door.nextLine(next), because(next.Why))
	}
	r.weigh(op, result)
}

func cutText(cut *twodoor.Cut) string {
	of := ""
	if cut.Total > 0 {
		of = fmt.Sprintf(" of %d", cut.Total)
	}
	text := fmt.Sprintf("%d%s shown; %s", cut.Shown, of, cut.How)
	if cut.Handle != "" {
		text += " (the rest waits under " + cut.Handle + ")"
	}
	return text
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return "  # " + why
}

func (r *run) records(op *twodoor.Operation, value json.RawMessage) (json.RawMessage, string, bool) {
	if len(value) == 0 {
		return nil, "", false
	}
	root := op.Answer.Root
	if root == "" && op.Page != nil {
		root = op.Page.Items
	}
	return shape.Records(value, root)
}

// defaultBudget is the weight above which an agent is told how to ask for less, in tokens.
const defaultBudget = 4000

// weigh tells, off a terminal, that an answer is heavy and what would make it light.
func (r *run) weigh(op *twodoor.Operation, result *twodoor.Result) {
	if r.door.StdoutTTY || r.opts.out != "" || r.opts.want.Budget != 0 {
		return
	}
	budget := defaultBudget
	if n, err := strconv.Atoi(r.door.Env["TWODOOR_BUDGET"]); err == nil && n > 0 {
		budget = n
	}
	weight := rawjson.Weigh(result.Value)
	if weight <= budget {
		return
	}
	how := fmt.Sprintf("--budget %d cuts it", budget)
	if list, _, ok := r.records(op, result.Value); ok {
		if fields, about := lighter(list, budget); len(fields) > 0 {
			how = fmt.Sprintf("--fields %s makes it ≈%d, %s", strings.Join(fields, ","), about, how)
		}
	}
	r.say("budget: ≈%d tokens, above %d: %s", weight, budget, how)
}

// lighter chooses fields of records that weigh less than the budget together.
func lighter(list json.RawMessage, budget int) (fields []string, weight int) {
	weights := map[string]int{}
	for record := range rawjson.Elements(list) {
		for key, value := range rawjson.Members(record) {
			weights[key] += rawjson.Weigh(value) + rawjson.Weigh([]byte(key)) + 2
		}
	}
	for _, name := range render.Columns(list) {
		if w := weights[name]; weight+w <= budget && len(fields) < 6 {
			fields = append(fields, name)
			weight += w
		}
	}
	return fields, weight
}

// say writes a line to stderr, unless nothing is to be said.
func (r *run) say(format string, args ...any) {
	if !r.opts.quiet {
		fmt.Fprintln(r.door.Stderr, Printable(fmt.Sprintf(format, args...)))
	}
}

// isJSON reports whether the output is JSON: then faults are as well.
func (r *run) isJSON() bool { return r.opts.output == "json" || r.opts.output == "jsonl" }

func (r *run) toTerminal() bool { return r.door.StdoutTTY && r.opts.out == "" }

// tableWidth is how wide a table may be: on the terminal, or where somebody says so.
func (r *run) tableWidth() int {
	if !r.toTerminal() && r.door.Env["COLUMNS"] == "" {
		return 0
	}
	return r.width()
}

// width is how many columns the terminal has.
func (r *run) width() int {
	if n, err := strconv.Atoi(r.door.Env["COLUMNS"]); err == nil && n >= 20 {
		return n
	}
	return 80
}

// color obeys NO_COLOR, CLICOLOR_FORCE and a dumb terminal, in this order.
func (r *run) color() bool {
	env := r.door.Env
	switch {
	case env["NO_COLOR"] != "":
		return false
	case env["CLICOLOR_FORCE"] != "" && env["CLICOLOR_FORCE"] != "0":
		return true
	}
	return r.toTerminal() && env["TERM"] != "dumb"
}

// outFile is the file of --out. It is made before the call, so that an answer is never lost to a
// folder that cannot be written, and takes its name only when it is whole.
type outFile struct {
	name string
	temp *os.File
}

func (r *run) openOut() (*outFile, error) {
	name := r.opts.out
	if name == "" || r.reader.Dry {
		return nil, nil
	}
	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		says := "cannot be written"
		if errors.Is(err, fs.ErrNotExist) {
			says = "lies in a folder that is not there"
		}
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("--out %s %s; nothing was called", name, says), Cause: err}
	}
	return &outFile{name, temp}, nil
}

// commit writes the content and gives the file its name.
func (o *outFile) commit(data []byte) error {
	_, err := io.Copy(o.temp, bytes.NewReader(data))
	err = errors.Join(err, o.temp.Chmod(0o644), o.temp.Close())
	if err == nil {
		err = os.Rename(o.temp.Name(), o.name)
	}
	if err != nil {
		os.Remove(o.temp.Name())
		return fmt.Errorf("write %s: %w", o.name, err)
	}
	o.temp = nil
	return nil
}

// abort removes the file if nothing was committed.
func (o *outFile) abort() {
	if o == nil || o.temp == nil {
		return
	}
	o.temp.Close()
	os.Remove(o.temp.Name())
}

func wordOr(word, or string) string {
	if word == "" {
		return or
	}
	return word
}
