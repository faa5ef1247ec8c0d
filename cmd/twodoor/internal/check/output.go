package check

import (
	"fmt"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/guide"
)

// Text tells findings as lines for a person.
func Text(findings []guide.Finding) string {
	var out strings.Builder
	for _, f := range findings {
		out.WriteString(f.String())
		if f.Note {
			out.WriteString(" (note)")
		}
		out.WriteString("\n")
	}
	return out.String()
}

// escapes are what the commands of GitHub's workflows take in a message.
var escapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

// property escapes the value of a property of such a command.
var property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")

// GitHub tells findings as the workflow commands that mark lines of a pull request.
func GitHub(findings []guide.Finding) string {
	var out strings.Builder
	for _, f := range findings {
		level := "error"
		if f.Note {
			level = "notice"
		}
		fmt.Fprintf(&out, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", level, property.Replace(f.File), f.Line, f.Column, property.Replace(string(f.Kind)), escapes.Replace(message(f)))
	}
	return out.String()
}

func message(f guide.Finding) string {
	if f.Fix == "" {
		return f.Message
	}
	return f.Message + " → " + f.Fix
}

// SARIF tells findings in the Static Analysis Results Interchange Format 2.1.0.
func SARIF(findings []guide.Finding, version string) []byte {
	var results, rules rawjson.Array
	seen := map[guide.Mistake]bool{}
	for _, f := range findings {
		if !seen[f.Kind] {
			seen[f.Kind] = true
			var rule rawjson.Object
			rule.PutString("id", string(f.Kind))
			rules.Add(rule.Bytes())
		}
		results.Add(resultOf(f))
	}
	var driver rawjson.Object
	driver.PutString("name", "twodoor check")
	driver.PutString("version", version)
	driver.Put("rules", rules.Bytes())
	return rawjson.SetPath([]byte(`{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0"}`),
		fmt.Appendf(nil, `[{"tool":{"driver":%s},"results":%s}]`, driver.Bytes(), results.Bytes()), "runs")
}

func resultOf(f guide.Finding) []byte {
	var region, place, text, result rawjson.Object
	region.PutInt("startLine", int64(f.Line))
	region.PutInt("startColumn", int64(f.Column))
	place.Put("artifactLocation", rawjson.Set([]byte(`{}`), "uri", rawjson.Quote(f.File)))
	place.Put("region", region.Bytes())
	text.PutString("text", message(f))
	result.PutString("ruleId", string(f.Kind))
	result.PutString("level", map[bool]string{true: "note", false: "error"}[f.Note])
	result.Put("message", text.Bytes())
	result.Put("locations", fmt.Appendf(nil, `[{"physicalLocation":%s}]`, place.Bytes()))
	return result.Bytes()
}
