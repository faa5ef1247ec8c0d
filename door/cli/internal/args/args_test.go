package args

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

func TestKebab(t *testing.T) {
	for name, want := range map[string]string{
		"startTime": "start-time", "HTTPServer": "http-server", "userIDs": "user-ids", "IDs": "ids", "filter[x]": "filter-x", "StartTime<": "start-time",
		"sha256Sum": "sha256-sum", "$top": "top", "__a__b": "a-b", "ÄnderungsDatum": "änderungs-datum", "!!": "field", "参数": "参数",
	} {
		if got := Kebab(name); got != want {
			t.Errorf("Kebab(%q) = %q, want %q", name, got, want)
		}
	}
}

// The flags of an operation do not depend on the order of its schema, and each means one thing.
func TestFlagsAreUnique(t *testing.T) {
	names := []string{"no_cache", "noCache", "NoCache", "no-cache", "data", "field_data", "field-data", "limit", "want_limit", "want-limit", "help", "o", "h"}
	flags := func(names []string) map[string]string {
		var properties rawjson.Object
		for _, name := range names {
			properties.Put(name, []byte(`{"type":"string"}`))
		}
		in := Of(&twodoor.Operation{Input: json.RawMessage(`{"properties":` + string(properties.Bytes()) + `}`)})
		got := map[string]string{}
		for _, f := range in.Fields {
			if m, ok := in.Find(f.Flag); !ok || m.Field != f {
				t.Errorf("--%s does not mean %s", f.Flag, f.Name)
			}
			got[f.Name] = f.Flag
		}
		return got
	}
	want := flags(names)
	slices.Reverse(names)
	for name, flag := range flags(names) {
		if want[name] != flag {
			t.Errorf("%s is --%s, and --%s in another order", name, want[name], flag)
		}
	}
	if want["data"] != "field-data" || want["no-cache"] != "no-cache" || want["limit"] != "limit" || want["want_limit"] == "want-limit" {
		t.Errorf("flags are %v", want)
	}
}

func TestSplitSet(t *testing.T) {
	cases := []struct {
		arg    string
		path   []string
		text   string
		isJSON bool
	}{
		{"a.b=c=d", []string{"a", "b"}, "c=d", false},
		{"a:=1", []string{"a"}, "1", true},
		{"a[0].b[1]=x", []string{"a", "0", "b", "1"}, "x", false},
		{"a[]=x", []string{"a", ""}, "x", false},
		{`a\.b\=c\:=x`, []string{"a.b=c:"}, "x", false},
		{"a:b=x", []string{"a:b"}, "x", false},
		{"a[=x", []string{"a["}, "x", false},
		{"=x", []string{""}, "x", false},
	}
	for _, c := range cases {
		path, text, isJSON, err := splitSet(c.arg)
		if err != nil || !slices.Equal(path, c.path) || text != c.text || isJSON != c.isJSON {
			t.Errorf("%q is %q %q %v (%v)", c.arg, path, text, isJSON, err)
		}
	}
	if _, _, _, err := splitSet("a.b"); err == nil {
		t.Error("a path without a value is no error")
	}
}

// FuzzPathText: a path that is written is read back as the same path.
func FuzzPathText(f *testing.F) {
	f.Add("a", "b.c", `d\`)
	f.Add("[0]", "x:=", "=")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		path := []string{a, b, c}
		if got, text, _, err := splitSet(PathText(path) + "=v"); err != nil || text != "v" || !slices.Equal(got, path) {
			t.Errorf("%q is written %q and read as %q (%v)", path, PathText(path), got, err)
		}
	})
}
