package cli

import (
	"context"
	"io"
	"testing"

	"github.com/twodoor/twodoor"
)

// A run must cost what its own command costs, not what the catalog holds.
func BenchmarkRunOneOf1600(b *testing.B) {
	h := newHarness(b, city())
	h.Stdout, h.Stderr = io.Discard, io.Discard
	argv := words("city district07 verb-03-list --id 3 --name x")
	b.ReportAllocs()
	for b.Loop() {
		if h.Run(context.Background(), argv) != 0 {
			b.Fatal("it failed")
		}
	}
}

func BenchmarkParseOneOf1600(b *testing.B) {
	h := newHarness(b, city())
	argv := words("city district07 verb-03-list --id 3 --name x")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Parse(argv); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHelpOfOne(b *testing.B) {
	h := newHarness(b)
	h.Stdout = io.Discard
	argv := words("harbor incident create --help")
	b.ReportAllocs()
	for b.Loop() {
		if h.Run(context.Background(), argv) != 0 {
			b.Fatal("it failed")
		}
	}
}

func TestRunAllocatesLittle(t *testing.T) {
	h := newHarness(t, city())
	h.Stdout, h.Stderr = io.Discard, io.Discard
	argv := words("city district07 verb-03-list --id 3 --name x")
	for _, c := range []struct {
		what string
		most float64
		run  func()
	}{
		{"parsing a line", 60, func() { _, _ = h.Parse(argv) }},
		{"a whole run", 130, func() { h.Run(context.Background(), argv) }},
	} {
		if got := testing.AllocsPerRun(100, c.run); got > c.most {
			t.Errorf("%s takes %.0f allocations, want at most %.0f", c.what, got, c.most)
		}
	}
}

// Only the operation that is addressed is decoded.
func TestDecodesOneOperation(t *testing.T) {
	h := newHarness(t, city())
	table := &countingTable{Table: tableOf(t, city())}
	for line, want := range map[string]int{
		"city district07 verb-03-list --id 3": 1, "city district07 verb-03-list --help": 1, "city --help": 0, "city people --help": 0, "--help": 0, "__complete city dis": 0,
	} {
		table.decoded = 0
		h.Engine.Serve(twodoor.OpenCatalog(table))
		if h.run(words(line)...); table.decoded != want {
			t.Errorf("%s decodes %d operations, want %d", line, table.decoded, want)
		}
	}
}
