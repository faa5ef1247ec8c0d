//go:build !unix

package app

import "os"

// widthOf is how many columns the terminal at the other end of a file has; 0: unknown.
func widthOf(*os.File) int { return 0 }
