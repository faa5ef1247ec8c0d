package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/harbor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
	"github.com/twodoor/twodoor/internal/shape"
	"github.com/twodoor/twodoor/source/find"
	"github.com/twodoor/twodoor/source/openapi"
)

// system is one far side and the description that it is called by.
type system struct {
	name, file string
	stub       bool // answers are made from the description
}

// systemsOf lists the systems that can be stood up: those of real descriptions need the folder of them.
func systemsOf(corpus string) []system {
	systems := []system{{name: "harbor", file: "internal/harbor/openapi.yaml"}}
	if corpus != "" {
		systems = append(systems,
			system{"flashduty", filepath.Join(corpus, "openapi", "flashduty.en.json"), true},
			system{"github", filepath.Join(corpus, "openapi", "github.json"), true})
	}
	return systems
}

// house is a system behind an engine, fresh for each task.
type house struct {
	*twodoor.Engine
	far *farSide

	mu    sync.Mutex // calls that a call makes end beside one another
	saved twodoor.Saved
}

// Observe adds up what shaping the answers saved.
func (h *house) Observe(event twodoor.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.saved = plus(h.saved, event.Saved)
}

// saving is the sum.
func (h *house) saving() twodoor.Saved {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.saved
}

// built is what all houses of a system share.
type built struct {
	system  system
	catalog *twodoor.Catalog
	index   *find.Index
}

func build(ctx context.Context, s system) (*built, error) {
	reading, err := (&openapi.Source{Name: s.name, File: s.file, Target: "http://far.test"}).Read(ctx)
	if err != nil {
		return nil, err
	}
	own, err := find.Source{}.Read(ctx)
	if err != nil {
		return nil, err
	}
	catalog, err := twodoor.NewCatalog(reading, own)
	if err != nil {
		return nil, err
	}
	documents, err := find.DocumentsOf(catalog)
	if err != nil {
		return nil, err
	}
	return &built{s, catalog, find.Build(documents)}, nil
}

func (b *built) house() *house {
	far := &farSide{}
	if !b.system.stub {
		far.real = harbor.New(harbor.Options{Now: noon}).Handler()
	}
	shelf := &find.Memory{}
	h := &house{far: far, Engine: &twodoor.Engine{Keeper: shelf, Invokers: map[string]twodoor.Invoker{
		openapi.Kind: &openapi.Invoker{Doer: far},
		find.Kind:    &find.Invoker{Shelf: shelf, Index: func(*twodoor.Catalog) (*find.Index, error) { return b.index, nil }},
	}}}
	h.Engine.Observer = h
	h.Serve(b.catalog)
	return h
}

// noon is when every task begins, so that figures are the same on every run.
func noon() time.Time { return time.Date(2026, time.January, 15, 12, 0, 0, 0, time.UTC) }

// farSide answers requests: as Harbor does, or with the answer that the description shows, its lists
// of records thirty long.
type farSide struct {
	real http.Handler
	next *twodoor.Operation // whose answer a stub gives
	sent atomic.Int64       // bytes that have come from it
}

// bytes is how many bytes have come from it.
func (f *farSide) bytes() int { return int(f.sent.Load()) }

// Do carries a request out.
func (f *farSide) Do(req *http.Request, _ twodoor.Access) (*http.Response, error) {
	w := httptest.NewRecorder()
	if f.real != nil {
		received := req.Clone(req.Context())
		if received.Body == nil { // a server always has one
			received.Body = http.NoBody
		}
		f.real.ServeHTTP(w, received)
	} else {
		w.Header().Set("Content-Type", "application/json")
		w.Write(answerOf(f.next)) // a recorder never fails
	}
	f.sent.Add(int64(w.Body.Len()))
	resp := w.Result()
	resp.Request = req
	resp.Body = io.NopCloser(bytes.NewReader(w.Body.Bytes()))
	return resp, nil
}

// answerOf is an answer of an operation, by its description.
func answerOf(op *twodoor.Operation) []byte {
	const records = 30
	if len(op.Output) == 0 {
		return []byte(`{}`)
	}
	answer := schema.ExampleAll(op.OutputSchema())
	list, path, ok := shape.Records(answer, op.Answer.Root)
	if !ok || rawjson.Len(list) == 0 {
		return answer
	}
	var long rawjson.Array
	for i := 0; i < records; {
		for record := range rawjson.Elements(list) {
			long.Add(numbered(record, i))
			i++
		}
	}
	if path == "" {
		return long.Bytes()
	}
	return rawjson.SetPath(answer, long.Bytes(), splitPath(path)...)
}

// numbered gives a record an id of its own where it has one.
func numbered(record []byte, n int) []byte {
	if id, ok := rawjson.Get(record, "id"); ok && rawjson.KindOf(id) == rawjson.KindNumber {
		return rawjson.Set(record, "id", fmt.Appendf(nil, "%d", 1000+n))
	}
	return record
}
