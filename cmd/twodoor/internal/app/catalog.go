package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/bundle"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/source/find"
)

// opened is a catalog that is ready to be served.
type opened struct {
	catalog  *twodoor.Catalog
	readings func() ([]*twodoor.Reading, error) // without their operations, where they come from a bundle
	lost     []lostSource
	index    func(*twodoor.Catalog) (*find.Index, error) // kept with the catalog; nil: made when first searched
	stamp    bundle.Stamp
	warm     bool // it came from a bundle: no description was read
}

// countOf is the number of operations of a catalog that are not twodoor's own.
func countOf(catalog *twodoor.Catalog) (count int) {
	for _, info := range catalog.Sources() {
		if info.Name != twodoor.OwnSource {
			count += info.Operations
		}
	}
	return count
}

// lostSource is a source that cannot be served at present.
type lostSource struct {
	source string
	err    error
}

// appeared reports whether a file is there now that a source was left out for.
func (o *opened) appeared() bool {
	return slices.ContainsFunc(o.lost, func(lost lostSource) bool {
		missing, ok := errors.AsType[*fs.PathError](lost.err)
		return ok && errors.Is(missing, fs.ErrNotExist) && isFile(missing.Path)
	})
}

// open opens the catalog of the configuration, once: from the bundle where that is fresh, else from
// the descriptions. A source that cannot be read is left out and told on stderr.
func (r *run) open(ctx context.Context) (*opened, error) {
	if r.opened != nil {
		return r.opened, nil
	}
	s, err := r.find()
	if err != nil {
		return nil, err
	}
	if err := r.trust(ctx, s, s.Claims()); err != nil {
		return nil, err
	}
	o, err := r.compiled(ctx, s, func(infos []twodoor.SourceInfo, _ []lostSource) error {
		return r.trust(ctx, s, claimsOf(s, infos))
	})
	if err != nil {
		return nil, err
	}
	for _, lost := range o.lost {
		if !isListed(s.Sources[lost.source].Kind()) || r.wants(s) == "" || r.wants(s) == lost.source {
			r.note(fmt.Sprintf("twodoor: the source %s is left out: %v", lost.source, lost.err))
		}
	}
	o.lost = append(o.lost, foreign(s)...)
	r.opened = o
	return o, nil
}

// claimsOf is what the configuration does, with the hosts that the descriptions themselves call and the programs that they start, but
// for those of some sources.
func claimsOf(s *site, infos []twodoor.SourceInfo, but ...string) []config.Claim {
	claims := s.Claims()
	for _, info := range infos {
		if slices.Contains(but, info.Name) {
			continue
		}
		for _, origin := range info.Origins {
			claims = append(claims, config.CallClaim(origin))
		}
		for _, line := range info.Starts {
			claims = append(claims, config.Claim("start "+line))
		}
		for _, key := range info.Keys {
			claims = append(claims, config.KeyClaims(key)...)
		}
	}
	slices.Sort(claims)
	return slices.Compact(claims)
}

// agreement is asked once it is known what the sources do, and before anything of them is kept.
type agreement func(infos []twodoor.SourceInfo, lost []lostSource) error

// compiled is the catalog of a configuration.
func (r *run) compiled(ctx context.Context, s *site, agree agreement) (*opened, error) {
	if r.Pack != nil {
		return r.openPacked(s)
	}
	r.enlist(ctx, s)
	key, path := r.key(s), r.bundlePath(s)
	if path != "" && !r.anew {
		if o := r.fromBundle(ctx, s, key, path); o != nil {
			return o, agree(o.catalog.Sources(), o.lost)
		}
	}
	readings, lost, stamp, err := r.readSteadily(ctx, s, key, agree)
	if err != nil {
		return nil, err
	}
	if path != "" && !lacksDescription(s, lost) && len(readings) > 0 {
		if err := r.keep(ctx, s, path, stamp, readings); err != nil {
			return nil, err
		}
		if o := r.fromBundle(ctx, s, key, path); o != nil {
			o.warm = false
			return o, nil
		}
	}
	catalog, err := r.catalogOf(ctx, s, readings)
	if err != nil {
		return nil, clash(err)
	}
	index := func(catalog *twodoor.Catalog) (*find.Index, error) { return r.newIndex(s, catalog, readings) }
	return &opened{catalog: catalog, readings: func() ([]*twodoor.Reading, error) { return readings, nil }, lost: lost, index: index, stamp: stamp}, nil
}

