package document

import (
	"strings"
	"testing"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// TestDeepValuesAloneAreLost reads a document of which one value nests deeper than the parser takes.
func TestDeepValuesAloneAreLost(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, rawjson.MaxDepth) + `"]\"}"` + strings.Repeat(`]}`, rawjson.MaxDepth)
	root, err := parseDocument([]byte("{\"deep\":\n" + deep + ",\n\"fine\":\n[{}]}"))
	if err != nil {
		t.Fatal(err)
	}
	if fine := root.Get("fine"); fine.Len() != 1 || fine.Line != 4 {
		t.Errorf("what stands after it is %s in line %d", fine.JSON(), fine.Line)
	}
	n := root.Get("deep")
	for range deepest {
		if n.Len() != 1 {
			t.Fatalf("it is cut to %.80s", n.JSON())
		}
		if n.Get(TooDeepKey) != nil {
			return
		}
		n = n.Items[0]
	}
	t.Errorf("nothing is cut: %.80s", n.JSON())
}

func TestWhatIsNoDescription(t *testing.T) {
	for text, want := range map[string]string{" \n": "it is empty", "<!doctype html>": "HTML or XML page", "{\"a\":": "", "a: [": ""} {
		if _, err := parseDocument([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read with %v, want %q", text, err, want)
		}
	}
}
