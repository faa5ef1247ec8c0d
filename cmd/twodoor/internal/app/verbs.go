package app

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/cmd/twodoor/internal/config"
	"github.com/twodoor/twodoor/internal/proc"
	"github.com/twodoor/twodoor/source/command"
)

// verbs runs the programs of verbs files. Like the connections to far sides it outlives an edit of the
// configuration: calls of one session stay in their order.
type verbs struct {
	invoker command.Invoker
	begun   sync.Once
	folders atomic.Pointer[map[string]string] // source → the folder of its verbs file
}

// serve makes the invoker run the verbs of a configuration from now on.
func (v *verbs) serve(r *run, s *site) {
	folders := map[string]string{}
	for name, c := range s.Sources {
		if c.Kind() == command.Kind {
			folders[name] = filepath.Dir(s.Place(c.Command))
		}
	}
	v.folders.Store(&folders)
	v.begun.Do(func() {
		v.invoker.Environ, v.invoker.Expand = r.Environ, r.expand
		v.invoker.Folder = func(source string) string { return (*v.folders.Load())[source] }
	})
}

// verbs is a verbs file of the configuration, as its room takes it.
func (r *run) verbs(s *site, name string, c config.Source) *command.Source {
	source := &command.Source{Name: name, File: s.Place(c.Command), Prefix: c.Prefix, Operations: r.openAPI(s, name, c).Operations}
	return source
}

var (
	verbsMark  = regexp.MustCompile(`(?m)^["']?verbs["']?[ \t]*:`)
	verbsTitle = regexp.MustCompile(`(?m)^["']?title["']?[ \t]*:[ \t]*(.+)$`)
)

// sniffVerbs reports whether a text looks like a verbs file, and its title, without reading all of it.
func sniffVerbs(text []byte) (title string, ok bool) {
	if m := verbsTitle.FindSubmatch(text); m != nil {
		title = strings.Trim(strings.TrimSpace(string(m[1])), `"'`)
	}
	return title, verbsMark.Match(text) && !yamlMark.Match(text)
}

// verbsName is what a verbs file is called before its .verbs; empty: it is called otherwise.
func verbsName(place string) string {
	name, _, ok := strings.Cut(filepath.Base(place), ".verbs.")
	if !ok {
		return ""
	}
	return name
}

// programsOf lists the programs that a source starts, each once.
func programsOf(reading *twodoor.Reading) (programs []string) {
	for _, line := range reading.Starts {
		program, _, _ := strings.Cut(line, " ")
		programs = append(programs, program)
	}
	slices.Sort(programs)
	return slices.Compact(programs)
}

// examinePrograms looks for the programs that a source starts.
func (r *run) examinePrograms(s *site, reading *twodoor.Reading) (findings []finding) {
	folder := filepath.Dir(s.Place(s.Sources[reading.Source].Command))
	for _, program := range programsOf(reading) {
		path := program
		if strings.ContainsAny(program, `/\`) && !filepath.IsAbs(program) {
			path = filepath.Join(folder, program)
		}
		found, err := proc.Find(path)
		if err != nil {
			findings = append(findings, finding{"program", fails, fmt.Sprintf("%s: %s: %v", reading.Source, program, plainCause(err)), "install it, or name its whole path in the verbs file"})
			continue
		}
		findings = append(findings, finding{Check: "program", Status: fine, Detail: reading.Source + ": " + found})
	}
	return findings
}
