package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/diff"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/revision"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
	"github.com/twodoor/twodoor/source/guide/examples"
)

// kept checks what is kept beside the configuration: the snapshot and the lock. Where demanded is set,
// there must be a snapshot.
func (r *run) kept(checker *examples.Checker, demanded bool) ([]guide.Finding, error) {
	if r.site.File == "" {
		return nil, nil
	}
	findings, err := r.unserved()
	if err != nil {
		return nil, err
	}
	stale, err := r.staleLock()
	if err != nil {
		return nil, err
	}
	findings = append(findings, stale...)
	stale, err = r.staleSnapshot(checker, demanded)
	return append(findings, stale...), err
}

// unserved are the parts of descriptions that become no operation, each with its place and reason.
func (r *run) unserved() (findings []guide.Finding, err error) {
	readings, err := r.opened.readings()
	if err != nil {
		return nil, err
	}
	for _, reading := range readings {
		for _, e := range reading.Exceptions {
			file, line := placed(e.At)
			findings = append(findings, guide.Finding{
				File: r.near(file), Line: line, Column: 1, Kind: guide.NotServed, Note: true,
				Message: fmt.Sprintf("%s of %s is not served: %s", e.Operation, reading.Source, e.Reason),
			})
		}
	}
	return findings, nil
}

// placed takes file:line apart.
func placed(at string) (file string, line int) {
	if cut := strings.LastIndexByte(at, ':'); cut >= 0 {
		if n, err := strconv.Atoi(at[cut+1:]); err == nil && n > 0 {
			return at[:cut], n
		}
	}
	return at, 1
}

// staleLock tells of names that are kept for operations which are no longer described.
func (r *run) staleLock() (findings []guide.Finding, err error) {
	lock, err := config.ReadLock(r.site.Dir())
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(r.site.lockFile())
	if err != nil {
		return nil, nil // nothing was named yet
	}
	readings, err := r.opened.readings()
	if err != nil {
		return nil, err
	}
	rows := strings.Split(string(text), "\n")
	for _, reading := range readings {
		there, err := r.origins(reading)
		if err != nil {
			return nil, err
		}
		for key, name := range lock[reading.Source].Names {
			if there[key] || there[reading.Source+"."+name] {
				continue
			}
			line := slices.IndexFunc(rows, func(row string) bool {
				return strings.Contains(row, key+":") || strings.Contains(row, key+`":`) || strings.Contains(row, key+`':`)
			})
			findings = append(findings, guide.Finding{
				File: r.near(r.site.lockFile()), Line: max(line+1, 1), Column: 1, Kind: guide.StaleLock, Note: true,
				Message: fmt.Sprintf("%s.%s is kept for %s, which %s does not describe any more", reading.Source, name, key, reading.Source),
				Fix:     "delete the line to free the name",
			})
		}
	}
	return findings, nil
}

// origins are what a source describes, as its lock may name it, and the names that it has.
func (r *run) origins(reading *twodoor.Reading) (map[string]bool, error) {
	there := map[string]bool{}
	for _, e := range reading.Exceptions {
		there[e.Operation] = true
	}
	for i := range r.opened.catalog.Below(reading.Source + ".") {
		op, err := r.opened.catalog.At(i)
		if err != nil {
			return nil, err
		}
		there[op.Origin], there[op.ID] = true, true
	}
	return there, nil
}

// staleSnapshot tells of operations that agents are shown otherwise than the snapshot says.
func (r *run) staleSnapshot(checker *examples.Checker, demanded bool) (findings []guide.Finding, err error) {
	file := filepath.Join(r.site.Dir(), snapshotName)
	find := func(message string) {
		findings = append(findings, guide.Finding{File: r.near(file), Line: 1, Column: 1, Kind: guide.StaleSnapshot, Message: message, Fix: "twodoor snapshot"})
	}
	kept, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if demanded {
			find("there is no snapshot of what agents are shown")
		}
		return findings, nil
	}
	if err == nil {
		err = rawjson.Check(kept)
	}
	if err != nil {
		find("the snapshot cannot be read: " + plainCause(err).Error())
		return findings, nil
	}
	now, err := diff.Snapshot(checker.Catalog, checker.Tree)
	if err != nil {
		return nil, err
	}
	for _, m := range diff.Mismatches(kept, now) {
		find(strings.Join(strings.Fields(m.ID+": "+m.Part+" "+m.Says), " "))
	}
	return findings, nil
}

