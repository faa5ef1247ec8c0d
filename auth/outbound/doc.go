// Package outbound is the only way out to an upstream over HTTP: it puts the right key on a request
// and sees to it that no other origin gets one.
//
// A source hands [Client.Do] its request and says which security schemes its description declares;
// it never sees a key. A [Rule] says which [Connection] serves a source, and which origins are the
// source's own. Redirects are followed within one origin and for reading only.
package outbound
