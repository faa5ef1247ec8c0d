package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"
)

// Stamp is what a bundle was made from. It is fresh while that has not changed.
type Stamp struct {
	Key   string `json:"key"` // version of the product and the configuration that the catalog depends on
	Files []File `json:"files"`
}

// File is a file as it was when the bundle was made. Descriptions behind a URL have only a path:
// they are looked at when asked to, never at a start.
type File struct {
	Path  string `json:"path"`
	Size  int64  `json:"size,omitempty"`
	Time  int64  `json:"time,omitempty"` // modified, nanoseconds since 1970
	Inode uint64 `json:"inode,omitempty"`
	Hash  string `json:"hash,omitempty"` // SHA-256 of the content
}

// StampOf looks at the files that a catalog was read from: paths, or URLs.
func StampOf(key string, paths []string) (Stamp, error) {
	stamp := Stamp{Key: key}
	for _, path := range paths {
		file := File{Path: path}
		if !isURL(path) {
			info, err := os.Stat(path)
			if err != nil {
				return Stamp{}, err
			}
			file.Size, file.Time, file.Inode = info.Size(), info.ModTime().UnixNano(), inode(info)
			if file.Hash, err = hashFile(path); err != nil {
				return Stamp{}, err
			}
		}
		stamp.Files = append(stamp.Files, file)
	}
	return stamp, nil
}

// Fresh reports whether a bundle of this stamp still tells the truth for a key. It compares path,
// size, time and inode, and reads a file only where one of them differs.
func (s Stamp) Fresh(key string) bool {
	if s.Key != key {
		return false
	}
	for _, f := range s.Files {
		if !f.fresh() {
			return false
		}
	}
	return true
}

func (f File) fresh() bool {
	if isURL(f.Path) {
		return true
	}
	info, err := os.Stat(f.Path)
	if err != nil || info.Size() != f.Size {
		return false
	}
	if info.ModTime().UnixNano() == f.Time && inode(info) == f.Inode {
		return true
	}
	hash, err := hashFile(f.Path)
	return err == nil && hash == f.Hash
}

func isURL(path string) bool {
	return strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://")
}

func hashFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
