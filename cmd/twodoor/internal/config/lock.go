package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v4"
)

// LockName is the name of the file that keeps names where they are, beside the configuration.
const LockName = "twodoor.lock"

// Lock keeps, by source, what was named and how (contracts §1). It is reviewed and committed like code.
type Lock map[string]SourceLock

// SourceLock is what one source has named.
type SourceLock struct {
	Rule    string            `yaml:"rule,omitempty"`
	Dropped []string          `yaml:"dropped,omitempty"`
	Split   []string          `yaml:"split,omitempty"`
	Names   map[string]string `yaml:"names,omitempty"`
}

// ReadLock reads the lock of a folder. No file is an empty lock.
func ReadLock(dir string) (Lock, error) {
	path := filepath.Join(dir, LockName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Lock{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the lock: %w", err)
	}
	lock := Lock{}
	if err := yaml.Load(text, &lock, yaml.WithKnownFields()); err != nil {
		return nil, &Invalid{Faults: []Fault{{File: path, Problem: err.Error(), Hint: "restore it from version control: names would move without it"}}}
	}
	return lock, nil
}

// Keep adds what a source has named to the lock. What stands there stays: a name never moves, and
// one whose operation is gone stays reserved. It reports whether anything was added.
func (l Lock) Keep(source string, named SourceLock) bool {
	old, known := l[source]
	if !known {
		l[source] = named
		return true
	}
	kept := SourceLock{Rule: old.Rule, Dropped: old.Dropped, Split: old.Split, Names: maps.Clone(old.Names)}
	if kept.Rule == "" {
		kept.Rule, kept.Dropped, kept.Split = named.Rule, named.Dropped, named.Split
	}
	if kept.Names == nil {
		kept.Names = map[string]string{}
	}
	for key, name := range named.Names {
		if _, taken := kept.Names[key]; !taken {
			kept.Names[key] = name
		}
	}
	l[source] = kept
	return kept.Rule != old.Rule || len(kept.Names) != len(old.Names)
}

// Write writes the lock into a folder, sorted, as a whole. What another process has added since it
// was read is kept.
func (l Lock) Write(dir string) error {
	present, err := ReadLock(dir)
	if err != nil {
		return err
	}
	for source, named := range l {
		present.Keep(source, named)
	}
	var b bytes.Buffer
	b.WriteString("# Names of operations, by source. They never move: commit this file.\n")
	for _, source := range Sorted(present) {
		writeSource(&b, source, present[source])
	}
	path := filepath.Join(dir, LockName)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, b.Bytes()) {
		return nil
	}
	return WriteFile(path, b.Bytes(), 0o644)
}

// writeSource writes one name a line, so that a review sees what came and what went.
func writeSource(b *bytes.Buffer, source string, s SourceLock) {
	fmt.Fprintf(b, "%s:\n", quote(source))
	if s.Rule != "" {
		fmt.Fprintf(b, "  rule: %s\n", quote(s.Rule))
	}
	for _, list := range []struct {
		key   string
		words []string
	}{{"dropped", s.Dropped}, {"split", s.Split}} {
		if len(list.words) > 0 {
			quoted := make([]string, len(list.words))
			for i, word := range list.words {
				quoted[i] = quote(word)
			}
			fmt.Fprintf(b, "  %s: [%s]\n", list.key, joinWords(quoted))
		}
	}
	if len(s.Names) > 0 {
		b.WriteString("  names:\n")
	}
	for _, key := range slices.Sorted(maps.Keys(s.Names)) {
		fmt.Fprintf(b, "    %s: %s\n", quote(key), quote(s.Names[key]))
	}
}
