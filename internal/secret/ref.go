package secret

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Ref names a secret as a configuration writes it: references, with text around them
// ("Token ${env:X}"), or the secret itself. It prints its references, and a mask for every other
// text. The zero value names nothing.
type Ref struct{ text *string }

// NewRef takes a configuration's text. Nothing is looked up yet.
func NewRef(text string) Ref { return Ref{&text} }

// UnmarshalText takes a configuration's text.
func (r *Ref) UnmarshalText(text []byte) error {
	*r = NewRef(string(text))
	return nil
}

// IsZero reports whether the configuration says nothing.
func (r Ref) IsZero() bool { return r.raw() == "" }

// Literal reports whether the secret itself stands in the configuration, which deserves a warning.
func (r Ref) Literal() bool { return !r.IsZero() && len(r.Names()) == 0 }

// Names are the references in order: "${env:X}".
func (r Ref) Names() []string {
	var names []string
	for piece := range r.pieces {
		if piece.kind != "" {
			names = append(names, piece.String())
		}
	}
	return names
}

// String shows the references and masks the text around them.
func (r Ref) String() string {
	var b strings.Builder
	for piece := range r.pieces {
		if piece.kind == "" {
			b.WriteString(Mask)
		} else {
			b.WriteString(piece.String())
		}
	}
	return b.String()
}

// Format writes String for every verb.
func (r Ref) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, r.String()) }

// MarshalText writes String.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// LogValue logs String.
func (r Ref) LogValue() slog.Value { return slog.StringValue(r.String()) }

// piece is a reference, or text between references, which has no kind.
type piece struct{ kind, name string }

func (p piece) String() string { return "${" + p.kind + ":" + p.name + "}" }

func (r Ref) raw() string {
	if r.text == nil {
		return ""
	}
	return *r.text
}

// pieces yields the parts of the text. What only looks like a reference is text.
func (r Ref) pieces(yield func(piece) bool) {
	rest := r.raw()
	for from := 0; from < len(rest); {
		at := strings.Index(rest[from:], "${")
		if at < 0 {
			break
		}
		at += from
		found, length := cutReference(rest[at:])
		if length == 0 {
			from = at + 2
			continue
		}
		if at > 0 && !yield(piece{name: rest[:at]}) || !yield(found) {
			return
		}
		rest, from = rest[at+length:], 0
	}
	if rest != "" {
		yield(piece{name: rest})
	}
}

// cutReference reads the reference that text begins with; length 0: it begins with none.
func cutReference(text string) (piece, int) {
	inner, _, closed := strings.Cut(text[2:], "}")
	kind, name, named := strings.Cut(inner, ":")
	if !closed || !named || name == "" || kind == "" || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz") != "" {
		return piece{}, 0
	}
	return piece{kind, name}, len(inner) + 3
}
