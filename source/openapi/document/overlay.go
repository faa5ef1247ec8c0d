package document

import (
	"fmt"
	"slices"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/jsonpath"
)

// Overlay applies Overlay 1.0 documents to a description, in order. The notes name actions whose
// target is not there: the description has moved on, or the target is misspelled.
func (l *Library) Overlay(d *File, files []string) (notes []string, err error) {
	for _, file := range files {
		o, err := l.Open(file)
		if err != nil {
			return nil, err
		}
		if o.Root.Get("overlay") == nil || !o.Root.Get("actions").Is(rawjson.KindArray) {
			return nil, overlayFault(o.Shown, "it is no Overlay document: it needs overlay: 1.0.0 and a list of actions")
		}
		for action := range o.Root.Get("actions").Elements() {
			note, err := apply(d.Root, action)
			if err != nil {
				return nil, overlayFault(o.At(action), err.Error())
			}
			if note != "" {
				notes = append(notes, o.At(action)+": "+note)
			}
		}
	}
	return notes, nil
}

func overlayFault(at, reason string) error {
	return &twodoor.Error{Code: twodoor.CodeInvalid, Message: at + ": " + reason, Hint: "see the OpenAPI Overlay Specification 1.0, \"Action Object\""}
}

// apply carries out one action (Overlay 1.0 "Action Object"; copy is of 1.1).
func apply(root, action *rawjson.Node) (note string, err error) {
	query, err := jsonpath.Compile(action.Get("target").Str())
	if err != nil {
		return "", err
	}
	spots := query.Find(root)
	if len(spots) == 0 {
		return fmt.Sprintf("the overlay's target %s is not in the description", action.Get("target").Str()), nil
	}
	if action.Get("remove").Bool() {
		remove(spots)
		return "", nil
	}
	update := action.Get("update")
	if from := action.Get("copy"); from != nil && update == nil {
		if update, err = copied(root, from.Str()); err != nil {
			return "", err
		}
	}
	if update == nil {
		return "", fmt.Errorf("the action on %s has neither update, copy nor remove: true", action.Get("target").Str())
	}
	for _, at := range spots {
		if err := amend(at, update); err != nil {
			return "", err
		}
	}
	return "", nil
}

func copied(root *rawjson.Node, from string) (*rawjson.Node, error) {
	query, err := jsonpath.Compile(from)
	if err != nil {
		return nil, err
	}
	spots := query.Find(root)
	if len(spots) != 1 {
		return nil, fmt.Errorf("copy from %s selects %d nodes, it takes exactly one", from, len(spots))
	}
	return spots[0].Node, nil
}

// remove takes nodes out of their parents; those of one parent from the last to the first.
func remove(spots []jsonpath.Spot) {
	for _, at := range slices.Backward(spots) {
		if at.Parent == nil {
			continue
		}
		index := slices.Index(at.Parent.Items, at.Node)
		switch {
		case index < 0:
		case at.Parent.Is(rawjson.KindObject):
			at.Parent.Remove(at.Parent.Keys[index])
		default:
			at.Parent.Items = slices.Concat(at.Parent.Items[:index], at.Parent.Items[index+1:])
		}
	}
}

// amend merges an update into an object, or appends it to an array.
func amend(at jsonpath.Spot, update *rawjson.Node) error {
	switch {
	case at.Node.Is(rawjson.KindArray):
		at.Node.Items = append(slices.Clip(at.Node.Items), update.Clone())
	case at.Node.Is(rawjson.KindObject) && update.Is(rawjson.KindObject):
		mergeInto(at.Node, update)
	case at.Parent != nil && !at.Node.Is(rawjson.KindObject) && !update.Is(rawjson.KindObject):
		at.Parent.Items[at.At] = update.Clone()
	default:
		return fmt.Errorf("the target is of kind %s, the update of kind %s: they do not merge", at.Node.Kind, update.Kind)
	}
	return nil
}

// mergeInto merges objects member by member; arrays are joined, other values replaced.
func mergeInto(target, update *rawjson.Node) {
	for key, value := range update.Members() {
		old := target.Get(key)
		switch {
		case old.Is(rawjson.KindObject) && value.Is(rawjson.KindObject):
			mergeInto(old, value)
		case old.Is(rawjson.KindArray) && value.Is(rawjson.KindArray):
			old.Items = slices.Concat(old.Items, value.Clone().Items)
		default:
			target.Put(key, value.Clone())
		}
	}
}
