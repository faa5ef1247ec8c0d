package schema_test

import (
	"testing"

	"github.com/twodoor/twodoor/internal/schema"
)

// TestCompileWith holds that shared schemas are asked for only when a value gets there, also by the
// rarer keywords.
func TestCompileWith(t *testing.T) {
	asked := map[string]int{}
	shared := map[string]string{
		"Tree":   `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/Tree"}},"leaf":{"$ref":"#/$defs/Leaf"}}}`,
		"Leaf":   `{"type":"integer"}`,
		"Rare":   `{"type":"array","contains":{"$ref":"#/$defs/Leaf"}}`,
		"Unused": `{"type":"string"}`,
	}
	s, err := schema.CompileWith([]byte(`{"type":"object","properties":{"tree":{"$ref":"#/$defs/Tree"},"rare":{"$ref":"#/$defs/Rare"},"unused":{"$ref":"#/$defs/Unused"},"own":{"$ref":"#/$defs/Own"},"lost":{"$ref":"#/$defs/Lost"}},"$defs":{"Own":{"type":"boolean"}}}`),
		func(name string) []byte {
			asked[name]++
			return []byte(shared[name])
		})
	if err != nil {
		t.Fatal(err)
	}
	if len(asked) > 0 {
		t.Errorf("compiling asked for %v", asked)
	}
	check := func(value string, fits bool) {
		t.Helper()
		if got := s.Check([]byte(value)); (len(got) == 0) != fits {
			t.Errorf("%s: %v", value, got)
		}
	}
	check(`{"tree":{"kids":[{"leaf":1},{"leaf":"x"}]}}`, false)
	check(`{"own":3}`, false)
	check(`{"lost":{"any":1}}`, true)
	if asked["Unused"] > 0 {
		t.Error("what no value reaches was asked for")
	}
	check(`{"rare":["a"]}`, false)
	check(`{"rare":["a",1]}`, true)
}
