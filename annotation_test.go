package twodoor

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestAnnotateLaysLongerGlobsOverShorter(t *testing.T) {
	reading := &Reading{Notes: []string{"z", "a"}, Operations: []Operation{
		{ID: "notes.get", Effect: Writes, Why: "no hint", Description: "as it came"}, {ID: "other.get", Effect: Writes},
	}}
	reading.Annotate(map[string]json.RawMessage{
		"notes.*":   []byte(`{"effect":"destroys","title":"T","hide":["x"],"timeout":"3s","answer":{"root":".items[]","empty":"none"}}`),
		"notes.get": []byte(`{"effect":"reads","guide":"g","answer":{"fields":["id"],"limit":3},"page":5,"open_world":true,"nonsense":1}`),
		"other.get": []byte(`{"effect":"maybe"}`),
	})
	op := reading.Operations[0]
	if op.Effect != Reads || op.Why != "" || op.Title != "T" || op.Timeout != "3s" || !op.OpenWorld || op.Description != "as it came" || !slices.Equal(op.Guides, []string{"g"}) {
		t.Errorf("got %+v", op)
	}
	if a := op.Answer; a.Limit != 3 || a.Root != "items" || a.Empty != "none" || !slices.Equal(a.Fields, []string{"id"}) {
		t.Errorf("the answer is laid over word by word: %+v", a)
	}
	if other := reading.Operations[1]; other.Title != "" || other.Effect != Writes {
		t.Errorf("another source: %+v", other)
	}
	if n := reading.Notes; len(n) != 6 || n[0] != "z" || n[1] != "a" {
		t.Errorf("notes: %q", n)
	}
	for i, want := range []string{"hide: it does not apply", "nonsense: no such key", "page: 5 is not of the right type", "effect: \"maybe\" is none of"} {
		if !slices.ContainsFunc(reading.Notes, func(note string) bool { return strings.Contains(note, want) }) {
			t.Errorf("%d: no note says %q: %q", i, want, reading.Notes)
		}
	}
}

func TestAnnotationKeysAreAllUnderstood(t *testing.T) {
	for key := range strings.SplitSeq(annotationKeys, ", ") {
		said := Annotation{}
		if err := said.Say(key, []byte(`{"an":"object"}`)); err != nil && strings.Contains(err.Error(), "no such key") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestAnnotationsThatAreCopiedStayApart(t *testing.T) {
	var whole Annotation
	if _, err := whole.Add([]byte(`{"answer":{"id_names":{"a":"x"}},"time":["t"],"describe":{"f":"said"}}`)); err != nil {
		t.Fatal(err)
	}
	one := whole
	if _, err := one.Add([]byte(`{"answer":{"id_names":{"b":"y"}},"time":["u"],"describe":{"g":"more"}}`)); err != nil {
		t.Fatal(err)
	}
	if len(whole.Answer.IDNames) != 1 || len(whole.Time) != 1 || len(whole.Describe) != 1 {
		t.Errorf("a copy wrote into what it was copied from: %+v", whole)
	}
	if len(one.Answer.IDNames) != 2 || len(one.Time) != 2 || len(one.Describe) != 2 {
		t.Errorf("the copy has both: %+v", one)
	}
}
