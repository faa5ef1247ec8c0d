package main

import (
	"bytes"
	"io"
	"os"
	"sync"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// output is the way to the host. It takes whole messages.
type output struct {
	to        io.Writer
	ready     string // made when the host has its first list of tools; empty: no such file
	errorText bool
	log       *callLog

	mu     sync.Mutex
	listed bool // the list that goes out is that of the far side
	made   bool
}

// complete says that lists are complete from now on: before, the far side had not answered.
func (o *output) complete() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.listed = true
}

func (o *output) Write(message []byte) (int, error) {
	sent := message
	if o.errorText && bytes.Contains(message, []byte(`"isError":true`)) {
		sent = append(asText(message), '\n')
	}
	if _, err := o.to.Write(sent); err != nil {
		return 0, err
	}
	o.signal(message)
	return len(message), nil
}

// signal makes the file that says that the tools are there.
func (o *output) signal(message []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ready == "" || o.made || !o.listed || !bytes.Contains(message, []byte(`"tools":[`)) {
		return
	}
	if _, isList := rawjson.GetPath(message, "result", "tools"); !isList {
		return
	}
	o.made = true
	if err := os.WriteFile(o.ready, []byte("ready\n"), 0o600); err != nil {
		o.log.note(err)
	}
}

// asText tells an error as a text that begins with ERROR: some hosts show the model nothing of a
// result that is marked as one.
func asText(message []byte) []byte {
	result, ok := rawjson.Get(message, "result")
	if flag, _ := rawjson.Get(result, "isError"); !ok || string(flag) != "true" {
		return bytes.TrimSpace(message)
	}
	content, _ := rawjson.Get(result, "content")
	var blocks rawjson.Array
	first := true
	for block := range rawjson.Elements(content) {
		if raw, isText := rawjson.Get(block, "text"); isText && first {
			text, _ := rawjson.String(raw)
			block = rawjson.Set(block, "text", rawjson.Quote("ERROR: "+text))
			first = false
		}
		blocks.Add(block)
	}
	result = rawjson.Set(rawjson.Set(result, "isError", []byte("false")), "content", blocks.Bytes())
	return bytes.TrimSpace(rawjson.Set(message, "result", result))
}
