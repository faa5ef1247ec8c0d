package app

import (
	"context"
	"strings"
	"testing"
)

// TestLastAnswers holds that the last answers are told where there is something that knows them, and
// of one source where one is asked for.
func TestLastAnswers(t *testing.T) {
	told := func(_ context.Context, most int) ([]answerWeight, error) {
		return []answerWeight{{"harbor.incident.list", "2026-01-15T09:30:00Z", 3900, 12000}, {"lab.thing.get", "2026-01-15T09:29:00Z", 40, 0}}, nil
	}
	for source, want := range map[string]int{"": 2, "lab": 1, "other": 0} {
		w := &weights{}
		if err := w.last(t.Context(), told, source); err != nil || len(w.Answers) != want || strings.Count(w.prose(), "answer ≈") != want {
			t.Errorf("of %q: %+v %v", source, w.Answers, err)
		}
	}
	w := &weights{}
	if err := w.last(t.Context(), nil, ""); err != nil || w.Answers != nil {
		t.Errorf("without a journal: %+v %v", w.Answers, err)
	}
}
