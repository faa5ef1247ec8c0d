package rawjson

import (
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Node is one value of a document. Its methods may be called on nil, which
// stands for an absent value, so chains of [Node.Get] need no checks. Nodes may
// be read by several goroutines; a Node must not be copied.
type Node struct {
	Kind Kind
	// Line is where the value begins, from 1.
	Line int32
	// Text is the raw JSON of a scalar. For an array or object read from JSON
	// it is the source text, which edits of the tree do not reach.
	Text []byte
	// Keys are an object's keys in order; change them through Put and Remove.
	Keys []string
	// Items are an object's values, each at the place of its key, or an
	// array's elements.
	Items []*Node

	index atomic.Pointer[keyIndex]
}

// keyIndex finds the members of a big object. It is built on first use.
type keyIndex struct {
	size int
	at   map[string]int
}

// indexFrom is the number of members from which an index pays.
const indexFrom = 24

// Get returns a member of an object, or nil.
func (n *Node) Get(key string) *Node {
	if at := n.find(key); at >= 0 {
		return n.Items[at]
	}
	return nil
}

// Path follows member names and returns the node at the end, or nil.
func (n *Node) Path(keys ...string) *Node {
	for _, key := range keys {
		n = n.Get(key)
	}
	return n
}

func (n *Node) find(key string) int {
	if n == nil || n.Kind != KindObject {
		return -1
	}
	if len(n.Keys) >= indexFrom {
		if at, found := n.lookup()[key]; found {
			return at
		}
		return -1
	}
	for at := len(n.Keys) - 1; at >= 0; at-- {
		if n.Keys[at] == key {
			return at
		}
	}
	return -1
}

func (n *Node) lookup() map[string]int {
	if index := n.index.Load(); index != nil && index.size == len(n.Keys) {
		return index.at
	}
	index := &keyIndex{size: len(n.Keys), at: make(map[string]int, len(n.Keys))}
	for at, key := range n.Keys {
		index.at[key] = at
	}
	n.index.Store(index)
	return index.at
}

// Is tells whether the node is a value of this kind.
func (n *Node) Is(kind Kind) bool { return n != nil && n.Kind == kind }

// Str decodes a string; anything else is "".
func (n *Node) Str() string {
	if !n.Is(KindString) {
		return ""
	}
	text, _ := String(n.Text)
	return text
}

// Bool tells whether the node is true.
func (n *Node) Bool() bool { return n.Is(KindBool) && n.Text[0] == 't' }

// Int decodes an integer that fits; false for anything else.
func (n *Node) Int() (int64, bool) {
	if !n.Is(KindNumber) {
		return 0, false
	}
	v, err := strconv.ParseInt(string(n.Text), 10, 64)
	return v, err == nil
}

// Strings decodes the strings of an array; other elements are left out.
func (n *Node) Strings() []string {
	var texts []string
	for item := range n.Elements() {
		if item.Kind == KindString {
			texts = append(texts, item.Str())
		}
	}
	return texts
}

// Len counts the members or elements.
func (n *Node) Len() int {
	if n == nil {
		return 0
	}
	return len(n.Items)
}

// Members yields an object's members in order.
func (n *Node) Members() iter.Seq2[string, *Node] {
	return func(yield func(string, *Node) bool) {
		if !n.Is(KindObject) {
			return
		}
		for i, key := range n.Keys {
			if !yield(key, n.Items[i]) {
				return
			}
		}
	}
}

// Elements yields an array's elements in order.
func (n *Node) Elements() iter.Seq[*Node] {
	if !n.Is(KindArray) {
		return func(func(*Node) bool) {}
	}
	return slices.Values(n.Items)
}

// JSON writes the node without white space: numbers with their digits, members
// in order. An absent node writes null.
func (n *Node) JSON() []byte { return n.AppendJSON(nil) }

// AppendJSON appends what [Node.JSON] returns.
func (n *Node) AppendJSON(dst []byte) []byte {
	switch {
	case n == nil || n.Kind == KindInvalid:
		return append(dst, "null"...)
	case n.Kind == KindObject:
		dst = append(dst, '{')
		for i, key := range n.Keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, key)
			dst = append(dst, ':')
			dst = n.Items[i].AppendJSON(dst)
		}
		return append(dst, '}')
	case n.Kind == KindArray:
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.AppendJSON(dst)
		}
		return append(dst, ']')
	}
	return append(dst, n.Text...)
}

// Put sets a member of an object: in its old place, or at the end.
func (n *Node) Put(key string, value *Node) {
	if at := n.find(key); at >= 0 {
		n.Items[at] = value
		return
	}
	// The slices may share an array with those of a neighbour.
	n.Keys = append(slices.Clip(n.Keys), key)
	n.Items = append(slices.Clip(n.Items), value)
}

// Remove takes the members named key out of an object.
func (n *Node) Remove(key string) {
	for at := n.find(key); at >= 0; at = n.find(key) {
		n.Keys = slices.Concat(n.Keys[:at], n.Keys[at+1:])
		n.Items = slices.Concat(n.Items[:at], n.Items[at+1:])
		n.index.Store(nil)
	}
}

// Clone returns a deep copy, which can be edited apart from n. The texts of
// scalars are shared.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	c := &Node{Kind: n.Kind, Line: n.Line, Text: n.Text, Keys: slices.Clone(n.Keys)}
	if n.Items != nil {
		c.Items = make([]*Node, len(n.Items))
	}
	for i, item := range n.Items {
		c.Items[i] = item.Clone()
	}
	return c
}

// StringNode returns a new string.
func StringNode(s string) *Node { return &Node{Kind: KindString, Text: Quote(s)} }

// At follows a JSON pointer (RFC 6901), with or without the # of a fragment: ""
// is the node itself, ~0 reads ~, ~1 reads /. A step that is not found as it
// stands is tried percent-decoded, as in a fragment.
func (n *Node) At(pointer string) (*Node, error) {
	rest := strings.TrimPrefix(pointer, "#")
	if rest == "" {
		return n, nil
	}
	if rest[0] != '/' {
		return nil, fmt.Errorf("pointer %q does not begin with /", pointer)
	}
	at := n
	for step := range strings.SplitSeq(rest[1:], "/") {
		next := at.step(step)
		if next == nil {
			return nil, fmt.Errorf("pointer %q leads nowhere: no %q there", pointer, step)
		}
		at = next
	}
	return at, nil
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

func (n *Node) step(step string) *Node {
	if next := n.child(unescapePointer.Replace(step)); next != nil {
		return next
	}
	if plain, err := url.PathUnescape(step); err == nil && plain != step {
		return n.child(unescapePointer.Replace(plain))
	}
	return nil
}

func (n *Node) child(name string) *Node {
	if !n.Is(KindArray) {
		return n.Get(name)
	}
	at, err := strconv.ParseUint(name, 10, 31)
	if err != nil || int(at) >= len(n.Items) {
		return nil
	}
	return n.Items[at]
}