// lockText is the text of the lock as it is on disk, before descriptions are read.
func (r *run) lockText() ([]byte, error) {
	s, err := r.find()
	if err != nil || s.File == "" {
		return nil, err
	}
	text, err := os.ReadFile(s.lockFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// gate is what only a CI system asks for: names that are committed, and a note about every visible
// change since a revision. before is the text of the lock at the beginning.
func (r *run) gate(ctx context.Context, since string, before []byte) ([]guide.Finding, error) {
	var findings []guide.Finding
	after, err := r.lockText()
	if err != nil {
		return nil, err
	}
	if string(after) != string(before) {
		findings = append(findings, guide.Finding{
			File: r.near(r.site.lockFile()), Line: 1, Column: 1, Kind: guide.StaleLock, Message: "names were given that the lock did not keep", Fix: "commit the file as it is now",
		})
	}
	untold, err := r.untold(ctx, since)
	return append(findings, untold...), err
}

// untold tells of visible changes since a revision that no pending note tells of.
func (r *run) untold(ctx context.Context, since string) ([]guide.Finding, error) {
	repository, commit, err := r.baseOf(ctx, since)
	if err != nil || commit == "" {
		return nil, err
	}
	t, remove, err := checkOut(ctx, repository, commit)
	if err != nil {
		return nil, err
	}
	defer remove()
	before, err := r.catalogIn(ctx, r.site, t)
	if err != nil {
		return nil, err
	}
	after, err := r.described(ctx, r.site)
	if err != nil {
		return nil, err
	}
	changes, err := diff.Between(before, after)
	if err != nil {
		return nil, err
	}
	notes, err := r.pending(t)
	if err != nil {
		return nil, err
	}
	var findings []guide.Finding
	for _, c := range diff.Untold(notes, changes) {
		breaks := ""
		if c.Breaks() {
			breaks = " (breaking)"
		}
		findings = append(findings, guide.Finding{
			File: r.near(filepath.Join(r.site.Dir(), diff.NotesFolder)), Line: 1, Column: 1, Kind: guide.UntoldChange,
			Message: fmt.Sprintf("%s: %s%s; no pending note tells of it", c.ID, c.Message, breaks), Fix: "twodoor diff " + commit[:12] + " --changelog",
		})
	}
	return findings, nil
}

// pending are the notes that were not there then, or told something else.
func (r *run) pending(t *then) ([]string, error) {
	dir := filepath.Join(r.site.Dir(), diff.NotesFolder)
	now, err := notesIn(dir)
	if err != nil {
		return nil, err
	}
	place, err := t.place(dir)
	if err != nil {
		return nil, err
	}
	old, err := notesIn(place)
	if err != nil {
		return nil, err
	}
	var notes []string
	for name, text := range now {
		if old[name] != text {
			notes = append(notes, text)
		}
	}
	return notes, nil
}

// baseOf is the commit that changes are counted from: where the branch left the one that is named.
// Without a name it is what the CI system says, else the commit before. Empty: there is none before.
func (r *run) baseOf(ctx context.Context, since string) (*revision.Repository, string, error) {
	repository, err := revision.Open(ctx, r.site.Dir(), r.Environ)
	if err != nil {
		return nil, "", err
	}
	guessed := since == ""
	if branch := r.getenv("GITHUB_BASE_REF"); guessed && branch != "" {
		since, guessed = "origin/"+branch, false
	}
	if commit := r.getenv("CI_MERGE_REQUEST_DIFF_BASE_SHA"); since == "" && commit != "" {
		since, guessed = commit, false
	}
	commit, err := repository.Resolve(ctx, orElse(since, "HEAD~1"))
	switch {
	case err != nil:
		return nil, "", err
	case commit == "" && guessed && !repository.Shallow(ctx):
		return repository, "", nil
	case commit == "":
		return nil, "", &twodoor.Error{
			Code: twodoor.CodeInvalid, Message: fmt.Sprintf("the revision %s is not in this repository: what changed cannot be told", orElse(since, "HEAD~1")),
			Hint: "fetch the whole history (actions/checkout: fetch-depth: 0), or name another one with --since",
		}
	}
	commit, err = repository.Base(ctx, commit)
	return repository, commit, err
}
