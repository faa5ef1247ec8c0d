package rawyaml

import (
	"fmt"
	"slices"

	"github.com/twodoor/twodoor/internal/rawjson"
	"go.yaml.in/yaml/v4"
)

// builder turns the library's nodes into ours.
type builder struct {
	max   Limits
	names map[string]string   // each key once
	open  map[*yaml.Node]bool // aliases being expanded
	added struct{ nodes, bytes int }

	nodeSlab []rawjson.Node
	textSlab []byte
}

func (b *builder) node(y *yaml.Node, depth int) (*rawjson.Node, error) {
	if err := b.account(y); err != nil {
		return nil, err
	}
	switch y.Kind {
	case yaml.MappingNode:
		return b.mapping(y, depth+1)
	case yaml.SequenceNode:
		return b.sequence(y, depth+1)
	case yaml.AliasNode:
		return b.alias(y, func(target *yaml.Node) (*rawjson.Node, error) { return b.node(target, depth) })
	case yaml.ScalarNode:
		return b.scalar(y)
	}
	return nil, at(y, "neither a value, a list nor a mapping")
}

func at(y *yaml.Node, format string, args ...any) error {
	return fault(y.Line, y.Column, fmt.Sprintf(format, args...))
}

// account counts what aliases add and stops a document that grows too far.
func (b *builder) account(y *yaml.Node) error {
	if len(b.open) == 0 {
		return nil
	}
	b.added.nodes++
	b.added.bytes += len(y.Value)
	if b.added.nodes > b.max.AliasNodes {
		return at(y, "aliases expand to more than %d values; write the document without so many", b.max.AliasNodes)
	}
	if b.added.bytes > b.max.AliasBytes {
		return at(y, "aliases expand to more than %d bytes; write the document without so many", b.max.AliasBytes)
	}
	return nil
}

func (b *builder) alias(y *yaml.Node, expand func(target *yaml.Node) (*rawjson.Node, error)) (*rawjson.Node, error) {
	if b.open[y.Alias] {
		return nil, at(y, "alias *%s stands inside what it names", y.Value)
	}
	b.open[y.Alias] = true
	defer delete(b.open, y.Alias)
	return expand(y.Alias)
}

func (b *builder) sequence(y *yaml.Node, depth int) (*rawjson.Node, error) {
	if err := b.deep(y, depth); err != nil {
		return nil, err
	}
	n := b.newNode(y, rawjson.KindArray)
	n.Items = make([]*rawjson.Node, 0, len(y.Content))
	for _, child := range y.Content {
		item, err := b.node(child, depth)
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, item)
	}
	return n, nil
}

func (b *builder) deep(y *yaml.Node, depth int) error {
	if depth > rawjson.MaxDepth {
		return at(y, "nested deeper than %d", rawjson.MaxDepth)
	}
	return nil
}

// mapping builds an object. The keys that stand in the mapping itself are known
// before any merge key is expanded, since they win.
func (b *builder) mapping(y *yaml.Node, depth int) (*rawjson.Node, error) {
	if err := b.deep(y, depth); err != nil {
		return nil, err
	}
	n := b.newNode(y, rawjson.KindObject)
	own, err := b.ownKeys(y)
	if err != nil {
		return nil, err
	}
	n.Keys = make([]string, 0, len(own))
	n.Items = make([]*rawjson.Node, 0, len(own))
	next, taken := 0, map[string]bool(nil)
	for i := 0; i < len(y.Content); i += 2 {
		if isMerge(y.Content[i]) {
			if taken == nil {
				taken = setOf(own)
			}
			if err := b.merge(n, taken, y.Content[i+1], depth); err != nil {
				return nil, err
			}
			continue
		}
		item, err := b.node(y.Content[i+1], depth)
		if err != nil {
			return nil, err
		}
		n.Keys = append(n.Keys, own[next])
		n.Items = append(n.Items, item)
		next++
	}
	return n, nil
}

