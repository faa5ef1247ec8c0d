package call

import (
	"encoding/base64"
	"fmt"
	"mime"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/protobuf/pieces"
	"github.com/twodoor/twodoor/source/protobuf/plan"
)

// httpBody is a message that stands for bytes of any type (google/api/httpbody.proto).
const httpBody = "google.api.HttpBody"

// answer is one message as a value.
func (c *calling) answer(data []byte) (*twodoor.Value, error) {
	text, notes, err := c.outputJSON(data)
	if err != nil {
		return nil, err
	}
	if c.method.Out == httpBody {
		return blobOf(text, notes), nil
	}
	for _, name := range c.method.Lists {
		if _, ok := rawjson.Get(text, name); !ok {
			text = rawjson.Set(text, name, []byte("[]"))
		}
	}
	return &twodoor.Value{JSON: text, Notes: notes}, nil
}

// outputJSON is a message in the format of the wire as JSON, under the names of callers.
func (c *calling) outputJSON(data []byte) (text []byte, notes []string, err error) {
	if c.method.Wire != plan.Connect {
		types, err := c.method.types()
		if err != nil {
			return nil, nil, fmt.Errorf("open the messages of %s: %w", c.in.Operation.ID, err)
		}
		lookup := types.Lookup()
		if text, err = Decode(lookup, c.method.Out, data); err != nil {
			return nil, nil, c.nonsense("sent an answer that is no "+c.method.Out, nil, err)
		}
		for _, name := range lookup.Alien {
			notes = append(notes, "the answer holds a "+name+", which its description does not have: its fields are left out")
		}
		return c.outward(text), notes, nil
	}
	if text = rawjson.Trim(data); len(text) == 0 {
		return []byte("{}"), nil, nil
	}
	if err := rawjson.Check(text); err != nil {
		return nil, nil, c.nonsense("sent JSON that is none: "+err.Error(), data, err)
	}
	return c.outward(text), nil, nil
}

func (c *calling) outward(text []byte) []byte {
	if !c.method.Tweaked {
		return text
	}
	types, err := c.method.types()
	if err != nil {
		return text // the request was translated with them
	}
	md, err := types.Message(c.method.Out)
	if err != nil {
		return text
	}
	t := translator{types: types}
	return t.object(md, text, "", 0)
}

// Decode is the bytes of a message as JSON.
func Decode(types *pieces.Lookup, name string, data []byte) ([]byte, error) {
	md, err := types.Message(name)
	if err != nil {
		return nil, err
	}
	m := dynamicpb.NewMessage(md)
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: types}).Unmarshal(data, m); err != nil {
		return nil, err
	}
	text, err := protojson.MarshalOptions{AllowPartial: true, Resolver: types}.Marshal(m)
	if err != nil {
		return nil, err
	}
	return rawjson.Compact(nil, text), nil
}

// blobOf is an answer that stands for bytes.
func blobOf(text []byte, notes []string) *twodoor.Value {
	kind, _ := rawjson.Get(text, "contentType")
	coded, _ := rawjson.Get(text, "data")
	media, _ := rawjson.String(kind)
	packed, _ := rawjson.String(coded)
	data, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return &twodoor.Value{JSON: text, Notes: notes}
	}
	return valueOf(media, data, notes)
}

// valueOf is a body of any type.
func valueOf(media string, data []byte, notes []string) *twodoor.Value {
	base, _, err := mime.ParseMediaType(media)
	switch {
	case len(data) == 0:
		return &twodoor.Value{Notes: notes}
	case err == nil && (base == "application/json" || strings.HasSuffix(base, "+json")) && rawjson.Check(data) == nil:
		return &twodoor.Value{JSON: rawjson.Trim(data), Notes: notes}
	case err == nil && strings.HasPrefix(base, "text/"):
		return &twodoor.Value{JSON: rawjson.Quote(strings.ToValidUTF8(string(data), "\uFFFD")), MediaType: base, Notes: notes}
	}
	return &twodoor.Value{Blobs: []twodoor.Blob{{MediaType: media, Data: data}}, Notes: notes}
}
