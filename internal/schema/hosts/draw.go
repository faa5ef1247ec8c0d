package hosts

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// leastBudget is what an object takes that names nothing.
const leastBudget = 40

// Slim is [Rewrite] for a list of tools: each description is its first sentence,
// and the whole weighs at most budget, in tokens as [rawjson.Weigh] estimates
// them (at least 40; none or a negative one is no bound). Over it, the schema is
// drawn again from the top: what is required first, names before values, values
// before texts, and level by level as long as there is room. A part that stays
// closed is named, as "Part steps[].match"; properties that find no room are told
// in the description. Whatever fits the result of Rewrite fits this too.
func Slim(raw []byte, budget int) []byte {
	text, root := rewrite(raw, true)
	if budget <= 0 || root == nil || rawjson.Weigh(text) <= max(budget, leastBudget) {
		return text
	}
	d := drawer{root: root, left: max(budget, leastBudget)}
	return d.draw().JSON()
}

// Level is the weight to which the heaviest of some tools must come down for all
// together to weigh at most total; it is never below least.
func Level(weights []int, total, least int) int {
	sorted := slices.Sorted(slices.Values(weights))
	for i, weight := range sorted {
		share := total / (len(sorted) - i)
		if weight > share {
			return max(share, least)
		}
		total -= weight
	}
	return max(total, least)
}

// drawer draws a schema within a weight.
type drawer struct {
	root  *rawjson.Node
	left  int
	steps [][]step // by rank
}

// step adds something to a sketch, at a cost.
type step struct {
	kind int
	at   *sketch
}

// The kinds of steps.
const (
	name   = iota
	point  // tell where its parts are
	detail // its values and bounds
	text
	open // its parts
	kinds
)

// ranks is the number of ranks at one level. Within it, what is required and its
// values come before other names, and those before texts; the texts of what is
// optional wait for the next level's values.
const ranks = 6

var (
	rankOfRequired = [kinds]int{name: 0, point: 1, detail: 1, text: 4, open: 5}
	rankOfOptional = [kinds]int{name: 2, point: 3, detail: 3, text: 3 + ranks, open: 5}
)

const (
	maxLevels  = 8
	maxWrapped = 30 // references, lists and maps followed at one place
)

// sketch is a part of the schema and how much of it is drawn.
type sketch struct {
	name, path string
	required   bool
	level      int
	view       view
	parts      []*sketch

	shown, pointed, detailed, texted, opened bool
}

func (d *drawer) draw() *rawjson.Node {
	top := &sketch{view: view{outer: d.root, inner: d.root, fields: d.fieldsOf(d.root, 0)}, level: -1, shown: true, opened: true}
	top.parts = d.partsOf(top)
	if top.view.text = d.root.Get("description").Str(); len(top.view.text) > maxTopText {
		top.view.text = strings.ToValidUTF8(top.view.text[:maxTopText], "") + "…"
	}
	d.left -= rawjson.Weigh([]byte(anyObject + `,"required":[]`))
	reserve := d.reserve(top.parts)
	d.left -= reserve
	d.steps = append(d.steps, nil, nil, nil, []step{{text, top}}) // after the names
	d.push(top.parts)
	d.run()
	d.left += reserve
	return d.finish(top)
}

// reserve is the room for telling what finds none.
func (d *drawer) reserve(parts []*sketch) int {
	sum := 0
	for _, part := range parts {
		sum += d.costOfName(part)
	}
	if sum <= d.left {
		return 0
	}
	return min(60, d.left/3)
}

// push plans the steps of the parts of one schema.
func (d *drawer) push(parts []*sketch) {
	for _, part := range parts {
		rankOf := rankOfOptional
		if part.required || part.view.outer.Get("x-mcp-header") != nil {
			rankOf = rankOfRequired
		}
		if part.view.inner.Get("enum") == nil {
			rankOf[detail] = rankOfOptional[detail]
		}
		for kind := range kinds {
			d.plan(part.level*ranks+rankOf[kind], kind, part)
		}
	}
}

func (d *drawer) plan(rank, kind int, part *sketch) {
	for len(d.steps) <= rank {
		d.steps = append(d.steps, nil)
	}
	d.steps[rank] = append(d.steps[rank], step{kind, part})
}

func (d *drawer) run() {
	for rank := 0; rank < len(d.steps); rank++ {
		for i := 0; i < len(d.steps[rank]); i++ {
			d.take(d.steps[rank][i])
		}
	}
}

func (d *drawer) take(s step) {
	part := s.at
	if s.kind == name {
		part.shown = part.shown || d.spend(d.costOfName(part))
	}
	if !part.shown {
		return
	}
	switch s.kind {
	case point:
		if part.view.isDeep() && !part.pointed {
			part.pointed = d.spend(weighText(d.pointer(part)))
		}
	case detail:
		if !part.view.isDeep() {
			part.detailed = d.spend(rawjson.Weigh(d.detailed(&part.view).JSON()) - rawjson.Weigh(part.view.bare().JSON()))
		}
	case text:
		if part.view.text != "" {
			part.texted = d.spend(weighText(part.view.text))
		}
	case open:
		if part.view.isDeep() && part.level < maxLevels {
			d.open(part)
		}
	}
}

