package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
)

func main() {
	log.SetFlags(0)
	asJSON := flag.Bool("json", false, "print JSON, with the figures of each query")
	words := flag.Bool("words", false, "search by words only, without the word table")
	size := flag.Int("scale", 0, "measure the time of a catalogue of so many tools too")
	against := flag.String("against", "", "compare with an earlier -json")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: search [-json] [-words] [-against FILE] [-scale N] DIR…")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, flag.Args(), measurer{words: *words}, *asJSON, *against, *size); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer, dirs []string, m measurer, asJSON bool, against string, size int) error {
	if len(dirs) == 0 {
		return fmt.Errorf("name the folders to measure: each holds tools.jsonl and queries*.jsonl")
	}
	var sets []*set
	for _, dir := range dirs {
		s, err := readSet(dir)
		if err != nil {
			return err
		}
		sets = append(sets, s)
	}
	r := m.measure(sets)
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	print(w, r)
	if size > 0 {
		scale(w, m, sets, size)
	}
	if against != "" {
		return compare(w, against, r)
	}
	return nil
}

// print writes the report as a table.
func print(w io.Writer, r report) {
	fmt.Fprintf(w, "%-42s %5s %6s %5s %5s %5s %5s %6s %7s %7s\n", "set", "tools", "asked", "R@1", "R@3", "R@5", "R@10", "MRR", "p50 ms", "p95 ms")
	for _, s := range r.Sets {
		for _, f := range s.Files {
			fmt.Fprintf(w, "%-42s %5d %6d %5.1f %5.1f %5.1f %5.1f %6.3f %7.2f %7.2f\n", s.Name+"/"+f.Name, s.Tools, f.Queries,
				100*f.Recall["1"], 100*f.Recall["3"], 100*f.Recall["5"], 100*f.Recall["10"], f.MRR, f.P50, f.P95)
		}
	}
	fmt.Fprintf(w, "\n%-18s %9s %9s %8s  confidence AUC against strangers\n", "index", "bytes", "build ms", "open ms")
	for _, s := range r.Sets {
		fmt.Fprintf(w, "%-18s %9d %9.0f %8.2f ", s.Name, s.IndexBytes, s.BuildMS, s.OpenMS)
		var others []string
		for name := range s.AUC {
			others = append(others, name)
		}
		slices.Sort(others)
		for _, name := range others {
			fmt.Fprintf(w, " %s %.3f", name, s.AUC[name])
		}
		fmt.Fprintln(w)
	}
	if r.AUC > 0 {
		fmt.Fprintf(w, "mean AUC %.3f\n", r.AUC)
	}
}
