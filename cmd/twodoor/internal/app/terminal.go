package app

import "os"

// IsTerminal reports whether somebody sits at the other end of a file. The null device is a
// character device too, and nobody sits there.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