func (d *drawer) spend(cost int) bool {
	if cost > d.left {
		return false
	}
	d.left -= cost
	return true
}

// open shows the parts of a part, all or none.
func (d *drawer) open(part *sketch) {
	parts := d.partsOf(part)
	cost := rawjson.Weigh([]byte(`"properties":{},"required":[],"anyOf":[],`))
	if part.pointed {
		cost -= weighText(d.pointer(part))
	}
	for _, inner := range parts {
		cost += d.costOfName(inner)
	}
	if !d.spend(cost) {
		return
	}
	part.opened, part.parts = true, parts
	for _, inner := range parts {
		inner.shown, inner.pointed = true, inner.isForm()
	}
	d.push(parts)
}

// costOfName is the weight of a part that is only named, its place in required included.
func (d *drawer) costOfName(part *sketch) int {
	text := part.view.bare().JSON()
	quoted := rawjson.Quote(part.name)
	cost := rawjson.Weigh(text) + rawjson.Weigh(quoted) + 1
	if part.required {
		cost += rawjson.Weigh(quoted) + 1
	}
	if part.isForm() {
		cost += weighText(d.pointer(part))
	}
	return cost
}

// isForm tells a branch of a choice, which is known by its description alone.
func (s *sketch) isForm() bool { return s.name == "" && s.view.isDeep() }

// weighText is what a description costs.
func weighText(text string) int {
	if text == "" {
		return 0
	}
	return rawjson.Weigh(rawjson.Quote(text)) + rawjson.Weigh([]byte(`,"description":`))
}

// partsOf are the properties of an object, or the branches of a choice.
func (d *drawer) partsOf(s *sketch) []*sketch {
	var parts []*sketch
	path := s.path + strings.Repeat("[]", strings.Count(s.view.wraps, "["))
	for _, f := range s.view.fields {
		inner := f.name
		if path != "" {
			inner = path + "." + f.name
		}
		if strings.Contains(s.view.wraps, "{") {
			inner = path // what is in a map has no path of its own
		}
		parts = append(parts, &sketch{name: f.name, path: inner, required: f.required, level: s.level + 1, view: d.see(f.node)})
	}
	if len(parts) == 0 {
		for _, branch := range s.view.branches {
			parts = append(parts, &sketch{path: path, level: s.level + 1, view: d.see(branch)})
		}
	}
	return parts
}

// pointer tells where the rest of a part is to be had, and which forms it has.
func (d *drawer) pointer(s *sketch) string {
	text := ""
	if names := d.names(&s.view); len(names) > 0 {
		text = "One of " + few(names, toldOfEnum) + ". "
	}
	if s.name == "" { // a branch: the choice has told where it is
		return strings.TrimSpace(text + d.nameOf(s.view.outer))
	}
	return text + "Part " + s.path + strings.Repeat("[]", strings.Count(s.view.wraps, "["))
}

// finish writes the whole, and tells in its description what found no room.
func (d *drawer) finish(top *sketch) *rawjson.Node {
	out, words := newObject(d.root), ""
	if top.texted {
		words = top.view.text
	}
	object := d.object(top)
	var others []string
	for _, part := range top.parts {
		if !part.shown {
			others = append(others, part.name)
		}
	}
	for told := min(maxTermsTold, len(others)); told > 0; told-- {
		longer := sentences(words, "Also takes "+few(others, told)+".")
		if cost := weighText(longer) - weighText(words); d.spend(cost) {
			words = longer
			break
		}
	}
	if words != "" {
		out.Put("description", rawjson.StringNode(words))
	}
	for key, value := range object.Members() {
		out.Put(key, value)
	}
	return out
}

// object is an object with the properties that are shown.
func (d *drawer) object(s *sketch) *rawjson.Node {
	out, properties, required := newObject(d.root), newObject(d.root), newArray()
	for _, part := range s.parts {
		if !part.shown {
			continue
		}
		properties.Keys = append(properties.Keys, part.name)
		properties.Items = append(properties.Items, d.render(part))
		if part.required {
			required.Items = append(required.Items, rawjson.StringNode(part.name))
		}
	}
	if s.level < 0 || d.statesObject(s.view.inner) {
		out.Put("type", rawjson.StringNode("object"))
	}
	out.Put("properties", properties)
	if required.Len() > 0 {
		out.Put("required", required)
	}
	return out
}

func (d *drawer) render(s *sketch) *rawjson.Node {
	var out *rawjson.Node
	switch {
	case s.opened && len(s.view.fields) > 0:
		out = s.view.wrap(d.object(s))
	case s.opened:
		choice, branches := newObject(d.root), newArray()
		for _, part := range s.parts {
			branches.Items = append(branches.Items, d.render(part))
		}
		choice.Put("anyOf", branches)
		out = s.view.wrap(choice)
	case s.detailed:
		out = d.detailed(&s.view)
	default:
		out = s.view.bare()
	}
	text := ""
	if s.texted {
		text = s.view.text
	}
	if s.pointed && !s.opened {
		text = sentences(text, d.pointer(s))
	}
	if text != "" {
		out.Put("description", rawjson.StringNode(text))
	}
	return out
}
