package guide

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// Invoke lists guides or reads some. A name that there is not is not_found, with the nearest names.
func (s *Source) Invoke(_ context.Context, in *twodoor.Invocation) (*twodoor.Value, error) {
	library := s.library()
	switch in.Operation.ID {
	case ListID:
		return valueOf(map[string][]Guide{"guides": append([]Guide{}, library.Guides...)})
	case ReadID:
		return library.read(in.Arguments)
	}
	return nil, fmt.Errorf("%s is no operation of guides", in.Operation.ID)
}

// told is a guide as it is read.
type told struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

func (l *Library) read(arguments json.RawMessage) (*twodoor.Value, error) {
	var args struct{ Names []string }
	if err := json.Unmarshal(arguments, &args); err != nil {
		return nil, &twodoor.Error{Code: twodoor.CodeInvalid, Message: "names is not a list of texts", Cause: err}
	}
	texts := []told{}
	for _, name := range args.Names {
		g := l.Find(name)
		if g == nil {
			return nil, l.Unknown(name)
		}
		texts = append(texts, told{g.Name, g.Title, g.Text})
	}
	return valueOf(map[string][]told{"guides": texts})
}

// Unknown is the error of a name that no guide has.
func (l *Library) Unknown(name string) *twodoor.Error {
	fault := &twodoor.Error{
		Code: twodoor.CodeNotFound, Message: fmt.Sprintf("there is no guide %q", name), Hint: "list_guides tells which there are",
		Try: rawjson.Nearest(l.Names(), name, 3),
	}
	if len(l.Guides) == 0 {
		fault.Hint = "there are no guides here: find an operation instead"
	}
	return fault
}

func valueOf(value any) (*twodoor.Value, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, fmt.Errorf("encode guides: %w", err)
	}
	return &twodoor.Value{JSON: bytes.TrimSpace(out.Bytes())}, nil
}
