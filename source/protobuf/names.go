package protobuf

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor"
)

// groupOf is the group of a service's methods: its name without the word service.
func groupOf(name string) string {
	words := wordsOf(name)
	if n := len(words); n > 2 && versionWord.MatchString(words[n-1]) && words[n-2] == "service" {
		words = words[:n-1]
	}
	if last := words[len(words)-1]; len(words) > 1 && (last == "service" || last == "api" || last == "svc") {
		words = words[:len(words)-1]
	}
	return strings.Join(words, "-")
}

// verbOf is the verb of a method: its words without the group's, which are dropped once unless
// nothing is left then.
func verbOf(method, group string) string {
	words, of := wordsOf(method), strings.Split(group, "-")
	for i := 0; i+len(of) <= len(words); i++ {
		same := slices.EqualFunc(words[i:i+len(of)], of, func(a, b string) bool { return stem(a) == stem(b) })
		if same && len(of) < len(words) {
			return strings.Join(slices.Delete(slices.Clone(words), i, i+len(of)), "-")
		}
	}
	return strings.Join(words, "-")
}

var legalWord = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)?$`)

// nameAll gives every method its group.verb: those that will turn out as exceptions too, so that no
// name moves when they are mended. What was named before stays.
func (r *reader) nameAll(methods []*found) {
	groups := r.groups(methods)
	plain := map[*found]string{}
	for _, f := range methods {
		plain[f] = groups[f.service.FullName()] + "." + verbOf(string(f.method.Name()), groups[f.service.FullName()])
		r.configure(f, plain[f])
	}
	taken := map[string]string{} // group.verb → key
	for key, name := range r.source.Kept.Names {
		taken[name] = key
	}
	names := maps.Clone(r.source.Kept.Names)
	if names == nil {
		names = map[string]string{}
	}
	counts := map[string]int{}
	for _, f := range methods {
		counts[r.wanted(f, groups, plain[f])]++
	}
	for _, f := range methods {
		f.id = r.claim(f, groups, plain[f], taken, counts)
		taken[f.id], names[f.key()] = f.key(), f.id
	}
	r.reading.Lock = twodoor.Lock{Names: names}
}

// wanted is the name that a method has where nothing else wants it too.
func (r *reader) wanted(f *found, groups map[protoreflect.FullName]string, plain string) string {
	name := f.said.Name
	if name == "" {
		return plain
	}
	if !legalWord.MatchString(name) {
		r.fault(f.method, "the name %q is not lower-case words with hyphens, with at most one dot; it is left out", name)
		f.said.Name = ""
		return plain
	}
	if strings.Contains(name, ".") {
		return name
	}
	return groups[f.service.FullName()] + "." + name
}

// claim is a method's name. Of several that want one name each gets a longer one.
func (r *reader) claim(f *found, groups map[protoreflect.FullName]string, plain string, taken map[string]string, counts map[string]int) string {
	first := r.wanted(f, groups, plain)
	kept := r.source.Kept.Names[f.key()]
	if kept != "" && (f.said.Name == "" || first == kept) {
		return kept
	}
	group := groups[f.service.FullName()]
	whole := group + "." + slug(string(f.method.Name()))
	free := func(name string) bool { return taken[name] == "" || taken[name] == f.key() }
	if free(first) && (counts[first] == 1 || first == whole || f.said.Name != "") {
		return first
	}
	name := whole
	for n := 2; !free(name); n++ {
		name = fmt.Sprintf("%s-%d", whole, n)
	}
	r.note("%s would be %s like another method; it is %s", f.key(), first, name)
	return name
}

// groups names the group of each service. Services of one name get their package before it.
func (r *reader) groups(methods []*found) map[protoreflect.FullName]string {
	short := map[string][]protoreflect.FullName{}
	for _, f := range methods {
		if !slices.Contains(short[f.group], f.service.FullName()) {
			short[f.group] = append(short[f.group], f.service.FullName())
		}
	}
	groups := map[protoreflect.FullName]string{}
	for _, group := range slices.Sorted(maps.Keys(short)) {
		services := short[group]
		if len(services) == 1 {
			groups[services[0]] = group
			continue
		}
		for _, longer := range []func(protoreflect.FullName) string{shortPackage, versionedPackage, wholePackage} {
			for _, name := range services {
				groups[name] = slug(longer(name.Parent())) + "-" + group
			}
			if !alike(groups, services) {
				break
			}
		}
		r.note("%d services would form the group %s; they have their package before it", len(services), group)
	}
	return groups
}

var versionWord = regexp.MustCompile(`^v[0-9]+((alpha|beta|p[0-9]).*)?$`)

// shortPackage is the last part of a package that is no version.
func shortPackage(name protoreflect.FullName) string {
	for versionWord.MatchString(string(name.Name())) && name.Parent() != "" {
		name = name.Parent()
	}
	return string(name.Name())
}

// versionedPackage is the last part that is no version, with the version behind it.
func versionedPackage(name protoreflect.FullName) string {
	short := shortPackage(name)
	return string(name)[strings.LastIndex("."+string(name)+".", "."+short+"."):]
}

func wholePackage(name protoreflect.FullName) string { return string(name) }

func alike(groups map[protoreflect.FullName]string, services []protoreflect.FullName) bool {
	seen := map[string]bool{}
	for _, name := range services {
		if seen[groups[name]] {
			return true
		}
		seen[groups[name]] = true
	}
	return false
}

// configure adds what the configuration says of a method under its plain name or the far side's key.
func (r *reader) configure(f *found, plain string) {
	s := r.source
	names := []string{s.Name + "." + plain, f.key()}
	if kept := s.Kept.Names[f.key()]; kept != "" {
		names = append(names, s.Name+"."+kept)
	}
	for _, glob := range twodoor.Globs(s.Operations, names...) {
		notes, err := f.said.add(s.Operations[glob])
		if err != nil {
			notes = append(notes, err.Error())
			f.said.Export = twodoor.ExportNone
		}
		for _, note := range notes {
			r.note("operations.%q: %s", glob, note)
		}
	}
}
