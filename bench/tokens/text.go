package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/door/mcpserver"
	"github.com/twodoor/twodoor/internal/harbor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/toon"
	"github.com/twodoor/twodoor/source/find"
	"github.com/twodoor/twodoor/source/openapi"
)

// The classes of what an agent reads.
const (
	classTools   = "tools, as listed"
	classOwn     = "tools that find and call"
	classSchemas = "schemas, whole"
	classProse   = "prose"
	classChinese = "prose, Chinese"
	classAnswers = "answers"
	classLists   = "answers that TOON makes lighter"
	classTOON    = "the same as TOON"
	classOther   = "other texts"
)

var classes = []string{classTools, classOwn, classSchemas, classProse, classChinese, classAnswers, classLists, classTOON, classOther}

// texts are what was gathered, by class.
type texts map[string][]string

func (t texts) add(class string, text string) {
	if text != "" {
		t[class] = append(t[class], text)
	}
}

// answer adds an answer as it is sent.
func (t texts) answer(raw []byte) {
	compact := rawjson.Compact(nil, raw)
	t.add(classAnswers, string(compact))
	if short := toon.Smaller(compact); short != nil {
		t.add(classLists, string(compact))
		t.add(classTOON, string(short))
	}
}

// most is how many operations and examples of one description are weighed, evenly spread.
const most = 400

// file adds what a description holds, or any other text.
func (t texts) file(ctx context.Context, name string) error {
	raw, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !describes(name, raw) {
		t.add(classOther, string(raw))
		return nil
	}
	reading, err := (&openapi.Source{Name: "far", File: name, Target: "http://far.test"}).Read(ctx)
	if err != nil {
		return err
	}
	if tree, err := rawjson.Parse(raw); err == nil {
		t.examples(tree)
	}
	return t.reading(ctx, reading)
}

// describes reports whether a file is an OpenAPI description.
func describes(name string, raw []byte) bool {
	marks := []string{`"openapi":`, `"swagger":`, "\nopenapi:", "\nswagger:"}
	return slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(name)) &&
		(bytes.HasPrefix(raw, []byte("openapi:")) || slices.ContainsFunc(marks, func(mark string) bool { return bytes.Contains(raw, []byte(mark)) }))
}

// reading adds the tools, schemas and descriptions of a source.
func (t texts) reading(ctx context.Context, reading *twodoor.Reading) error {
	own, err := find.Source{}.Read(ctx)
	if err != nil {
		return err
	}
	catalog, err := twodoor.NewCatalog(reading, own)
	if err != nil {
		return err
	}
	door := &mcpserver.Door{Engine: &twodoor.Engine{}}
	door.Engine.Serve(catalog)
	for class, expose := range map[string]twodoor.Expose{classTools: twodoor.ExposeFull, classOwn: twodoor.ExposeSearch} {
		tools, err := door.Tools(twodoor.Operator, "", expose)
		if err != nil {
			return err
		}
		for tool := range spread(tools) {
			t.add(class, string(tool))
		}
	}
	for op := range spread(reading.Operations) {
		t.add(classSchemas, string(op.InputSchema()))
		t.prose(op.Description)
	}
	return nil
}

// prose adds a text of some length, to its language.
func (t texts) prose(text string) {
	if len(text) < 120 {
		return
	}
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			t.add(classChinese, text)
			return
		}
	}
	t.add(classProse, text)
}

// examples adds the answers that a description shows.
func (t texts) examples(document *rawjson.Node) {
	var found [][]byte
	var walk func(n *rawjson.Node)
	walk = func(n *rawjson.Node) {
		for key, member := range n.Members() {
			if value := member.Get("value"); key == "examples" && value == nil {
				for _, example := range member.Items {
					if value := example.Get("value"); value.Is(rawjson.KindObject) || value.Is(rawjson.KindArray) {
						found = append(found, value.JSON())
					}
				}
			}
			walk(member)
		}
		for element := range n.Elements() {
			walk(element)
		}
	}
	walk(document)
	for example := range spread(found) {
		t.answer(example)
	}
}

// spread yields at most as many as are weighed.
func spread[T any](all []T) func(yield func(T) bool) {
	step := float64(max(len(all), most)) / most
	return func(yield func(T) bool) {
		for at := 0.0; int(at) < len(all); at += step {
			if !yield(all[int(at)]) {
				return
			}
		}
	}
}

// demo adds the demo service's description and answers to all calls that read.
func (t texts) demo(ctx context.Context) error {
	service := harbor.New(harbor.Options{Now: noon})
	fetch := func(context.Context, string) ([]byte, error) { return service.Document(), nil }
	reading, err := (&openapi.Source{Name: "harbor", File: "http://far.test/openapi.yaml", Target: "http://far.test", Fetch: fetch}).Read(ctx)
	if err != nil {
		return err
	}
	catalog, err := twodoor.NewCatalog(reading)
	if err != nil {
		return err
	}
	engine := &twodoor.Engine{Invokers: map[string]twodoor.Invoker{openapi.Kind: &openapi.Invoker{Doer: far{service.Handler()}}}}
	engine.Serve(catalog)
	for _, op := range reading.Operations {
		if op.Effect != twodoor.Reads || len(op.Examples) == 0 {
			continue
		}
		result, err := engine.Do(ctx, twodoor.Call{Operation: op.ID, Arguments: op.Examples[0].Arguments, Principal: twodoor.Operator})
		if err == nil && rawjson.KindOf(result.Value) > rawjson.KindString {
			t.answer(result.Value)
		}
	}
	return t.reading(ctx, reading)
}

// far sends requests to a handler in this process.
type far struct{ http.Handler }

func (f far) Do(req *http.Request, _ twodoor.Access) (*http.Response, error) {
	if req.Body == nil { // a server always has one
		req.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, req)
	resp := w.Result()
	resp.Request = req
	resp.Body = io.NopCloser(bytes.NewReader(w.Body.Bytes()))
	return resp, nil
}

func noon() time.Time { return time.Date(2026, time.January, 15, 12, 0, 0, 0, time.UTC) }
