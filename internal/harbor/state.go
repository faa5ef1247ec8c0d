package harbor

import (
	"slices"
	"time"
)

// state is everything Harbor remembers. Whoever holds it is alone with it.
type state struct {
	seededAt  time.Time
	people    []person
	services  []service
	schedules []schedule
	incidents []*incident // newest first
	workflows []*workflow
	audit     []auditEntry // oldest first
	changes   []change     // newest first

	lastFile     int                  // number of the last attachment
	lastIncident int                  // number of the last incident
	warm         map[string]time.Time // log id → when it is or was readable
	once         map[string]string    // Idempotency-Key → incident id
}

// find looks an item up by its id.
func find[T any](all []T, id string, idOf func(*T) string) *T {
	at := slices.IndexFunc(all, func(item T) bool { return idOf(&item) == id })
	if at < 0 {
		return nil
	}
	return &all[at]
}

// keep is the part of a list that passes.
func keep[T any](all []T, passes func(T) bool) []T {
	kept := []T{}
	for _, item := range all {
		if passes(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// wants tells whether a filter lets a value through; an empty filter lets everything through.
func wants(filter []string, value string) bool {
	return len(filter) == 0 || slices.Contains(filter, value)
}

// within tells whether a time lies between two bounds; a zero bound is open.
func within(at, since, until time.Time) bool {
	return (since.IsZero() || !at.Before(since)) && (until.IsZero() || at.Before(until))
}