// lacksDescription reports whether one of the sources that are lost has a description of its own: it
// is read again at the next start. What far sides list is read when they answer.
func lacksDescription(s *site, lost []lostSource) bool {
	return slices.ContainsFunc(lost, func(l lostSource) bool { return !isListed(s.Sources[l.source].Kind()) })
}

// foreign lists the sources of kinds that this version does not serve. They are known from the
// configuration alone, and need no word at every call.
func foreign(s *site) []lostSource {
	var lost []lostSource
	for _, name := range config.Sorted(s.Sources) {
		if kind := s.Sources[name].Kind(); !isServed(kind) {
			lost = append(lost, lostSource{name, &twodoor.Error{
				Code: twodoor.CodeInvalid, Message: fmt.Sprintf("sources of the kind %s cannot be served by this version", kind),
				Hint: "serve OpenAPI descriptions, Protobuf services, verbs files, MCP servers and other twodoors, or take this source out",
			}})
		}
	}
	return lost
}

// fromBundle opens the bundle where it can be trusted, or is nil.
func (r *run) fromBundle(ctx context.Context, s *site, key, path string) *opened {
	b, err := bundle.Open(path)
	if err != nil {
		return nil
	}
	if !b.Stamp().Fresh(key) {
		b.Close()
		return nil
	}
	b.Heal = func() (*twodoor.Catalog, error) {
		_ = os.Remove(path) // the next run makes a new one
		readings, lost := r.read(ctx, s)
		if lacksDescription(s, lost) {
			return nil, lost[0].err
		}
		return r.catalogOf(ctx, s, readings)
	}
	return &opened{catalog: b.Catalog(), readings: theirs(b.Readings), lost: r.lostLists(s), index: r.indexIn(s, b), stamp: b.Stamp(), warm: true}
}

// catalogOf is the catalog of what was read, with twodoor's own operations.
func (r *run) catalogOf(ctx context.Context, s *site, readings []*twodoor.Reading) (*twodoor.Catalog, error) {
	own, err := r.ownReadings(ctx, s)
	if err != nil {
		return nil, err
	}
	return twodoor.NewCatalog(slices.Concat(readings, own)...)
}

// readSteadily reads the descriptions and stamps what was read. Where a file changed meanwhile it
// reads again: a stamp must not tell of text that nobody has read.
func (r *run) readSteadily(ctx context.Context, s *site, key string, agree agreement) ([]*twodoor.Reading, []lostSource, bundle.Stamp, error) {
	for {
		begun := time.Now()
		readings, lost := r.read(ctx, s)
		if err := ctx.Err(); err != nil {
			return nil, nil, bundle.Stamp{}, err
		}
		if err := agree(infosOf(readings), lost); err != nil {
			return nil, nil, bundle.Stamp{}, err
		}
		if err := r.keepNames(s, readings); err != nil {
			return nil, nil, bundle.Stamp{}, err
		}
		stamp, err := bundle.StampOf(key, r.filesOf(s, readings))
		if err != nil {
			return nil, nil, bundle.Stamp{}, fmt.Errorf("stamp the catalog: %w", err)
		}
		if !changedSince(stamp, begun, s.lockFile()) {
			return readings, lost, stamp, nil
		}
	}
}

func infosOf(readings []*twodoor.Reading) []twodoor.SourceInfo {
	infos := make([]twodoor.SourceInfo, len(readings))
	for i, reading := range readings {
		infos[i] = twodoor.InfoOf(reading)
	}
	return infos
}

func changedSince(stamp bundle.Stamp, begun time.Time, except string) bool {
	return slices.ContainsFunc(stamp.Files, func(f bundle.File) bool {
		return f.Path != except && f.Time > begun.UnixNano() && f.Time < time.Now().UnixNano()
	})
}

