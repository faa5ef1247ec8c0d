package protobuf

import (
	"encoding/json"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/protobuf/options"
)

// annotation is what is said of a method beside its descriptor (contracts §5): by options of its
// file, its service and itself, and under operations: in the configuration. What is said later wins,
// key by key.
type annotation struct {
	twodoor.Annotation
	Defaults json.RawMessage // of a service's methods

	tool                  string // the MCP spelling, verbatim
	readOnly, destructive options.Answer
}

// under is a copy with one more annotation laid over it.
func (a annotation) under(raw []byte) annotation {
	_, _ = a.add(raw) // a service's defaults are checked by their type
	return a
}

// hinted takes what only options of other packages say.
func (a *annotation) hinted(said options.Said) {
	if said.Tool != "" {
		a.tool = said.Tool
	}
	if said.ReadOnly != options.Unsaid {
		a.readOnly = said.ReadOnly
	}
	if said.Destructive != options.Unsaid {
		a.destructive = said.Destructive
	}
}

// add takes in one more annotation, a JSON object: see [twodoor.Annotation.Add].
func (a *annotation) add(raw []byte) (notes []string, err error) {
	if defaults, ok := rawjson.Get(raw, "defaults"); ok {
		a.Defaults, raw = defaults, rawjson.Delete(raw, "defaults")
	}
	return a.Add(raw)
}
