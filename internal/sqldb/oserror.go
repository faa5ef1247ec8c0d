package sqldb

import (
	"errors"
	"io/fs"
	"syscall"
)

// osKind is the kind of a fault of the file system.
func osKind(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return ErrFull
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return ErrReadOnly
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR), errors.Is(err, fs.ErrNotExist):
		return ErrAddress
	}
	return nil
}
