package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// scalars compares types, values and bounds.
func (c *comparison) scalars(a, b *node) (list []difference) {
	add := func(w what, format string, args ...any) {
		list = append(list, difference{what: w, text: fmt.Sprintf(format, args...)})
	}
	switch lost, won := without(a.takes(), b.takes()), without(b.takes(), a.takes()); {
	case len(a.types) == 0 && len(b.types) > 0 && len(a.branches) == 0 && len(a.fields) == 0 && a.enum == nil:
		add(narrowed, "%s, and anything before", strings.Join(b.types, " or "))
	case len(b.types) == 0 && len(a.types) > 0 && len(b.branches) == 0 && len(b.fields) == 0 && b.enum == nil:
		add(widened, "anything, and %s before", strings.Join(a.types, " or "))
	case len(a.types) == 0 || len(b.types) == 0:
	case len(lost) > 0 && len(won) > 0:
		add(altered, "%s, and %s before", strings.Join(b.types, " or "), strings.Join(a.types, " or "))
	case len(lost) > 0:
		add(narrowed, "no %s", strings.Join(lost, ", "))
	case len(won) > 0:
		add(widened, "also %s", strings.Join(won, ", "))
	}
	switch {
	case a.null && !b.null:
		add(narrowed, "no null")
	case b.null && !a.null && (len(a.types) > 0 || len(a.branches) > 0):
		add(widened, "also null")
	}
	switch {
	case a.enum != nil && b.enum != nil:
		if lost := without(a.enum, b.enum); len(lost) > 0 {
			add(narrowed, "no %s", strings.Join(lost, ", "))
		}
		if won := without(b.enum, a.enum); len(won) > 0 {
			add(widened, "also %s", strings.Join(won, ", "))
		}
	case b.enum != nil && len(a.branches) == 0:
		add(narrowed, "only %s", strings.Join(b.enum[:min(len(b.enum), 8)], ", "))
	case a.enum != nil && len(b.branches) == 0:
		add(widened, "any value, and only %s before", strings.Join(a.enum[:min(len(a.enum), 8)], ", "))
	}
	return append(list, boundsBetween(a, b)...)
}

// takes are the types, an integer counting as a number too.
func (n *node) takes() []string {
	if slices.Contains(n.types, "number") && !slices.Contains(n.types, "integer") {
		return append(slices.Clone(n.types), "integer")
	}
	return n.types
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// boundsBetween compares the limits of two nodes.
func boundsBetween(a, b *node) (list []difference) {
	for _, name := range []string{"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "pattern"} {
		old, was := a.bounds[name]
		now, is := b.bounds[name]
		if old == now {
			continue
		}
		w := narrowed
		switch {
		case !is:
			w = widened
		case !was, name == "pattern":
		case rawjson.KindOf([]byte(old)) == rawjson.KindNumber && rawjson.KindOf([]byte(now)) == rawjson.KindNumber:
			order := rawjson.CompareNumbers([]byte(now), []byte(old))
			if strings.Contains(strings.ToLower(name), "max") == (order > 0) {
				w = widened
			}
			if order == 0 {
				continue
			}
		}
		text := fmt.Sprintf("%s %s, and %s before", name, orNone(now), orNone(old))
		list = append(list, difference{what: w, text: text})
	}
	return list
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
