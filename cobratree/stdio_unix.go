//go:build unix

package cobratree

import (
	"os"
	"syscall"
)

// takeStreams moves stdin and stdout away from their numbers, so that nothing in this process or in
// its children reaches them: not code that keeps os.Stdout in a variable of its own either.
func takeStreams(limit int) (*streams, error) {
	in, err := moved(syscall.Stdin, "stdin")
	if err != nil {
		return nil, err
	}
	out, err := moved(syscall.Stdout, "stdout")
	if err != nil {
		return nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close() // stdout is it from now on
	if err := duplicate(int(null.Fd()), syscall.Stdin); err != nil {
		return nil, err
	}
	if err := duplicate(int(write.Fd()), syscall.Stdout); err != nil {
		return nil, err
	}
	return newStreams(in, out, read, os.Stdout, limit), nil
}

// moved is a second number for a stream, which children do not get.
func moved(fd int, name string) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	other, err := syscall.Dup(fd)
	if err != nil {
		return nil, os.NewSyscallError("dup "+name, err)
	}
	syscall.CloseOnExec(other)
	return os.NewFile(uintptr(other), name), nil
}
