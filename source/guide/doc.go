// Package guide is what an agent reads about the interface, and the words in which its rooms say what
// is wrong with it.
//
// A [Guide] is prose: one task from its beginning to its end. [Load] reads a folder of them into a
// [Library]; [Source] serves them as the operations list-guides and read-guides, as resources
// (guide://NAME) and as prompts.
//
// What is wrong in a file is a [Finding], with its place and the nearest right form. A Markdown text is
// taken apart by [ReadPage]; the command line comes as plain data ([Tree]), since no door is known
// here. Upon these stand, each in a room of its own:
//
//   - examples: the check of every example in a Markdown text against the catalog
//   - cards: the reference that is generated from the tree, beside prose that is kept
//   - typing: what the schemas alone tell of a call's arguments and of what is read of its answer
//   - shelltext: the calls of a program in a shell text
//
// Begin at [Library] for guides, at Checker.Check of examples for their proof.
package guide
