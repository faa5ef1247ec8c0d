package secret

import (
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

// Mask is what stands for a secret wherever one would be seen.
const Mask = "***"

// Text is a secret. Whatever prints it prints [Mask]: fmt with any verb, encoding/json, log/slog.
// The zero value is the empty text.
//
// It holds a pointer because fmt calls no method of an unexported field: a struct that keeps a Text
// prints an address, not the secret.
type Text struct{ text *string }

// New makes a secret of a text.
func New(text string) Text { return Text{&text} }

// Reveal is the secret itself. Hand it to what needs it and keep it nowhere.
func (t Text) Reveal() string {
	if t.text == nil {
		return ""
	}
	return *t.text
}

// IsZero reports whether the text is empty.
func (t Text) IsZero() bool { return t.Reveal() == "" }

// Equal compares two secrets in a time that depends on their lengths alone.
func (t Text) Equal(other Text) bool {
	return subtle.ConstantTimeCompare([]byte(t.Reveal()), []byte(other.Reveal())) == 1
}

// String is the mask.
func (t Text) String() string { return Mask }

// Format writes the mask for every verb.
func (t Text) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, Mask) }

// MarshalText writes the mask.
func (t Text) MarshalText() ([]byte, error) { return []byte(Mask), nil }

// LogValue logs the mask.
func (t Text) LogValue() slog.Value { return slog.StringValue(Mask) }
