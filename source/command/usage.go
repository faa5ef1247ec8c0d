package command

import "slices"

// usage is where the parameters of a verb stand.
type usage struct {
	order      []string          // each once, as they are met
	seen       map[string]bool   // they reach an argument, a folder or a variable
	placed     map[string]bool   // their text stands somewhere, beyond a condition
	alone      []string          // an argument is nothing but their value, in order
	spreadOnly map[string]bool   // every place of them is {name...} by itself
	how        map[string]spread // how they were met last
	made       map[string]bool   // values that steps make
}

func usageOf(v *verb) *usage {
	u := &usage{
		seen: map[string]bool{}, placed: map[string]bool{}, spreadOnly: map[string]bool{}, how: map[string]spread{}, made: map[string]bool{},
	}
	for i := range v.steps {
		s := &v.steps[i]
		u.elements(s.Argv)
		u.template(s.Dir, true)
		for _, e := range s.Env {
			u.template(e.Value, true)
		}
		u.template(s.Stdin, false)
		if s.As != "" {
			u.made[s.As] = true
		}
	}
	return u
}

func (u *usage) meet(name string) {
	if !slices.Contains(u.order, name) {
		u.order = append(u.order, name)
	}
}

func (u *usage) elements(list []element) {
	for _, e := range list {
		for _, name := range []string{e.If, e.Unless} {
			if name != "" {
				u.meet(name)
				u.seen[name] = true
			}
		}
		u.argument(e.Text)
		u.elements(e.Args)
	}
}

func (u *usage) argument(t template) {
	parts, _ := t.parts()
	whole := len(parts) == 1
	for _, p := range parts {
		if p.param == "" {
			continue
		}
		_, before := u.spreadOnly[p.param]
		u.spreadOnly[p.param] = whole && p.spread == items && (!before || u.spreadOnly[p.param])
		if whole {
			u.alone = append(u.alone, p.param)
		}
	}
	u.template(t, true)
}

func (u *usage) template(t template, reaches bool) {
	parts, _ := t.parts()
	for _, p := range parts {
		if p.param == "" {
			continue
		}
		u.meet(p.param)
		u.how[p.param], u.placed[p.param] = p.spread, true
		u.seen[p.param] = u.seen[p.param] || reaches
	}
}
