//go:build unix

package app

import (
	"os"

	"golang.org/x/sys/unix"
)

// widthOf is how many columns the terminal at the other end of a file has; 0: unknown.
func widthOf(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
