//go:build unix && !linux

package cobratree

import (
	"os"
	"syscall"
)

// duplicate makes a number stand for what another one stands for.
func duplicate(from, to int) error { return os.NewSyscallError("dup2", syscall.Dup2(from, to)) }
