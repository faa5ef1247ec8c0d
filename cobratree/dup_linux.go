package cobratree

import (
	"os"
	"syscall"
)

// duplicate makes a number stand for what another one stands for.
func duplicate(from, to int) error { return os.NewSyscallError("dup3", syscall.Dup3(from, to, 0)) }
