package openapi

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/source/openapi/send"
)

// Kind is the kind of the operations that this package reads and invokes.
const Kind = "openapi"

// DefaultMaxBytes bounds the files of one description together.
const DefaultMaxBytes = 128 << 20

// Invoker carries out the operations that [Source] reads.
type Invoker = send.Invoker

// Doer sends an HTTP request with the key that access asks for put on it; see [send.Doer].
type Doer = send.Doer

// Masker is a Doer that can tell about keys without showing one; see [send.Masker].
type Masker = send.Masker

// Source is one OpenAPI description.
type Source struct {
	Name string // required; first word of all ids
	File string // required; path or URL of the description

	Overlays   []string                   // OpenAPI Overlay 1.0 documents, applied in this order
	Target     string                     // base URL that stands for every server of the description
	Variables  map[string]string          // values of server variables
	Naming     string                     // auto, path or operation-id; empty: auto
	Prefix     string                     // stands for the name in MCP spellings
	Kept       twodoor.Lock               // what was named earlier, and stays
	MaxBytes   int64                      // of all files together; 0: DefaultMaxBytes
	Operations map[string]json.RawMessage // annotations by glob over ids and over "METHOD /path"

	// Fetch reads a URL. Where it is nil, URLs are refused.
	Fetch func(ctx context.Context, url string) ([]byte, error)
	// Translations are the same description in other languages, by language: of them only the words
	// are read, into Reading.Translations.
	Translations map[string]string
}

// Read reads the description and everything that it refers to. Single operations that cannot be
// served become exceptions; an error is a *[twodoor.Error] that names the place and the way out.
func (s *Source) Read(ctx context.Context) (*twodoor.Reading, error) {
	if s.Name == "" || s.File == "" {
		return nil, fmt.Errorf("an OpenAPI source needs a name and a file, got %q and %q", s.Name, s.File)
	}
	r, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	reading, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	return reading, s.translate(ctx, reading)
}
