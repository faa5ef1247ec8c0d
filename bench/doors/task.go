package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/schema"
)

//go:embed tasks.jsonl
var tasksFile []byte

// task is a wish at a system and the calls that fulfil it.
type task struct {
	System string `json:"system"`
	Task   string `json:"task"`
	Steps  []step `json:"steps"`
}

// step is one call: how an agent would search for it, and what it wants of the answer.
type step struct {
	Operation string          `json:"operation"`
	Ask       string          `json:"ask"`
	Arguments json.RawMessage `json:"arguments"` // empty: the description's own example
	Fields    string          `json:"fields"`    // empty: all
}

func readTasks(raw []byte) (tasks []task, err error) {
	for line := range bytes.Lines(raw) {
		var t task
		if err := json.Unmarshal(line, &t); err != nil {
			return nil, fmt.Errorf("read task %d: %w", len(tasks)+1, err)
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// arguments are the step's own, else an example of the operation.
func (s step) arguments(op *twodoor.Operation) json.RawMessage {
	if len(s.Arguments) > 0 {
		return s.Arguments
	}
	for _, e := range op.Examples {
		if len(e.Arguments) > 0 {
			return e.Arguments
		}
	}
	return schema.Example(op.InputSchema())
}
