package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	corpus := flag.String("corpus", "", "folder with openapi/flashduty.en.json and openapi/github.json; empty: Harbor's tasks alone")
	each := flag.Bool("tasks", false, "print each task too")
	asJSON := flag.Bool("json", false, "print JSON, with each task")
	file := flag.String("file", "", "tasks to carry out instead of the built-in ones")
	flag.Parse()
	tasks := tasksFile
	if *file != "" {
		var err error
		if tasks, err = os.ReadFile(*file); err != nil {
			log.Fatal(err)
		}
	}
	results, err := run(systemsOf(*corpus), tasks)
	if err == nil && *asJSON {
		err = json.NewEncoder(os.Stdout).Encode(results)
	} else if err == nil {
		print(os.Stdout, results, *each)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// result is one task at every door.
type result struct {
	System string          `json:"system"`
	Task   string          `json:"task"`
	Steps  int             `json:"steps"`
	Costs  map[string]cost `json:"costs"` // by door
}

// run carries out the tasks of the systems that are there, each at every door and in a fresh house.
func run(systems []system, raw []byte) (results []result, err error) {
	tasks, err := readTasks(raw)
	if err != nil {
		return nil, err
	}
	for _, s := range systems {
		b, err := build(context.Background(), s)
		if err != nil {
			return nil, err
		}
		for _, t := range tasks {
			if t.System != s.name {
				continue
			}
			r := result{s.name, t.Task, len(t.Steps), map[string]cost{}}
			for _, door := range doors {
				if r.Costs[door.name], err = door.run(b.house(), t); err != nil {
					return nil, fmt.Errorf("%s at %s: %w", t.Task, door.name, err)
				}
			}
			results = append(results, r)
		}
	}
	return results, nil
}

// print writes the table: each system, and all; then what shaping the answers saved.
func print(w io.Writer, results []result, each bool) {
	fmt.Fprintln(w, "| system | tasks | door | turns | tokens read | tokens written | bytes from upstream | not found | failed |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	var systems []string
	totals := map[string]map[string]cost{}
	counts := map[string]int{}
	for _, r := range results {
		if totals[r.System] == nil {
			systems = append(systems, r.System)
		}
		for _, name := range []string{r.System, "all"} {
			if totals[name] == nil {
				totals[name] = map[string]cost{}
			}
			counts[name]++
			for door, c := range r.Costs {
				sum := totals[name][door]
				sum.add(c)
				totals[name][door] = sum
			}
		}
		if each {
			row(w, r.System+": "+r.Task, 1, r.Costs)
		}
	}
	for _, name := range append(systems, "all") {
		row(w, name, counts[name], totals[name])
	}
	fmt.Fprintln(w, "\n| door | saved in all | left out | fields | cut | encoding |\n|---|---|---|---|---|---|")
	for _, door := range doors {
		s := totals["all"][door.name].Saved
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d |\n", door.name, s.Total(), s.LeftOut, s.Fields, s.Cut, s.Encoded)
	}
}

func row(w io.Writer, name string, tasks int, costs map[string]cost) {
	for _, door := range doors {
		c := costs[door.name]
		fmt.Fprintf(w, "| %s | %d | %s | %d | %d | %d | %d | %d | %d |\n", name, tasks, door.name, c.Turns, c.Read, c.Written, c.Bytes, c.Missed, c.Failed)
	}
}
