// Package secret keeps secrets from being printed.
//
// A configuration names a secret by a [Ref]: "${env:X}", "${file:/path}", "${keyring:name}", or the
// secret itself. A [Resolver] turns it into a [Text], which every printer shows as ***, and which
// gives its text to [Text.Reveal] alone. A [Redactor] takes live secrets out of text that came from
// elsewhere, like an error of the far side that repeats the key it was sent.
package secret
