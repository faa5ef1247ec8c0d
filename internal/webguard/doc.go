// Package webguard keeps requests out that no person meant: browsers send them from pages of another
// origin, and by DNS names that were rebound to this machine. Begin with [Guard.Barred].
package webguard