// filesOf lists what the catalog depends on beside the configuration itself: what was read, and
// descriptions that could not be read, for telling when they are mended.
func (r *run) filesOf(s *site, readings []*twodoor.Reading) []string {
	var files []string
	for _, reading := range readings {
		files = append(files, reading.Files...)
	}
	also := []string{s.lockFile()}
	for _, source := range s.Sources {
		also = append(also, s.Place(source.OpenAPI), s.Place(source.Command))
		also = append(also, s.protobufFiles(source)...)
		if source.Guides != "" {
			guides, _ := filepath.Glob(filepath.Join(s.Place(source.Guides), "*.md")) // no error: the pattern is good
			also = append(also, guides...)
		}
	}
	for _, file := range also {
		if isFile(file) {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func (s *site) lockFile() string { return filepath.Join(s.Dir(), config.LockName) }

// key is the version of the product and all of the configuration that a catalog depends on.
func (r *run) key(s *site) string {
	h := sha256.New()
	fmt.Fprintln(h, r.Version.String())
	if info, err := os.Stat(r.Executable); err == nil {
		fmt.Fprintln(h, info.Size(), info.ModTime().UnixNano())
	}
	raw, err := json.Marshal(struct {
		Sources    map[string]config.Source
		Operations map[string]config.Annotation
		File       string
		Listed     []string
	}{s.Sources, s.Operations, s.File, r.marks(s)})
	if err != nil {
		return ""
	}
	h.Write(raw)
	return hex.EncodeToString(h.Sum(nil))
}

// marks change with what far sides list.
func (r *run) marks(s *site) (marks []string) {
	for _, name := range s.listed() {
		marks = append(marks, r.far.lists.Mark(name))
	}
	return marks
}

// bundlePath is where the bundle of a configuration is kept; empty: nowhere.
func (r *run) bundlePath(s *site) string {
	if r.folders.Cache == "" || s.File == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(s.File))
	return filepath.Join(r.folders.Cache, "catalogs", hex.EncodeToString(sum[:12])+".bundle")
}

// keep writes the bundle. A folder that cannot be written to costs time at each start, no more.
func (r *run) keep(ctx context.Context, s *site, path string, stamp bundle.Stamp, readings []*twodoor.Reading) error {
	own, err := r.ownReadings(ctx, s)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		err = bundle.Write(path, stamp, slices.Concat(readings, own), r.indexSection(s, readings))
	}
	if _, ok := errors.AsType[*os.PathError](err); ok {
		r.note(fmt.Sprintf("twodoor: the cache folder %s cannot be written to (%v): the descriptions are read at every start", filepath.Dir(path), plainCause(err)))
		return nil
	}
	return clash(err)
}

// plainCause is the innermost cause: "permission denied".
func plainCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// clash gives an error of building the catalog its code: what the names say is the owner's to mend.
func clash(err error) error {
	if err == nil {
		return nil
	}
	return &twodoor.Error{Code: twodoor.CodeInvalid, Message: "the catalog cannot be built: " + strings.ReplaceAll(err.Error(), "\n", "; "), Cause: err}
}

// read reads all sources at once.
func (r *run) read(ctx context.Context, s *site) (readings []*twodoor.Reading, lost []lostSource) {
	lock, err := config.ReadLock(s.Dir())
	names := slices.DeleteFunc(config.Sorted(s.Sources), func(name string) bool { return !isServed(s.Sources[name].Kind()) })
	got := make([]*twodoor.Reading, len(names))
	faults := make([]error, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		if err != nil {
			faults[i] = r.told(err)
			continue
		}
		wait.Go(func() { got[i], faults[i] = r.readSource(ctx, s, name, lock[name]) })
	}
	wait.Wait()
	for i, name := range names {
		if faults[i] != nil {
			lost = append(lost, lostSource{name, faults[i]})
			continue
		}
		readings = append(readings, got[i])
	}
	return readings, lost
}

// keepNames writes what was named into the lock beside the configuration.
func (r *run) keepNames(s *site, readings []*twodoor.Reading) error {
	if s.File == "" {
		return nil
	}
	lock, err := config.ReadLock(s.Dir())
	if err != nil {
		return err
	}
	added := false
	for _, reading := range readings {
		if l := reading.Lock; l.Rule != "" || len(l.Names) > 0 {
			added = lock.Keep(reading.Source, config.SourceLock{Rule: l.Rule, Dropped: l.Dropped, Split: l.Split, Names: l.Names}) || added
		}
	}
	if !added {
		return nil
	}
	err = lock.Write(s.Dir())
	if _, ok := errors.AsType[*os.PathError](err); ok {
		r.note(fmt.Sprintf("twodoor: %s cannot be written (%v): names are not kept", r.near(s.lockFile()), plainCause(err)))
		return nil
	}
	return err
}
