// Package sealed keeps state in the hands of strangers: text that only its maker can read, that is
// good for one purpose, until one moment, and if wanted once.
package sealed
