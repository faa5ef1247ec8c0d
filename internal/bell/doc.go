// Package bell tells many listeners at once that something is another one now. It never waits for any
// of them: who is slow hears once of all that rang meanwhile. Begin with [Bell.Listen].
package bell
