package parity

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestParity calls every operation of every description at both doors, twice.
func TestParity(t *testing.T) {
	for _, file := range corpus(t) {
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, err := build(file)
			if err != nil {
				t.Fatal(err)
			}
			run := &trial{t: t, house: h}
			if run.second, err = newSecondJudge(file, h.doc.swagger); err != nil {
				t.Logf("%s: openapi3filter does not load it: %v", name, err)
				run.second = nil
			}
			run.counts()
			run.all()
			run.report()
		})
	}
}
