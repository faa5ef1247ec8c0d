package clients

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestPlugin holds the rules of the Agent Skills format and of Claude's plugins.
func TestPlugin(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, about := range []string{"", "Incidents, with \"quotes\": and\nlines.", strings.Repeat("long words ", 300), strings.Repeat("x", 3000)} {
		p := Plugin{Name: "harbor", Title: "Harbor", About: about, Version: "1.2.0", Guides: "twodoor guides", Find: "twodoor find", Entry: entries["stdio"]}
		for _, f := range append(p.Files(), p.Skill()...) {
			if strings.HasSuffix(f.Path, ".json") {
				var values map[string]any
				if err := json.Unmarshal(f.Text, &values); err != nil {
					t.Errorf("%s: %v\n%s", f.Path, err, f.Text)
				}
				continue
			}
			parts := strings.SplitN(string(f.Text), "---\n", 3)
			if len(parts) != 3 || parts[0] != "" {
				t.Fatalf("%s has no front matter:\n%s", f.Path, f.Text)
			}
			var front map[string]string
			if err := yaml.Unmarshal([]byte(parts[1]), &front); err != nil {
				t.Fatalf("%s: %v\n%s", f.Path, err, parts[1])
			}
			if n := front["name"]; n != path.Base(path.Dir(f.Path)) || !name.MatchString(n) || len(n) > 64 {
				t.Errorf("%s: name %q", f.Path, n)
			}
			if d := front["description"]; d == "" || len(d) > 1024 || !strings.Contains(d, "Use when") {
				t.Errorf("%s: description of %d: %q", f.Path, len(d), d)
			}
			if len(front) != 2 || strings.Count(parts[2], "\n") > 500 {
				t.Errorf("%s: %v", f.Path, front)
			}
		}
	}
}
