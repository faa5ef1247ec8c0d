package main

import (
	"context"
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
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: tokens [-json] FILE…")
		flag.PrintDefaults()
	}
	flag.Parse()
	rows, err := run(context.Background(), flag.Args())
	if err == nil && *asJSON {
		err = json.NewEncoder(os.Stdout).Encode(rows)
	} else if err == nil {
		print(os.Stdout, rows)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run weighs the demo service and the files.
func run(ctx context.Context, files []string) (rows []row, err error) {
	all := texts{}
	if err := all.demo(ctx); err != nil {
		return nil, fmt.Errorf("read the demo service: %w", err)
	}
	for _, name := range files {
		if err := all.file(ctx, name); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
	count := newCounter()
	for _, class := range classes {
		if len(all[class]) == 0 {
			continue
		}
		r, err := count.weigh(class, all[class])
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// print writes the rows as a table.
func print(w io.Writer, rows []row) {
	fmt.Fprintf(w, "%-34s %6s %9s %9s %9s %6s %7s  %s\n", "class", "texts", "bytes", "estimate", "exact", "ratio", "bytes/t", "nine of ten texts")
	for _, r := range rows {
		fmt.Fprintf(w, "%-34s %6d %9d %9d %9d %6.2f %7.2f  %.2f to %.2f\n", r.Class, r.Texts, r.Bytes, r.Estimate, r.Exact, r.Ratio, r.PerByte, r.Low, r.High)
	}
}

// bounds are the values that one in twenty is below, and above.
func bounds(values []float64) (low, high float64) {
	if len(values) == 0 {
		return 0, 0
	}
	slices.Sort(values)
	last := len(values) - 1
	return values[last/20], values[last-last/20]
}
