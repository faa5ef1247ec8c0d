package schema

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// For returns the JSON Schema of a Go type: properties are the exported fields
// in their order, named as encoding/json names them; a jsonschema tag is the
// description; a field without omitempty or omitzero is required.
func For(t reflect.Type) ([]byte, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{})
	if err != nil {
		return nil, fmt.Errorf("make the schema of %s: %w", t, err)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write the schema of %s: %w", t, err)
	}
	return raw, nil
}
