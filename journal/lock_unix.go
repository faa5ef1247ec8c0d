//go:build unix

package journal

import (
	"os"
	"syscall"
)

// How a file is locked.
const (
	shared    = syscall.LOCK_SH
	exclusive = syscall.LOCK_EX
)

// lock waits for the lock of a file; closing the file gives it back.
func lock(file *os.File, how int) error {
	for {
		err := syscall.Flock(int(file.Fd()), how)
		if err != syscall.EINTR {
			return err
		}
	}
}
