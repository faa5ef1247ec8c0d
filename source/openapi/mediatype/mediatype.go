package mediatype

import "strings"

// Kind is a way of encoding a value as bytes.
type Kind uint8

// The kinds.
const (
	JSON      Kind = iota
	Form           // application/x-www-form-urlencoded
	Multipart      // multipart/form-data and its kin
	Lines          // a JSON value a line
	XML            // given and read as a text
	Text
	Binary // anything else
)

// Of is the encoding that a media type stands for. Types of any application are taken as JSON:
// that is what those who describe */* send.
func Of(media string) Kind {
	base := Base(media)
	switch {
	case IsLines(base):
		return Lines
	case IsJSON(base), base == "*/*", base == "application/*":
		return JSON
	case base == "application/x-www-form-urlencoded":
		return Form
	case strings.HasPrefix(base, "multipart/"):
		return Multipart
	case IsXML(base):
		return XML
	case IsText(base):
		return Text
	}
	return Binary
}

// Base is a media type in small letters, without parameters.
func Base(media string) string {
	base, _, _ := strings.Cut(media, ";")
	return strings.ToLower(strings.TrimSpace(base))
}

// IsJSON reports whether values of this type are JSON (RFC 6839 §3.1).
func IsJSON(media string) bool {
	base := Base(media)
	return base == "application/json" || base == "text/json" || base == "application/x-json" || strings.HasSuffix(base, "+json")
}

// IsLines reports whether values of a base type are JSON values, one a line.
func IsLines(base string) bool {
	switch base {
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl", "application/jsonlines",
		"application/x-jsonlines", "application/json-lines", "application/stream+json", "application/json-seq":
		return true
	}
	return false
}

// IsXML reports whether values of a base type are XML (RFC 7303).
func IsXML(base string) bool {
	return base == "application/xml" || base == "text/xml" || strings.HasSuffix(base, "+xml")
}

// IsText reports whether values of a base type are texts that are neither JSON nor XML.
func IsText(base string) bool {
	switch base {
	case "application/yaml", "application/x-yaml", "application/toml", "application/graphql", "application/javascript",
		"application/sql", "application/x-sh", "application/x-www-form-urlencoded":
		return true
	}
	return strings.HasPrefix(base, "text/") || strings.HasSuffix(base, "+yaml")
}

// EventStream is the type of server-sent events (WHATWG HTML §9.2).
const EventStream = "text/event-stream"
