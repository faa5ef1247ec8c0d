package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/source/find"
)

// set is a catalogue of tools with the requests made to it.
type set struct {
	name  string
	tools []find.Document
	files []queries
}

// queries is one file of requests.
type queries struct {
	name string
	list []query
}

// query is a request and what would serve it: of each group one tool is needed.
type query struct {
	ID   string     `json:"id"`
	Text string     `json:"query"`
	Gold [][]string `json:"gold"`
}

// tool is a line of tools.jsonl.
type tool struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Server      string `json:"server"`
	Description string `json:"description"`
	Params      []struct {
		Name        string `json:"n"`
		Description string `json:"d"`
	} `json:"params"`
}

// readSet reads a folder.
func readSet(dir string) (*set, error) {
	s := &set{name: filepath.Base(dir)}
	tools, err := readLines[tool](filepath.Join(dir, "tools.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, t := range tools {
		s.tools = append(s.tools, t.document())
	}
	names, err := filepath.Glob(filepath.Join(dir, "queries*.jsonl"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		list, err := readLines[query](name)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, queries{strings.TrimSuffix(filepath.Base(name), ".jsonl"), list})
	}
	if len(s.files) == 0 {
		return nil, fmt.Errorf("%s has no queries*.jsonl", dir)
	}
	return s, nil
}

// stand is the file whose requests stand for the set where sets are set against each other: that of
// real users or of an unseen domain, where it has one.
func (s *set) stand() []query {
	for _, name := range []string{"queries_live", "queries_test_out_domain"} {
		for _, file := range s.files {
			if file.name == name {
				return file.list
			}
		}
	}
	return s.files[0].list
}

func (t *tool) document() find.Document {
	doc := find.Document{ID: t.ID, Topic: find.TopicOperation, Source: t.Server, Name: t.Name, Description: t.Description}
	for _, p := range t.Params {
		doc.Parameters = append(doc.Parameters, find.Parameter{Name: p.Name, Description: p.Description})
	}
	return doc
}

func readLines[T any](name string) ([]T, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var list []T
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var item T
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, len(list)+1, err)
		}
		list = append(list, item)
	}
	return list, lines.Err()
}
