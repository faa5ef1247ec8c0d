// Package cards writes the reference that an agent reads before a call: every command of one group with
// its flags, its answer and an example that fits.
//
// [Set.Generate] makes the files of a [Variant] from the command tree: a skill, a plugin, an extension,
// llms.txt, a section of AGENTS.md. What is generated stands in fences; prose around them is kept, and so
// is the way in which fences divide a group. [Set.Check] finds fences that are stale or that are no
// partition of a group. Begin at [Set]; fence.go says what a fence is.
package cards
