package fields

import (
	"strings"
	"testing"
)

func TestFieldsOfAnAnswer(t *testing.T) {
	const record = `{"type":"object","properties":{"id":{"type":"integer"},"a.b":{"type":"string"},"owner":{"$ref":"#/$defs/Owner"},"labels":{"type":"object","additionalProperties":{"type":"string"}},"raw":{},"parts":{"type":"array","items":{"type":"object","properties":{"x":{"type":"null"}}}}}}`
	define := func(string) []byte {
		return []byte(`{"allOf":[{"type":"object","properties":{"login":{"type":"string"}}},{"anyOf":[{"properties":{"team":{"$ref":"#/$defs/Owner"}}}]}]}`)
	}
	tells := func(name string) bool { return name == "id" }
	cases := []struct{ schema, root, have, lack string }{
		{record, "", "id owner owner.login owner.team.team.login a.b labels.any raw.x.y parts.x", "x login owner.name id.x titel"},
		{`{"type":"array","items":` + record + `}`, "", "id owner.login parts.x", "titel"},
		{`{"type":"object","properties":{"total":{"type":"integer"},"items":{"type":"array","items":` + record + `}}}`, "", "total id items.id items.owner.login owner", "titel x items.titel total.id"},
		{`{"type":"object","properties":{"data":{"type":"object","properties":{"list":{"type":"array","items":` + record + `}}}}}`, "", "data data.list.id list.id id", "data.id titel"},
		{`{"type":"object","properties":{"id":{"type":"string"},"list":{"type":"array","items":` + record + `}}}`, "list", "id list owner parts.x", "titel x"},
		{`{"type":"object"}`, "", "anything at.all", ""},
		{`{"type":"object","properties":{"id":{}},"additionalProperties":true}`, "", "anything", ""},
		{`{"type":"object","properties":{"id":{"type":"string"}},"additionalProperties":false}`, "", "id", "anything"},
		{`{"type":"string"}`, "", "", "anything"},
	}
	for _, c := range cases {
		f := Of([]byte(c.schema), define, c.root, tells)
		for path := range strings.FieldsSeq(c.have) {
			if !f.Have(path) {
				t.Errorf("%s is not had by %s (%q)", path, c.schema, f.Names())
			}
		}
		for path := range strings.FieldsSeq(c.lack) {
			if f.Have(path) {
				t.Errorf("%s is had by %s", path, c.schema)
			}
		}
	}
}
