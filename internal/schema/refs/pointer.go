package refs

import (
	"net/url"
	"strings"
)

// cutStep takes the first step off a JSON pointer that begins with a slash.
func cutStep(pointer string) (step, rest string) {
	pointer = strings.TrimPrefix(pointer, "/")
	if at := strings.IndexByte(pointer, '/'); at >= 0 {
		return pointer[:at], pointer[at:]
	}
	return pointer, ""
}

// unescape reads ~1 and ~0 (RFC 6901).
func unescape(step string) string {
	if !strings.Contains(step, "~") {
		return step
	}
	return strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
}

// Escape writes a name as a step of a JSON pointer (RFC 6901).
func Escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// unpercent decodes a step of a URI fragment; false when that changes nothing.
func unpercent(step string) (string, bool) {
	if !strings.Contains(step, "%") {
		return "", false
	}
	plain, err := url.PathUnescape(step)
	return plain, err == nil && plain != step
}

// Local returns the JSON pointer, or the anchor, of a reference into the same
// schema.
func Local(ref string) (string, bool) { return strings.CutPrefix(ref, "#") }

// Name returns NAME of #/$defs/NAME.
func Name(ref string) (string, bool) {
	name, rest, ok := definitionAt(ref)
	return name, ok && rest == ""
}

// definitionAt takes #/$defs/NAME/… apart.
func definitionAt(ref string) (name, rest string, ok bool) {
	pointer, found := strings.CutPrefix(ref, "#/$defs")
	if !found || !strings.HasPrefix(pointer, "/") {
		return "", "", false
	}
	name, rest = cutStep(pointer)
	if plain, ok := unpercent(name); ok {
		name = plain
	}
	return unescape(name), rest, true
}
