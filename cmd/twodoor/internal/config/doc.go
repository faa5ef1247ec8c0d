// Package config reads twodoor.yaml and what lies beside it: the lock that keeps names where they
// are, and the record of which files were trusted.
//
// Begin at [Config], the keys as types; [Load] reads them strictly, and the same types say the JSON
// Schema ([Schema]). Flags and TWODOOR_* variables win over the file, the file over the defaults
// ([Loaded.Override]); every value knows where it came from. References like ${env:TOKEN} stay
// references: whoever uses a key resolves it. Editing ([Put], [Remove]) touches the lines of one
// entry and nothing else.
//
// The package reads no environment by itself and knows no type of twodoor.
package config
