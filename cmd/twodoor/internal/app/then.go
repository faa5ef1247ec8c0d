package app

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/revision"
	"github.com/twodoor/twodoor/source/openapi"
)

// then is the working tree as it was at a commit, in a folder of its own.
type then struct {
	repository *revision.Repository
	dir        string
}

// described is what is described now: the OpenAPI sources of a configuration, read from their
// descriptions. What far sides list is not in the hands of whoever changes the configuration.
func (r *run) described(ctx context.Context, s *site) (*twodoor.Catalog, error) {
	lock, err := config.ReadLock(s.Dir())
	if err != nil {
		return nil, err
	}
	var readings []*twodoor.Reading
	for _, name := range config.Sorted(s.Sources) {
		c := s.Sources[name]
		if c.Kind() != openapi.Kind {
			continue
		}
		kept, source := lock[name], r.openAPI(s, name, c)
		source.Translations = nil
		source.Kept = twodoor.Lock{Rule: kept.Rule, Dropped: kept.Dropped, Split: kept.Split, Names: kept.Names}
		reading, err := source.Read(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the source %s: %w", name, err)
		}
		readings = append(readings, reading)
	}
	catalog, err := twodoor.NewCatalog(readings...)
	return catalog, clash(err)
}

// catalogThen is the catalog of REVISION, or of REVISION:FILE.
func (r *run) catalogThen(ctx context.Context, s *site, ref string, source *openapi.Source, kept twodoor.Lock) (*twodoor.Catalog, twodoor.Lock, error) {
	unknown := &twodoor.Error{
		Code: twodoor.CodeUnknown, Message: fmt.Sprintf("%q is neither a source nor a file nor a git revision", ref), Try: config.Sorted(s.Sources),
	}
	repository, err := revision.Open(ctx, r.Dir, r.Environ)
	if err != nil {
		return nil, kept, unknown
	}
	name, file, ofFile := strings.Cut(ref, ":")
	commit, err := repository.Resolve(ctx, name)
	if err != nil {
		return nil, kept, err
	}
	if commit == "" {
		return nil, kept, unknown
	}
	t, remove, err := checkOut(ctx, repository, commit)
	if err != nil {
		return nil, kept, err
	}
	defer remove()
	if !ofFile {
		catalog, err := r.catalogIn(ctx, s, t)
		return catalog, kept, err
	}
	if source.File, err = t.place(filepath.Join(r.Dir, file)); err != nil {
		return nil, kept, err
	}
	return catalogOf(ctx, source, kept)
}

// checkOut takes what can be a part of a configuration out of a commit, into a folder that is removed
// in the end.
func checkOut(ctx context.Context, repository *revision.Repository, commit string) (*then, func(), error) {
	dir, err := os.MkdirTemp("", "twodoor-then-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a folder for the revision: %w", err)
	}
	remove := func() { _ = os.RemoveAll(dir) }
	if err := repository.Extract(ctx, commit, dir, isPart); err != nil {
		remove()
		return nil, nil, err
	}
	return &then{repository, dir}, remove, nil
}

// isPart reports whether a file can be a part of a configuration.
func isPart(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".yaml", ".yml", ".json", ".md":
		return true
	}
	return path.Base(file) == config.LockName
}

// place is where a file of the working tree lies in the folder.
func (t *then) place(file string) (string, error) {
	root := t.repository.Root
	if resolved, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		file = filepath.Join(resolved, filepath.Base(file))
	}
	rel, err := filepath.Rel(root, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", &twodoor.Error{Code: twodoor.CodeInvalid, Message: fmt.Sprintf("%s is not in the git repository %s", file, root), Cause: err}
	}
	return filepath.Join(t.dir, rel), nil
}

// catalogIn is what the configuration described then. Where there was none it is empty.
func (r *run) catalogIn(ctx context.Context, s *site, t *then) (*twodoor.Catalog, error) {
	if s.File == "" {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "a git revision is compared by its configuration, and there is none here", Hint: "name files: REVISION:openapi.yaml openapi.yaml"}
	}
	file, err := t.place(s.File)
	if err != nil {
		return nil, err
	}
	if !isFile(file) {
		catalog, err := twodoor.NewCatalog()
		return catalog, err
	}
	loaded, err := config.Load(file)
	if err != nil {
		return nil, err
	}
	before := &site{Loaded: loaded, where: config.Named}
	maps.DeleteFunc(before.Sources, func(_ string, c config.Source) bool {
		return !config.IsURL(c.OpenAPI) && !isFile(before.Place(c.OpenAPI))
	})
	return r.described(ctx, before)
}
