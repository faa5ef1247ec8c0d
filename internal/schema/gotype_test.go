package schema

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
)

type sample struct {
	Zeta  string     `json:"zeta" jsonschema:"the last letter but first"`
	Alpha *int64     `json:"alpha,omitempty"`
	When  time.Time  `json:"when"`
	List  []innerish `json:"list,omitempty"`
	skip  int
}

type innerish struct {
	B bool `json:"b"`
	A bool `json:"a"`
}

func TestFor(t *testing.T) {
	raw, err := For(reflect.TypeFor[sample]())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	properties, _ := rawjson.Get(raw, "properties")
	for name := range rawjson.Members(properties) {
		names = append(names, name)
	}
	if got := strings.Join(names, " "); got != "zeta alpha when list" {
		t.Errorf("properties %s in %s", got, raw)
	}
	s := compile(t, string(raw))
	if problems := s.Check([]byte(`{"zeta":"z","when":"2026-01-01T00:00:00Z","list":[{"b":true,"a":false}]}`)); problems != nil {
		t.Errorf("%v", problems)
	}
	if problems := s.Check([]byte(`{"alpha":"x"}`)); len(problems) != 3 {
		t.Errorf("%v", problems)
	}
	if _, err := For(reflect.TypeFor[func()]()); err == nil {
		t.Error("a function has a schema")
	}
	_ = sample{}.skip
}
