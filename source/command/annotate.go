package command

import (
	"encoding/json"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// words are the keys of the vocabulary (contracts §5) that stand in a verb itself.
var words = []string{
	"title", "description", "export", "effect", "idempotent", "open_world", "permission", "aliases", "deprecated", "positional",
	"answer", "page", "before", "next", "guide", "examples", "view",
}

// annotate takes in what a verb says of itself in that vocabulary.
func (r *fileReader) annotate(said *twodoor.Annotation, key string, n *rawjson.Node, path string) {
	if err := said.Say(key, n.JSON()); err != nil {
		r.fault(n, path, "%s: %v", path, err)
	}
}

// configure lays an annotation of the configuration over a verb's own. The notes tell what says
// nothing here.
func (s *Source) configure(said *twodoor.Annotation, glob string) (notes []string, err error) {
	notes, err = said.Add(s.Operations[glob])
	for _, key := range []string{"name", "only", "rename", "stream", "time"} {
		if _, ok := rawjson.Get(s.Operations[glob], key); ok {
			notes = append(notes, key+": says nothing of a verb; it is left out")
		}
	}
	return notes, err
}

// tweak changes parameters as an annotation says.
func (p *plan) tweak(said *twodoor.Annotation, params []param) {
	for name, text := range said.Describe {
		edit(params, name, "description", rawjson.Quote(text))
	}
	for name, value := range said.Default {
		edit(params, name, "default", value)
	}
	for name, value := range said.Fix {
		p.fix(name, value)
	}
	for _, name := range said.Hide {
		p.fix(name, hidden(params, name))
	}
}

// edit writes one key of the schema of a parameter.
func edit(params []param, name, key string, value []byte) {
	for i := range params {
		if n, err := rawjson.Parse(value); err == nil && params[i].Name == name {
			params[i].schema = params[i].schema.Clone()
			params[i].schema.Put(key, n)
		}
	}
}

// fix gives a parameter the value that no caller can change.
func (p *plan) fix(name string, value []byte) {
	if p.Fixed == nil {
		p.Fixed = map[string]json.RawMessage{}
	}
	p.Fixed[name] = value
}

// hidden is the value of a parameter that nobody sees: its default, else none.
func hidden(params []param, name string) []byte {
	if p := find(params, name); p != nil && p.schema.Get("default") != nil {
		return p.schema.Get("default").JSON()
	}
	return []byte("null")
}
