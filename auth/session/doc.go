// Package session knows who is asking at the doors that are reached over HTTP.
//
// Until sign-in exists there is one credential: the operator's token, made at the first start and
// kept in the state folder ([Load]). A [Guard] checks requests against it. Its holder begins
// [Sessions]: each is a principal and a profile behind a token of its own. Whether a request may
// come from its Host and Origin at all is the doors' business.
package session
