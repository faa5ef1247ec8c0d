package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Kinds of friction.
const (
	FrictionGuessed     = "guessed"      // names that do not exist
	FrictionMisfit      = "misfit"       // arguments that failed twice in a row
	FrictionRepeated    = "repeated"     // the same call again and again
	FrictionEmpty       = "empty"        // empty answers retried with other words
	FrictionPaged       = "paged"        // a kept answer read in more than two pieces
	FrictionUnread      = "unread"       // an answer cut, and its rest never read
	FrictionSearch      = "search"       // a search that no call followed
	FrictionHintIgnored = "hint_ignored" // an error whose hint was not followed
	FrictionGuideUnread = "guide_unread" // a failure of an operation whose guide was not read
	FrictionUnused      = "unused"       // operations that nobody used
	FrictionSlow        = "slow"         // operations that take long
)

// Known is what the friction report needs to know of an operation.
type Known struct {
	ID     string
	Guides []string
}

// Friction is what callers stumbled over.
type Friction struct {
	Calls    int       `json:"calls"`
	Sessions int       `json:"sessions"`
	Findings []Finding `json:"findings"` // the most frequent of a kind first
}

// Finding is one thing that callers stumble over, and what to do about it.
type Finding struct {
	Kind     string   `json:"kind"`
	Subject  string   `json:"subject"` // an operation, or the name as called
	Count    int      `json:"count"`
	What     string   `json:"what"`
	Fix      string   `json:"fix"`
	Examples []string `json:"examples,omitempty"` // ids of calls, at most three
}

const (
	slowAfter   = 5000.0           // milliseconds, of nine in ten calls
	pause       = 30 * time.Minute // without a session's name, a longer pause ends one
	repeats     = 3                // equal calls in a session that are too many
	pieces      = 2                // parts of a kept answer that are none too many
	emptyTries  = 2                // empty answers in a row that are too many
	maxExamples = 3
)

// Own operations that the report looks at.
const (
	ownSource = "twodoor"
	ownFind   = "twodoor.find-operations"
	ownRead   = "twodoor.read-result"
	ownGuides = "twodoor.read-guides"
)

// FrictionOf looks through records, in any order, for what callers stumbled over. It keeps nothing
// and asks nobody. Operations that are not known to it are never called unused.
func FrictionOf(records []Record, operations []Known) *Friction {
	f := &finder{found: map[[2]string]*Finding{}, guides: map[string][]string{}}
	for _, op := range operations {
		f.guides[op.ID] = op.Guides
	}
	visits := sessions(records)
	report := &Friction{Sessions: len(visits)}
	for _, visit := range visits {
		report.Calls += len(visit)
		for _, look := range [...]func([]Record){f.guessed, f.misfits, f.repeated, f.empty, f.pieces, f.searches, f.hints, f.unreadGuides} {
			look(visit)
		}
	}
	f.slow(visits)
	f.unused(visits, operations)
	order := []string{FrictionGuessed, FrictionMisfit, FrictionHintIgnored, FrictionGuideUnread, FrictionEmpty, FrictionSearch, FrictionRepeated, FrictionPaged, FrictionUnread, FrictionSlow, FrictionUnused}
	report.Findings = slices.AppendSeq([]Finding{}, f.all())
	slices.SortFunc(report.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Subject, b.Subject))
	})
	return report
}

// sessions are the calls that agents made, each session in order of time. Of a call through one of
// our call tools only the call that it made counts; steps that an operation makes do not.
func sessions(records []Record) [][]Record {
	byID := map[string]*Record{}
	for i := range records {
		if records[i].Kind == KindCall {
			byID[records[i].CallID] = &records[i]
		}
	}
	carried := map[string]bool{}
	visits := map[string][]Record{}
	sorted := slices.SortedStableFunc(slices.Values(records), func(a, b Record) int { return a.At.Compare(b.At) })
	for _, r := range sorted {
		if parent := byID[r.ParentID]; parent != nil && isCallTool(parent.Operation) {
			carried[r.ParentID] = true
		}
	}
	last, part := map[string]time.Time{}, map[string]int{}
	for _, r := range sorted {
		parent := byID[r.ParentID]
		if r.Kind != KindCall || carried[r.CallID] || r.ParentID != "" && (parent == nil || !isCallTool(parent.Operation)) {
			continue
		}
		key := "session " + r.Session
		if r.Session == "" {
			key = strings.Join([]string{r.Door, r.Principal, r.Client}, "\x00")
			if r.At.Sub(last[key]) > pause {
				part[key]++
			}
			last[key] = r.At
			key = fmt.Sprint(key, "\x00", part[key])
		}
		visits[key] = append(visits[key], r)
	}
	var all [][]Record
	for _, key := range slices.Sorted(maps.Keys(visits)) {
		all = append(all, visits[key])
	}
	return all
}

// isCallTool reports whether an operation only carries out another one.
func isCallTool(id string) bool {
	return id == ownSource+".read-operation" || id == ownSource+".write-operation" || id == ownSource+".destroy-operation"
}

func own(id string) bool { return strings.HasPrefix(id, ownSource+".") }

