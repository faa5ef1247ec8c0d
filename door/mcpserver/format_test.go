package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/twodoor/twodoor/twodoortest"
)

// The text of an answer is compact JSON unless TOON is asked for; then _meta says what it is.
func TestFormatOfTheText(t *testing.T) {
	d := &Door{Engine: twodoortest.Engine()}
	for want, begins := range map[string]string{`{"budget":-1}`: `{"items":[{"id":1,`, `{"budget":-1,"format":"toon"}`: "items[50]{id,name,note}:\n  1,one,a record\n"} {
		reply := talk(t, d, modern("1", "tools/call", `"name":"suite_answer_many","arguments":{"_want":`+want+`}`))["1"]
		var m struct {
			Result struct {
				Content []struct{ Text string }
				Meta    map[string]json.RawMessage `json:"_meta"`
			}
		}
		if err := json.Unmarshal([]byte(reply), &m); err != nil || len(m.Result.Content) != 1 {
			t.Fatalf("%v in %s", err, reply)
		}
		text, format := m.Result.Content[0].Text, string(m.Result.Meta["twodoor/format"])
		if !strings.HasPrefix(text, begins) || (format == `"toon"`) != strings.Contains(want, "toon") {
			t.Errorf("%s: %s in %s", want, text, format)
		}
	}
}
