package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Protobuf is the value of a source's protobuf: key. Exactly one of Files, Descriptors and Reflection
// says where the services are described.
type Protobuf struct {
	Files       []string `json:"files"`        // .proto files and folders of them
	ImportPaths []string `json:"import_paths"` // where imports are looked for
	Descriptors string   `json:"descriptors"`  // a descriptor set or buf image: file or URL
	Reflection  bool     `json:"reflection"`   // ask the server at target:
	Services    []string `json:"services"`     // globs over services with their package; empty: all
	Export      string   `json:"export"`       // of methods that no annotation exports: none, cli, mcp or all
}

// ProtobufOf reads a source's protobuf: key, strictly.
func (s Source) ProtobufOf() (Protobuf, error) {
	var p Protobuf
	if files, ok := rawjson.Get(s.Protobuf, "files"); ok && rawjson.KindOf(files) == rawjson.KindString { // one file needs no list
		s.Protobuf = rawjson.Set(s.Protobuf, "files", slices.Concat([]byte("["), files, []byte("]")))
	}
	decoder := json.NewDecoder(bytes.NewReader(s.Protobuf))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return p, fmt.Errorf("protobuf takes files, import_paths, descriptors, reflection, services and export: %w", err)
	}
	ways := 0
	for _, given := range []bool{len(p.Files) > 0, p.Descriptors != "", p.Reflection} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return p, fmt.Errorf("protobuf has %d of files, descriptors and reflection: write exactly one", ways)
	}
	return p, nil
}