// finder gathers findings.
type finder struct {
	found  map[[2]string]*Finding
	guides map[string][]string
}

func (f *finder) all() iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		for _, finding := range f.found {
			if !yield(*finding) {
				return
			}
		}
	}
}

func (f *finder) add(kind, subject string, calls []Record, what, fix string) {
	key := [2]string{kind, subject}
	finding := f.found[key]
	if finding == nil {
		finding = &Finding{Kind: kind, Subject: subject, What: what, Fix: fix}
		f.found[key] = finding
	}
	finding.Count++
	for _, r := range calls {
		if len(finding.Examples) < maxExamples {
			finding.Examples = append(finding.Examples, r.CallID)
		}
	}
}

func (f *finder) guessed(visit []Record) {
	for _, r := range visit {
		if r.Code != "unknown" {
			continue
		}
		fix := "nothing is near this name: see what the agent wanted in the calls beside it, and say it in a description or a guide"
		if r.Fault != nil && len(r.Fault.Try) > 0 {
			fix = fmt.Sprintf("operations: {%q: {aliases: [%q]}}, if that is what was meant", r.Fault.Try[0], r.Operation)
		}
		f.add(FrictionGuessed, r.Operation, []Record{r}, "called, and does not exist", fix)
	}
}

func (f *finder) misfits(visit []Record) {
	failed := map[string][]Record{}
	for _, r := range visit {
		if r.Code != "invalid" {
			delete(failed, r.Operation)
			continue
		}
		failed[r.Operation] = append(failed[r.Operation], r)
		if len(failed[r.Operation]) != 2 {
			continue
		}
		fields := "its arguments"
		if r.Fault != nil && len(r.Fault.Fields) > 0 {
			fields = strings.Join(r.Fault.Fields, ", ")
		}
		f.add(FrictionMisfit, r.Operation, failed[r.Operation], "arguments failed twice in a row: "+fields,
			fmt.Sprintf("operations: {%q: {describe: {%q: \"…\"}, examples: […]}}: say the form that is wanted", r.Operation, strings.Split(fields, ", ")[0]))
	}
}

func (f *finder) repeated(visit []Record) {
	same := map[string][]Record{}
	for _, r := range visit {
		if own(r.Operation) || r.Outcome != OutcomeOK || len(r.Arguments) == 0 {
			continue
		}
		key := r.Operation + " " + string(r.Arguments)
		if same[key] = append(same[key], r); len(same[key]) == repeats {
			f.add(FrictionRepeated, r.Operation, same[key], fmt.Sprintf("the same call at least %d times in a session", repeats),
				fmt.Sprintf("operations: {%q: {answer: {meaning: \"…\"}}}: say when its answer changes; where it is polled, a before step with until waits for the agent", r.Operation))
		}
	}
}

func (f *finder) empty(visit []Record) {
	runs := map[string][]Record{}
	for _, r := range visit {
		if r.Outcome != OutcomeOK || own(r.Operation) {
			continue
		}
		run := runs[r.Operation]
		switch {
		case !isEmpty(r.Answer):
			delete(runs, r.Operation)
		case len(run) == 0 || !bytes.Equal(run[len(run)-1].Arguments, r.Arguments):
			if runs[r.Operation] = append(run, r); len(run)+1 == emptyTries {
				f.add(FrictionEmpty, r.Operation, runs[r.Operation], "an empty answer was retried with other words",
					fmt.Sprintf("operations: {%q: {answer: {empty: \"…\"}}}: say what an empty answer proves, and how wide it looks", r.Operation))
			}
		}
	}
}

// isEmpty reports whether an answer holds no record: an empty list, or an object whose lists are all
// empty.
func isEmpty(answer []byte) bool {
	switch rawjson.KindOf(answer) {
	case rawjson.KindArray:
		return rawjson.Len(answer) == 0
	case rawjson.KindObject:
		lists := 0
		for _, value := range rawjson.Members(answer) {
			if rawjson.KindOf(value) != rawjson.KindArray {
				continue
			}
			if lists++; rawjson.Len(value) > 0 {
				return false
			}
		}
		return lists > 0 || rawjson.Len(answer) == 0
	}
	return false
}

func (f *finder) pieces(visit []Record) {
	reads := map[string][]Record{}
	for _, r := range visit {
		if r.Operation != ownRead {
			continue
		}
		var args struct{ Handle string }
		if json.Unmarshal(r.Arguments, &args) == nil {
			reads[args.Handle] = append(reads[args.Handle], r)
		}
	}
	for _, r := range visit {
		if r.Cut == nil || r.Cut.Handle == "" || r.Operation == ownRead {
			continue
		}
		switch n := len(reads[r.Cut.Handle]); {
		case n == 0:
			f.add(FrictionUnread, r.Operation, []Record{r}, "its answer was cut, and the rest never read",
				fmt.Sprintf("operations: {%q: {answer: {fields: […], limit: %d}}}: less was enough", r.Operation, max(1, r.Cut.Shown)))
		case n > pieces:
			f.add(FrictionPaged, r.Operation, append([]Record{r}, reads[r.Cut.Handle]...), fmt.Sprintf("its answer was read in %d more pieces", n),
				fmt.Sprintf("operations: {%q: {answer: {fields: […]}}}: keep the fields that are read, so that it fits at once", r.Operation))
		}
	}
}

