package protobuf_test

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
	"github.com/twodoor/twodoor/source/protobuf/call"
	"github.com/twodoor/twodoor/source/protobuf/descriptors"
	"github.com/twodoor/twodoor/source/protobuf/options"
	"github.com/twodoor/twodoor/source/protobuf/pieces"
	"github.com/twodoor/twodoor/source/protobuf/schemas"
)

func kinds(t *testing.T) *descriptors.Set {
	t.Helper()
	input := &descriptors.Input{Files: []string{folder(t, "kinds")}, ImportPaths: []string{folder(t, "kinds")}}
	set, err := input.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestKindsRoundTrip holds the mapping for every kind of field there is, in proto2 and edition 2023.
func TestKindsRoundTrip(t *testing.T) {
	if checked := roundTrips(t, kinds(t), 30); checked < 4 {
		t.Errorf("only %d messages were tried", checked)
	}
}

// TestEitherForm takes 64-bit integers as numbers and as texts, enums by name, fields by either name.
func TestEitherForm(t *testing.T) {
	set := kinds(t)
	reader, err := options.NewReader(set.All())
	if err != nil {
		t.Fatal(err)
	}
	writer := schemas.NewWriter(set.All(), reader)
	md := set.Files[0].Messages().ByName("All")
	raw, err := writer.Object(md, schemas.Inward, nil)
	if err != nil {
		t.Fatal(err)
	}
	check, err := schema.CompileWith(raw, func(name string) []byte { return writer.Definitions[name] })
	if err != nil {
		t.Fatal(err)
	}
	kept, err := pieces.Cut(set.All(), func(protoreflect.FullName) map[string]pieces.Tweak { return nil })
	if err != nil {
		t.Fatal(err)
	}
	types, err := pieces.Open(func(name string) json.RawMessage { return kept[name] }, "kinds.All")
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`{"n":"x","d":"-9223372036854775808","f":18446744073709551615}`: `{"n":"x","d":"-9223372036854775808","f":"18446744073709551615"}`,
		`{"n":"x","am":"5","an":6}`:                                     `{"n":"x","am":"5","an":"6"}`,
		`{"n":"x","p":"SHADE_DARK","e":"7","a":"2.5"}`:                  `{"n":"x","p":"SHADE_DARK","e":7,"a":2.5}`,
		`{"n":"x","m":"true","c":0}`:                                    `{"n":"x","m":true,"c":0}`,
		`{"n":"x","as":{"id":"y","box":{"label":"z"}}}`:                 `{"n":"x","as":{"id":"y","box":{"label":"z"}}}`,
	} {
		fitted := check.Fit([]byte(args))
		if misfits := check.Check(fitted); len(misfits) > 0 {
			t.Errorf("%s: %v %s", args, misfits[0].Path, misfits[0].Message)
			continue
		}
		wire, err := call.Encode(types, "kinds.All", fitted)
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		back, err := call.Decode(types.Lookup(), "kinds.All", wire)
		if err != nil || string(rawjson.AppendCanonical(nil, back)) != string(rawjson.AppendCanonical(nil, []byte(want))) {
			t.Errorf("%s comes back as %s, %v", args, back, err)
		}
	}
	for args, want := range map[string]string{
		`{}`:                        "n ",
		`{"n":"x","p":"SHADE_RED"}`: "p ",
		`{"n":"x","ay":{}}`:         "ay ",
		`{"n":"x","ay":{"one":{"shade":"SHADE_DARK"},"shade":"SHADE_DARK"}}`: "ay ",
		`{"n":"x","ab":"5 minutes"}`:                                         "ab ",
		`{"n":"x","t":{"one":"x"}}`:                                          "t",
		`{"n":"x","nn":1}`:                                                   "nn ",
		`{"n":"x","e":-1}`:                                                   "e ",
		`{"n":"x","as":{}}`:                                                  "as",
	} {
		misfits := check.Check([]byte(args))
		if len(misfits) == 0 || !strings.HasPrefix(misfits[0].Path+" "+misfits[0].Message, want) && !strings.Contains(misfits[0].Message, strings.TrimSpace(want)) {
			t.Errorf("%s: %+v", args, misfits)
		}
	}
}
