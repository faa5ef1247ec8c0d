package main

import (
	"os"
	"testing"
)

// TestTasksAreCarriedOut holds that the oracle's calls work at every door and that search names what
// they are of: figures of calls that fail would say nothing.
func TestTasksAreCarriedOut(t *testing.T) {
	t.Chdir("../..")
	corpus := os.Getenv("TWODOOR_CORPUS")
	if corpus == "" {
		t.Log("TWODOOR_CORPUS is unset: only Harbor's tasks are carried out")
	}
	results, err := run(systemsOf(corpus), tasksFile)
	if err != nil {
		t.Fatal(err)
	}
	if want := 40; corpus != "" && len(results) != want {
		t.Errorf("%d tasks, want %d", len(results), want)
	}
	for _, r := range results {
		full, search := r.Costs["full list"], r.Costs["search"]
		for door, c := range r.Costs {
			if c.Failed > 0 || c.Turns < r.Steps || c.Turns > 3*r.Steps || c.Bytes == 0 {
				t.Errorf("%s: %s at %s: %+v", r.System, r.Task, door, c)
			}
			if c.Missed > 0 {
				t.Logf("%s: %s at %s: search does not name %d of its operations", r.System, r.Task, door, c.Missed)
			}
		}
		if search.Read >= full.Read {
			t.Errorf("%s: %s: search reads %d tokens, the full list %d", r.System, r.Task, search.Read, full.Read)
		}
	}
}
