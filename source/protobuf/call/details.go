package call

import (
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/protobuf/descriptors"
	"github.com/twodoor/twodoor/source/protobuf/pieces"
)

// saying is what the details of an error say (google/rpc/error_details.proto, and the violations of
// buf.validate).
type saying struct {
	calling *calling
	details rawjson.Array // each with its @type
	message string        // in the words for users
	reason  string
	hint    string
	retry   time.Duration
	fields  []twodoor.Problem
}

// maxDetails bounds how many details are read, and how many misfits are told.
const maxDetails = 20

func (c *calling) detailsOf(told *connect.Error) *saying {
	s := &saying{calling: c}
	for i, detail := range told.Details() {
		if i == maxDetails {
			break
		}
		s.add(detail.Type(), detail.Bytes())
	}
	return s
}

// add reads one detail. What nobody describes is told by its name.
func (s *saying) add(name string, data []byte) {
	text := s.calling.detail(name, data)
	if text == nil {
		text = []byte("{}")
	}
	s.read(name, text)
	var whole rawjson.Object
	whole.PutString("@type", name)
	for key, value := range rawjson.Members(text) {
		whole.Put(key, value)
	}
	s.details.Add(whole.Bytes())
}

// detail is a detail as JSON, by the bundled descriptors or by those of the source; nil: neither has it.
func (c *calling) detail(name string, data []byte) []byte {
	registry, err := descriptors.Bundled()
	if err != nil {
		return nil
	}
	if d, err := registry.FindDescriptorByName(protoreflect.FullName(name)); err == nil {
		md, ok := d.(protoreflect.MessageDescriptor)
		if !ok {
			return nil
		}
		m := dynamicpb.NewMessage(md)
		if proto.Unmarshal(data, m) != nil {
			return nil
		}
		text, err := protojson.Marshal(m)
		if err != nil {
			return nil
		}
		return rawjson.Compact(nil, text)
	}
	types, err := pieces.Open(c.in.Operation.Definition, name)
	if err != nil {
		return nil
	}
	text, err := Decode(types.Lookup(), name, data)
	if err != nil {
		return nil
	}
	return text
}

func (s *saying) read(name string, text []byte) {
	switch name {
	case "google.rpc.BadRequest":
		s.violations(text, "fieldViolations", "field", "description")
	case "google.rpc.PreconditionFailure":
		s.violations(text, "violations", "subject", "description")
	case "google.rpc.QuotaFailure":
		s.violations(text, "violations", "subject", "description")
	case "buf.validate.Violations":
		s.validated(text)
	case "google.rpc.RetryInfo":
		if wait, err := time.ParseDuration(textOf(text, "retryDelay")); err == nil {
			s.retry = bounded(wait)
		}
	case "google.rpc.LocalizedMessage":
		s.message = s.clean(text, "message")
	case "google.rpc.ErrorInfo":
		s.reason = s.clean(text, "reason")
	case "google.rpc.Help":
		links, _ := rawjson.Get(text, "links")
		for link := range rawjson.Elements(links) {
			s.hint = strings.TrimSpace(strings.Join([]string{s.hint, s.clean(link, "description"), s.clean(link, "url")}, " "))
		}
	}
}

func textOf(raw []byte, key string) string {
	value, _ := rawjson.Get(raw, key)
	text, _ := rawjson.String(value)
	return text
}

func (s *saying) clean(raw []byte, key string) string { return s.calling.clean(textOf(raw, key)) }

func (s *saying) violations(text []byte, list, path, problem string) {
	all, _ := rawjson.Get(text, list)
	for each := range rawjson.Elements(all) {
		s.problem(s.clean(each, path), s.clean(each, problem))
	}
}

func (s *saying) problem(path, problem string) {
	if len(s.fields) < maxDetails && (path != "" || problem != "") {
		s.fields = append(s.fields, twodoor.Problem{Path: jsonPath(path), Problem: problem})
	}
}

// validated reads the violations of protovalidate, whose paths are lists of elements.
func (s *saying) validated(text []byte) {
	all, _ := rawjson.Get(text, "violations")
	for each := range rawjson.Elements(all) {
		steps, _ := rawjson.GetPath(each, "field", "elements")
		var path strings.Builder
		for step := range rawjson.Elements(steps) {
			if path.Len() > 0 {
				path.WriteByte('.')
			}
			path.WriteString(s.clean(step, "fieldName"))
			if index, ok := rawjson.Get(step, "index"); ok {
				digits, isText := rawjson.String(index)
				if !isText {
					digits = string(index)
				}
				path.WriteString("[" + digits + "]")
			}
		}
		s.problem(path.String(), s.clean(each, "message"))
	}
}

// jsonPath is a path of field names as callers write it: pipeline_id is pipelineId.
func jsonPath(path string) string {
	var b strings.Builder
	up := false
	for _, r := range path {
		switch {
		case r == '_':
			up = true
			continue
		case up && r >= 'a' && r <= 'z':
			r -= 'a' - 'A'
		}
		b.WriteRune(r)
		up = false
	}
	return b.String()
}

// body is the error as the far side told it.
func (s *saying) body(told *connect.Error) []byte {
	var out rawjson.Object
	out.PutString("code", told.Code().String())
	out.PutString("message", s.calling.clean(told.Message()))
	if details := s.details.Bytes(); len(details) > 2 && len(details) <= maxFaultBody {
		out.Put("details", []byte(s.calling.invoker.redact(string(details))))
	}
	return out.Bytes()
}
