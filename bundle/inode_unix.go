//go:build unix

package bundle

import (
	"io/fs"
	"syscall"
)

// inode tells files of one path apart after one was put in the other's place.
func inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino)
	}
	return 0
}
