package schema

import (
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// kinds is a set of the types of JSON Schema; zero is any.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBoolean
	kindInteger
	kindNumber // includes the integers
	kindString
	kindArray
	kindObject
)

var kindNames = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

func kindNamed(name string) kinds {
	for i, known := range kindNames {
		if name == known {
			return 1 << i
		}
	}
	return 0
}

// kindOf returns the narrowest kind of a value.
func kindOf(value []byte) kinds {
	switch rawjson.KindOf(value) {
	case rawjson.KindNull:
		return kindNull
	case rawjson.KindBool:
		return kindBoolean
	case rawjson.KindNumber:
		if rawjson.IsInteger(value) {
			return kindInteger
		}
		return kindNumber
	case rawjson.KindString:
		return kindString
	case rawjson.KindArray:
		return kindArray
	case rawjson.KindObject:
		return kindObject
	}
	return 0
}

// has tells whether a value of kind k is of one of these kinds.
func (ks kinds) has(k kinds) bool {
	return ks == 0 || ks&k != 0 || k == kindInteger && ks&kindNumber != 0
}

// and returns the kinds that are in both sets; zero stays any.
func (ks kinds) and(other kinds) kinds {
	if ks == 0 {
		return other
	}
	if other == 0 {
		return ks
	}
	return ks.widen() & other.widen()
}

func (ks kinds) widen() kinds {
	if ks&kindNumber != 0 {
		return ks | kindInteger
	}
	return ks
}

// names tells the kinds in words: "a string or null".
func (ks kinds) names() string {
	if ks&kindNumber != 0 {
		ks &^= kindInteger
	}
	var words []string
	for i, name := range kindNames {
		if ks&(1<<i) != 0 {
			words = append(words, article(name))
		}
	}
	switch len(words) {
	case 0:
		return "any value"
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func article(name string) string {
	switch name {
	case "null":
		return name
	case "integer", "array", "object":
		return "an " + name
	}
	return "a " + name
}
