package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/source/openapi/schemas"
)

// Bounds of what is said about the branches of a union.
const (
	maxVariants    = 12
	maxVariantText = 900
)

// tellVariants says in the operation's description which fields go together.
func (c *compiler) tellVariants(f *schemas.Shape, args map[string]string) {
	spell := func(names []string) (told []string) {
		for _, name := range names {
			if arg := args[name]; arg != "" {
				told = append(told, arg)
			}
		}
		return told
	}
	for _, names := range f.Combos {
		if told := spell(names); len(told) == len(names) {
			c.combos = append(c.combos, told)
		} else if f.Rest.Node != nil || f.Describes(names) {
			c.combos = nil // it may be met in a way that cannot be told: by a further field, or one that only answers have
			break
		}
	}
	if len(c.combos) == 1 {
		c.args.require(c.combos[0])
		c.combos = nil
	}
	if len(f.Variants) < 2 {
		return
	}
	var lines []string
	for i, v := range f.Variants {
		if i == maxVariants {
			lines = append(lines, fmt.Sprintf("… and %d more", len(f.Variants)-i))
			break
		}
		lines = append(lines, tellVariant(v, spell, i))
	}
	text := "Takes the fields of one of these (* required): " + strings.Join(lines, "; ") + "."
	if len(text) > maxVariantText {
		text = strings.ToValidUTF8(text[:maxVariantText], "") + "…"
	}
	c.variants = text
}

func tellVariant(v schemas.Variant, spell func([]string) []string, i int) string {
	var fields []string
	for _, name := range v.Fields {
		for _, arg := range spell([]string{name}) {
			if slices.Contains(v.Required, name) {
				arg += "*"
			}
			fields = append(fields, arg)
		}
	}
	label := v.Label
	if label == "" {
		label = fmt.Sprintf("form %d", i+1)
	}
	return label + " (" + strings.Join(fields, ", ") + ")"
}
