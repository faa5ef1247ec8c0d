//go:build !unix

package cobratree

import "os"

// takeStreams puts other files in the place of os.Stdin and os.Stdout. Code that kept those in a
// variable of its own before still reaches them: only unix can move the streams themselves.
func takeStreams(limit int) (*streams, error) {
	in, out := os.Stdin, os.Stdout
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	os.Stdin, os.Stdout = null, write
	return newStreams(in, out, read, write, limit), nil
}
