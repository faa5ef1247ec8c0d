// Package fields tells what fields an object has, by its schema: [Properties] for a flag or a line of
// help, [Of] for what may be asked for of an answer, [Requires] for what must stay in it.
package fields
