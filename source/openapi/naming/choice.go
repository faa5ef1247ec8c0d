package naming

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// trial is how one rule would name a description.
type trial struct {
	rule                               string
	groups, largest, collisions, empty int
	largestName                        string
	of                                 int
}

// chooseRule makes the choice of auto, unless rule or an earlier run made it.
func (s *surface) chooseRule(rule string, kept *Choice) Choice {
	used := Choice{Rule: rule, Dropped: slices.Clone(s.dropped), Report: rule + ": asked for"}
	switch {
	case rule != Path && rule != OperationID && kept != nil && kept.Rule != "":
		used.Rule, used.Report = kept.Rule, kept.Report
	case rule != Path && rule != OperationID:
		used.Rule, used.Report = s.pickRule()
	}
	if s.json {
		used.Dropped = append(used.Dropped, ".json")
	}
	if used.Rule == Path {
		used.Split = slices.Clone(s.split)
	}
	return used
}

func (s *surface) pickRule() (rule, report string) {
	order, why := s.ruleOrder()
	var tried []trial
	for _, rule := range order {
		t := s.try(rule)
		tried = append(tried, t)
		if t.collisions == 0 && t.empty == 0 && t.groups <= maxGroups {
			return rule, reportOf(t, tried, why+"; the first without collision, with no empty verb and at most 80 groups")
		}
	}
	best := slices.MinFunc(tried, func(a, b trial) int {
		return cmp.Or(cmp.Compare(a.collisions+a.empty, b.collisions+b.empty), cmp.Compare(a.largest, b.largest))
	})
	return best.rule, reportOf(best, tried, why+"; none is free of collisions within 80 groups, so the one with fewest, then with the smaller largest group")
}

// maxGroups is how many groups a person still looks through.
const maxGroups = 80

func (s *surface) ruleOrder() (order []string, why string) {
	ids, cut := 0, 0
	for _, r := range s.routes {
		if r.ID == "" {
			continue
		}
		ids++
		if strings.ContainsAny(r.ID, "/.") {
			cut++
		}
	}
	switch {
	case ids == 0:
		return []string{Path}, "no operation has an id"
	case NineOfTen(cut, ids):
		return []string{OperationID, Path}, fmt.Sprintf("operation-id first, %d of %d ids hold a / or .", cut, ids)
	}
	return []string{Path, OperationID}, fmt.Sprintf("path first, %d of %d ids hold a / or .", cut, ids)
}

func (s *surface) try(rule string) trial {
	book := newNameBook(s.candidates(rule))
	t := trial{rule: rule, of: len(book.list)}
	count := map[string]int{}
	for _, c := range book.list {
		if count[c.group]++; count[c.group] > t.largest {
			t.largest, t.largestName = count[c.group], c.group
		}
		if c.emptyID {
			t.empty++
		}
	}
	t.groups = len(count)
	book.settle(ladder(rule))
	for _, set := range clashes(book.list) {
		t.collisions += len(set)
	}
	return t
}

func reportOf(chosen trial, tried []trial, why string) string {
	text := chosen.String() + " (" + why
	for _, t := range tried {
		if t.rule != chosen.rule {
			text += "; not " + t.String()
		}
	}
	return text + ")"
}

// counted is a number of things: "1 group", "2 groups".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (t trial) String() string {
	text := fmt.Sprintf("%s: %s, %s", t.rule, counted(t.of, "operation"), counted(t.groups, "group"))
	if t.of > 0 {
		text += fmt.Sprintf(", the largest %s with %d %%", t.largestName, (t.largest*100+t.of/2)/t.of)
	}
	return text + fmt.Sprintf(", %d collide, %d empty", t.collisions, t.empty)
}