func (f *finder) searches(visit []Record) {
	for i, r := range visit {
		if r.Operation != ownFind || r.Outcome != OutcomeOK {
			continue
		}
		followed := slices.ContainsFunc(visit[i+1:], func(later Record) bool { return !own(later.Operation) })
		if followed {
			continue
		}
		var args struct{ Query string }
		_ = json.Unmarshal(r.Arguments, &args) // without words the finding is told without them
		f.add(FrictionSearch, cmp.Or(args.Query, "(search)"), []Record{r}, "searched for, and no call followed",
			"run twodoor find with these words: where the right operation is not first, give it these words as alias or description; where there is none, say so in a guide")
	}
}

func (f *finder) hints(visit []Record) {
	for i, r := range visit {
		if r.Fault == nil || len(r.Fault.Try) == 0 || i+1 == len(visit) {
			continue
		}
		next := visit[i+1]
		if slices.Contains(r.Fault.Try, next.Operation) || own(next.Operation) || next.Operation == r.Operation && next.Outcome == OutcomeOK {
			continue
		}
		f.add(FrictionHintIgnored, r.Operation, []Record{r, next}, fmt.Sprintf("after %s it was told to try %s, and %s was called", r.Code, r.Fault.Try[0], next.Operation),
			fmt.Sprintf("where %s was right, make it the hint (next, or an alias); else say in the description of %s why it is not", next.Operation, r.Operation))
	}
}

func (f *finder) unreadGuides(visit []Record) {
	var read []byte
	for _, r := range visit {
		if r.Operation == ownGuides {
			read = append(read, r.Arguments...)
		}
		guides := f.guides[r.Operation]
		if r.Outcome != OutcomeError || len(guides) == 0 || r.Code == "timeout" || r.Code == "unavailable" {
			continue
		}
		if !slices.ContainsFunc(guides, func(g string) bool { return bytes.Contains(read, rawjson.Quote(g)) }) {
			f.add(FrictionGuideUnread, r.Operation, []Record{r}, "it failed, and its guide was not read: "+strings.Join(guides, ", "),
				fmt.Sprintf("say in the first line of the description of %s what guide %s is needed for", r.Operation, guides[0]))
		}
	}
}

func (f *finder) slow(visits [][]Record) {
	took := map[string][]Record{}
	for _, visit := range visits {
		for _, r := range visit {
			if r.Outcome == OutcomeOK {
				took[r.Operation] = append(took[r.Operation], r)
			}
		}
	}
	for id, calls := range took {
		slices.SortFunc(calls, func(a, b Record) int { return cmp.Compare(b.Duration, a.Duration) })
		if at := calls[len(calls)/10]; at.Duration > slowAfter {
			f.add(FrictionSlow, id, calls[:1], fmt.Sprintf("one call in ten takes %.1f s or more", at.Duration/1000),
				fmt.Sprintf("operations: {%q: {default: {…}, answer: {limit: …}}}: ask the far side for less by default", id))
			f.found[[2]string{FrictionSlow, id}].Count = len(calls)
		}
	}
}

func (f *finder) unused(visits [][]Record, operations []Known) {
	used := map[string]bool{}
	for _, visit := range visits {
		for _, r := range visit {
			used[r.Operation] = true
		}
	}
	if len(used) == 0 {
		return
	}
	for _, op := range operations {
		if !used[op.ID] && !own(op.ID) {
			f.add(FrictionUnused, op.ID, nil, "never called in this time", fmt.Sprintf("leave it out of the profile that lists everything: exclude: [%q]", op.ID))
		}
	}
}

// maxUnused bounds the operations that the text names as unused.
const maxUnused = 20

// WriteMarkdown writes the report for a person.
func (f *Friction) WriteMarkdown(w io.Writer) error {
	out := &strings.Builder{}
	fmt.Fprintf(out, "# Friction\n\n%d calls in %d sessions.\n", f.Calls, f.Sessions)
	if len(f.Findings) == 0 {
		fmt.Fprint(out, "\nNothing that callers stumbled over.\n")
	}
	kind, unused := "", 0
	for _, finding := range f.Findings {
		if finding.Kind == FrictionUnused {
			if unused++; unused > maxUnused {
				continue
			}
		}
		if finding.Kind != kind {
			kind = finding.Kind
			fmt.Fprintf(out, "\n## %s\n\n", strings.ReplaceAll(kind, "_", " "))
		}
		fmt.Fprintf(out, "- **%s** (%d×): %s.\n  Fix: %s\n", finding.Subject, finding.Count, finding.What, finding.Fix)
		if len(finding.Examples) > 0 {
			fmt.Fprintf(out, "  Calls: %s\n", strings.Join(finding.Examples, ", "))
		}
	}
	if unused > maxUnused {
		fmt.Fprintf(out, "- and %d more: -o json names them\n", unused-maxUnused)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
