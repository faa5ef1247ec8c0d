package schemas

import (
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/document"
)

// direction says which way a value goes: fields that are read only do not go in, fields that are
// written only do not come out.
type direction uint8

const (
	Inward direction = iota
	Outward
)

// differs reports whether a schema, or one that it reaches, is not the same in both directions.
func (s *Set) differs(target document.Place) bool {
	if differs, known := s.marks[target.Node]; known {
		return differs
	}
	reached := map[*rawjson.Node]bool{target.Node: true}
	queue := []document.Place{target}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		marked := s.marks[p.Node]
		if !marked {
			s.scan(p, func(ref document.Place) {
				if !reached[ref.Node] {
					reached[ref.Node] = true
					queue = append(queue, ref)
				}
			}, func() { marked = true })
		}
		if marked {
			s.marks[target.Node] = true
			return true
		}
	}
	for node := range reached {
		s.marks[node] = false
	}
	return false
}

// scan walks a schema as it stands: the schemas that it refers to, and whether it marks itself.
func (s *Set) scan(p document.Place, refers func(document.Place), marks func()) {
	n := p.Node
	if n.Is(rawjson.KindArray) {
		for item := range n.Elements() {
			s.scan(p.In(item), refers, marks)
		}
		return
	}
	for key, item := range n.Members() {
		switch key {
		case "readOnly", "writeOnly":
			if item.Bool() {
				marks()
			}
		case "x-twodoor":
			marks()
		case "$ref":
			if target, err := s.Resolve(p); err == nil {
				refers(target)
			}
		case "example", "examples", "default", "enum", "const":
		case "mapping":
			for _, to := range item.Members() {
				if target, err := s.mapped(p, to.Str()); err == nil {
					refers(target)
				}
			}
		case "properties":
			for name := range item.Members() {
				if !legalKey(name) {
					marks()
				}
			}
			s.scan(p.In(item), refers, marks)
		default:
			s.scan(p.In(item), refers, marks)
		}
	}
}

// Withheld reports whether a property does not go this way, or is hidden by an annotation.
func (s *Set) Withheld(prop document.Place, way direction) bool {
	keyword := "readOnly"
	if way == Outward {
		keyword = "writeOnly"
	}
	says := func(n *rawjson.Node) bool {
		return n.Get(keyword).Bool() || way == Inward && n.Get("x-twodoor").Get("hide").Bool()
	}
	if says(prop.Node) {
		return true
	}
	target := s.Merged(prop)
	if _, is := document.Ref(target.Node); is {
		if says(target.Node) {
			return true
		}
		var err error
		if target, err = s.Resolve(target); err != nil {
			return false
		}
	}
	return says(target.Node)
}