// ownKeys returns the keys in order, merge keys aside, and refuses a repeated one.
func (b *builder) ownKeys(y *yaml.Node) ([]string, error) {
	keys := make([]string, 0, len(y.Content)/2)
	for i := 0; i < len(y.Content); i += 2 {
		if isMerge(y.Content[i]) {
			continue
		}
		key, err := b.key(y.Content[i])
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	if key, twice := repeated(keys); twice {
		return nil, repeatedFault(y, key)
	}
	return keys, nil
}

func (b *builder) key(y *yaml.Node) (string, error) {
	if y.Kind == yaml.AliasNode {
		y = y.Alias
	}
	if y.Kind != yaml.ScalarNode {
		return "", at(y, "a list or mapping as a key; a key must be plain text")
	}
	if len(b.open) > 0 {
		b.added.bytes += len(y.Value)
	}
	if name, found := b.names[y.Value]; found {
		return name, nil
	}
	b.names[y.Value] = y.Value
	return y.Value, nil
}

// repeated finds a key that occurs twice. Most mappings are short, and there a
// set would cost more than it saves.
func repeated(keys []string) (string, bool) {
	if len(keys) <= 8 {
		for i, key := range keys {
			if slices.Contains(keys[:i], key) {
				return key, true
			}
		}
		return "", false
	}
	seen := make(map[string]struct{}, len(keys))
	for _, key := range keys {
		if _, twice := seen[key]; twice {
			return key, true
		}
		seen[key] = struct{}{}
	}
	return "", false
}

func repeatedFault(y *yaml.Node, key string) error {
	var first *yaml.Node
	for i := 0; i < len(y.Content); i += 2 {
		k := y.Content[i]
		if k.Value != key && (k.Alias == nil || k.Alias.Value != key) {
			continue
		}
		if first != nil {
			return at(k, "key %q again; it stands on line %d already", key, first.Line)
		}
		first = k
	}
	return at(y, "key %q twice", key)
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && !quoted(key) &&
		(key.Style&yaml.TaggedStyle == 0 || key.ShortTag() == "!!merge")
}

func setOf(keys []string) map[string]bool {
	set := make(map[string]bool, len(keys))
	for _, key := range keys {
		set[key] = true
	}
	return set
}

// merge adds the members of a mapping, or of several, whose keys are not taken.
func (b *builder) merge(n *rawjson.Node, taken map[string]bool, y *yaml.Node, depth int) error {
	switch y.Kind {
	case yaml.AliasNode:
		_, err := b.alias(y, func(target *yaml.Node) (*rawjson.Node, error) {
			return nil, b.merge(n, taken, target, depth)
		})
		return err
	case yaml.SequenceNode:
		for _, part := range y.Content {
			if part.Kind == yaml.SequenceNode {
				return at(part, "a list inside the list of a merge key (<<)")
			}
			if err := b.merge(n, taken, part, depth); err != nil {
				return err
			}
		}
		return nil
	case yaml.MappingNode:
		from, err := b.mapping(y, depth)
		if err != nil {
			return err
		}
		for key, item := range from.Members() {
			if !taken[key] {
				taken[key] = true
				n.Keys = append(n.Keys, key)
				n.Items = append(n.Items, item)
			}
		}
		return nil
	}
	return at(y, "a merge key (<<) takes a mapping or a list of mappings")
}

func (b *builder) newNode(y *yaml.Node, kind rawjson.Kind) *rawjson.Node {
	const slab = 256
	if len(b.nodeSlab) == cap(b.nodeSlab) {
		b.nodeSlab = make([]rawjson.Node, 0, min(max(2*cap(b.nodeSlab), 16), slab))
	}
	b.nodeSlab = b.nodeSlab[:len(b.nodeSlab)+1]
	n := &b.nodeSlab[len(b.nodeSlab)-1]
	n.Kind, n.Line = kind, int32(y.Line)
	return n
}
