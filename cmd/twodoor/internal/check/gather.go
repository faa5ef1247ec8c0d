package check

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/guide/cards"
)

// maxFile bounds a Markdown file.
const maxFile = 64 << 20

// Gather reads Markdown files: those that are named, and those below folders that are named. Folders
// that begin with a dot are passed over, except for those of plugins; so are node_modules, vendor and
// testdata.
func Gather(paths []string) ([]cards.File, error) {
	var files []cards.File
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, &twodoor.Error{Code: twodoor.CodeUnknown, Message: fmt.Sprintf("%s is neither a source nor a file or folder", path), Cause: err}
		}
		if !info.IsDir() {
			if files, err = add(files, path, info.Size()); err != nil {
				return nil, err
			}
			continue
		}
		if files, err = below(files, path); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(files, func(a, b cards.File) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(files, func(a, b cards.File) bool { return a.Path == b.Path }), nil
}

func below(files []cards.File, dir string) ([]cards.File, error) {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if path != dir && passedOver(entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		case !strings.EqualFold(filepath.Ext(path), ".md") && entry.Name() != "llms.txt":
			return nil
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		files, err = add(files, path, info.Size())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	return files, nil
}

func passedOver(name string) bool {
	switch name {
	case "node_modules", "vendor", "testdata":
		return true
	case ".claude", ".claude-plugin", ".github":
		return false
	}
	return strings.HasPrefix(name, ".")
}

func add(files []cards.File, path string, size int64) ([]cards.File, error) {
	if size > maxFile {
		return nil, &twodoor.Error{Code: twodoor.CodeTooLarge, Message: fmt.Sprintf("%s has %d bytes: no text for a person", path, size)}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return append(files, cards.File{Path: filepath.ToSlash(path), Text: text}), nil
}
