// Package twodoortest holds the suites that every door and every source must pass: [Doors] and
// [Sources]. A new door or source is done when its suite passes.
package twodoortest
