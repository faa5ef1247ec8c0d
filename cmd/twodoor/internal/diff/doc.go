// Package diff tells what changed between two catalogs, and what that means for who calls: added,
// removed and renamed operations, inputs that became required, narrower or wider, fields of answers that
// are gone, changed effects and permissions. It also keeps snapshots: what outsiders see of a catalog,
// as data that can be reviewed and compared.
//
// Begin at [Between].
package diff
