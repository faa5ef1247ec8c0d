package twodoor

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/shape"
)

// Bounds of looking up the names behind ids. Names never fail or delay a call for long.
const (
	maxNameCalls = 20              // lookups of one answer
	nameWorkers  = 8               // at a time
	nameTime     = 3 * time.Second // for all of them
	nameTTL      = 5 * time.Minute
	maxNames     = 10_000 // kept
)

// nameKeys are the fields that hold a record's name, the best first.
var nameKeys = []string{"name", "title", "display_name", "displayName", "full_name", "fullName", "label", "login", "email"}

// nameBook remembers which name an id has, for each principal by itself. Its zero value is empty.
type nameBook struct {
	mu    sync.Mutex
	names map[nameKey]knownName
}

type nameKey struct{ subject, operation, id string }

type knownName struct {
	name  string
	until time.Time
}

func (b *nameBook) get(key nameKey) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known, ok := b.names[key]
	return known.name, ok && time.Now().Before(known.until)
}

func (b *nameBook) put(key nameKey, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.names == nil || len(b.names) >= maxNames {
		b.names = map[nameKey]knownName{}
	}
	b.names[key] = knownName{name, time.Now().Add(nameTTL)}
}

// nameIDs puts the name beside each id that the operation's annotation knows how to look up:
// assignee_id gets an assignee_name. What cannot be looked up stays as it is.
func (e *Engine) nameIDs(ctx context.Context, call Call, op *Operation, value json.RawMessage) json.RawMessage {
	if len(op.Answer.IDNames) == 0 || len(value) == 0 {
		return value
	}
	ctx, cancel := context.WithTimeout(ctx, nameTime)
	defer cancel()
	for _, field := range slices.Sorted(maps.Keys(op.Answer.IDNames)) {
		ids := map[string]json.RawMessage{}
		collectIDs(value, field, ids)
		names := e.namesOf(ctx, call, e.stepTarget(op, op.Answer.IDNames[field]), ids)
		if len(names) > 0 {
			value = putNames(value, field, nameField(field), names)
		}
	}
	return value
}

// nameField is where the name of an id goes: assignee_id → assignee_name.
func nameField(field string) string {
	for _, ending := range []string{"_id", "Id", "ID", "-id"} {
		if base, ok := strings.CutSuffix(field, ending); ok {
			if ending == "Id" || ending == "ID" {
				return base + "Name"
			}
			return base + ending[:1] + "name"
		}
	}
	return field + "_name"
}

// collectIDs gathers the ids that a field holds anywhere in a value.
func collectIDs(value []byte, field string, ids map[string]json.RawMessage) {
	switch rawjson.KindOf(value) {
	case rawjson.KindArray:
		for element := range rawjson.Elements(value) {
			collectIDs(element, field, ids)
		}
	case rawjson.KindObject:
		for key, member := range rawjson.RawMembers(value) {
			if rawjson.KeyIs(key, field) && isID(member) {
				ids[string(member)] = member
				continue
			}
			collectIDs(member, field, ids)
		}
	}
}

func isID(value []byte) bool {
	kind := rawjson.KindOf(value)
	return kind == rawjson.KindNumber || kind == rawjson.KindString && len(value) > 2
}

// putNames rewrites a value with the names beside the ids. A name that is there already stays.
func putNames(value []byte, field, nameField string, names map[string]string) []byte {
	value = rawjson.Rewrite(value, func(_ []byte, _ int, member []byte) []byte {
		return putNames(member, field, nameField, names)
	})
	id, ok := rawjson.Get(value, field)
	if !ok || rawjson.KindOf(value) != rawjson.KindObject {
		return value
	}
	name, known := names[string(id)]
	if _, there := rawjson.Get(value, nameField); there || !known {
		return value
	}
	return rawjson.Set(value, nameField, rawjson.Quote(name))
}

// namesOf looks the ids up, a few at a time: by an operation that takes one id, or in one list.
func (e *Engine) namesOf(ctx context.Context, call Call, target string, ids map[string]json.RawMessage) map[string]string {
	names := map[string]string{}
	var unknown []string
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if name, ok := e.names.get(nameKey{call.Principal.Subject, target, id}); ok {
			names[id] = name
		} else {
			unknown = append(unknown, id)
		}
	}
	op, _, err := e.Catalog().Find(target)
	if err != nil || op == nil || len(unknown) == 0 {
		return names
	}
	caller := child{engine: e, of: call, id: callID(ctx)}
	found := lookupList(ctx, caller, op)
	if input := soleRequired(op); input != "" {
		found = lookupEach(ctx, caller, op, input, unknown[:min(len(unknown), maxNameCalls)])
	}
	for id, name := range found {
		e.names.put(nameKey{call.Principal.Subject, target, id}, name)
		names[id] = name
	}
	return names
}

// soleRequired is the one input that an operation demands; empty where it demands none or several.
func soleRequired(op *Operation) string {
	required, _ := rawjson.GetPath(op.Input, "required")
	name := ""
	for element := range rawjson.Elements(required) {
		if name != "" {
			return ""
		}
		name, _ = rawjson.String(element)
	}
	return name
}

// lookupEach asks for each id by itself.
func lookupEach(ctx context.Context, caller Caller, op *Operation, input string, ids []string) map[string]string {
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		found = map[string]string{}
		slots = make(chan struct{}, nameWorkers)
	)
	for _, id := range ids {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			result, err := caller.Do(ctx, Call{Operation: op.ID, Arguments: rawjson.Set(nil, input, []byte(id)), plain: true})
			if err != nil {
				return
			}
			if name := nameIn(result.Value); name != "" {
				mu.Lock()
				found[id] = name
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return found
}

// lookupList reads one list and takes every id in it. An operation that demands an input is none.
func lookupList(ctx context.Context, caller Caller, op *Operation) map[string]string {
	if required, _ := rawjson.Get(op.Input, "required"); rawjson.Len(required) > 0 {
		return nil
	}
	result, err := caller.Do(ctx, Call{Operation: op.ID, Projection: Projection{All: op.Page != nil}, plain: true})
	if err != nil {
		return nil
	}
	found := map[string]string{}
	list, _, _ := shape.Records(result.Value, op.Answer.Root)
	for record := range rawjson.Elements(list) {
		id, ok := rawjson.Get(record, "id")
		if name := nameIn(record); ok && name != "" {
			found[string(id)] = name
		}
	}
	return found
}

// nameIn is the name of a record, also where an envelope is around it.
func nameIn(record []byte) string {
	for _, key := range nameKeys {
		if raw, ok := rawjson.Get(record, key); ok {
			if name, ok := rawjson.String(raw); ok && name != "" {
				return name
			}
		}
	}
	if data, ok := rawjson.Get(record, "data"); ok {
		return nameIn(data)
	}
	return ""
}
