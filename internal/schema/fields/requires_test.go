package fields_test

import (
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/schema/fields"
)

func TestRequires(t *testing.T) {
	root := `{"type":"object","required":["items"],"properties":{"items":{"type":"array","items":{"$ref":"#/$defs/Item"}},"next":{"type":"string"}}}`
	define := func(name string) []byte {
		return []byte(map[string]string{
			"Item":  `{"allOf":[{"required":["id"]},{"properties":{"id":{},"owner":{"$ref":"#/$defs/Owner"},"kids":{"type":"array","items":{"$ref":"#/$defs/Item"}}}}]}`,
			"Owner": `{"anyOf":[{"required":["name"],"properties":{"name":{}}},{"$ref":"#/$defs/Owner"}]}`,
		}[name])
	}
	for path, want := range map[string]bool{
		"items": true, "next": false, "items.id": true, "items.owner": false, "items.owner.name": true,
		"items.kids.kids.id": true, "items.kids.owner.name": true, "lost.id": false, "items.owner.lost": false,
	} {
		if got := fields.Requires([]byte(root), define, strings.Split(path, ".")); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
