package rawyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/twodoor/twodoor/internal/rawjson"
	"go.yaml.in/yaml/v4"
)

// Limits bound what a document may become.
type Limits struct {
	// AliasNodes is how many nodes aliases and merge keys may add; default a million.
	AliasNodes int
	// AliasBytes is how many bytes of text they may add; default 64 MiB.
	AliasBytes int
}

// Parse reads a single YAML document. Nesting is bounded by [rawjson.MaxDepth].
// A fault is a *[rawjson.SyntaxError] with the line.
func Parse(data []byte, max Limits) (*rawjson.Node, error) {
	doc, err := load(data)
	if err != nil {
		return nil, err
	}
	if max.AliasNodes == 0 {
		max.AliasNodes = 1_000_000
	}
	if max.AliasBytes == 0 {
		max.AliasBytes = 64 << 20
	}
	b := builder{max: max, names: make(map[string]string), open: make(map[*yaml.Node]bool)}
	return b.node(doc.Content[0], 0)
}

// ToJSON converts a YAML document to compact JSON, with the default limits.
func ToJSON(data []byte) ([]byte, error) {
	n, err := Parse(data, Limits{})
	if err != nil {
		return nil, err
	}
	return n.JSON(), nil
}

func load(data []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("start the YAML reader: %w", err)
	}
	var doc, second yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		return nil, fault(1, 1, "the document is empty")
	case err != nil:
		return nil, explain(data, err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, fault(max(second.Line, 1), 1, "a second document begins; keep one document in a file")
	case !errors.Is(err, io.EOF):
		return nil, explain(data, err)
	}
	return &doc, nil
}

func fault(line, column int, msg string) error {
	return &rawjson.SyntaxError{Line: line, Column: column, Msg: msg}
}

// explain turns an error of the YAML library into ours. Some of its errors know
// the byte but not the line.
func explain(data []byte, err error) error {
	var cause *yaml.LoadError
	if !errors.As(err, &cause) {
		return fmt.Errorf("read YAML: %w", err)
	}
	mark := cause.Mark
	if mark.Line == 0 {
		before := data[:min(max(mark.Index, 0), len(data))]
		mark.Line = bytes.Count(before, []byte{'\n'}) + 1
		mark.Column = len(before) - bytes.LastIndexByte(before, '\n')
	}
	msg := cause.Message
	if cause.ContextMsg != "" {
		msg += " " + cause.ContextMsg
		if line := cause.ContextMark.Line; line > 0 && line != mark.Line {
			msg += fmt.Sprintf(" from line %d", line)
		}
	}
	return &rawjson.SyntaxError{Line: mark.Line, Column: mark.Column, Offset: mark.Index, Msg: msg}
}
