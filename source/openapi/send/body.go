package send

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
	"github.com/twodoor/twodoor/source/openapi/plan"
)

// payload is a request body as it is sent.
type payload struct {
	media  string // Content-Type
	data   []byte
	binary bool   // not for a terminal
	parts  []part // multipart
}

// member is one field of an object body.
type member struct {
	field *plan.Field // its encoding
	name  string      // on the wire
	arg   string      // for faults: the input that it came from
	value []byte
}

// undescribed is how a field is encoded of which the description says nothing.
var undescribed = &plan.Field{Explode: true}

// payload encodes the request body; nil: there is none.
func (r *readyPlan) payload(args *callArgs) (*payload, error) {
	b := r.Body
	if b == nil || len(b.Media) == 0 {
		return nil, nil
	}
	media, err := r.choose(args)
	if err != nil {
		return nil, err
	}
	if b.Arg == "" {
		return r.objectBody(media, args)
	}
	value := args.take(b.Arg)
	if value == nil {
		return nil, nil
	}
	return r.wholeBody(media, value)
}

// choose is the media type to send: the caller's choice, else what the fields given ask for.
func (r *readyPlan) choose(args *callArgs) (string, error) {
	b := r.Body
	var value []byte
	if b.Choice != "" {
		value = args.take(b.Choice)
	}
	if value == nil {
		return r.mediaOfFields(b.Media, "", args)
	}
	want := scalarText(value)
	at := slices.IndexFunc(b.Media, func(media string) bool { return strings.EqualFold(media, want) })
	if at < 0 {
		return "", misfit(b.Choice, fmt.Sprintf("is %q; the far side takes %s", want, strings.Join(b.Media, ", ")))
	}
	return r.mediaOfFields(b.Media[at:at+1], b.Choice+" is "+b.Media[at], args)
}

// mediaOfFields is the first of the media types that takes all the fields given and lacks none of
// those that it requires; else the first that takes them. why tells how it came to these types.
func (r *readyPlan) mediaOfFields(left []string, why string, args *callArgs) (string, error) {
	if !r.parted {
		return left[0], nil
	}
	for _, a := range args.list {
		f := r.fields[a.name]
		if f == nil || f.Only == nil || !a.inBody() {
			continue
		}
		only := strings.Join(f.Only, " or ")
		kept := slices.DeleteFunc(slices.Clone(left), func(media string) bool { return !slices.Contains(f.Only, media) })
		if len(kept) == 0 {
			return "", misfit(a.name, fmt.Sprintf("is taken only as %s, and %s: leave one of the two out", only, why))
		}
		if len(kept) < len(left) {
			left, why = kept, a.name+" only as "+only
		}
	}
	if at := slices.IndexFunc(left, func(media string) bool { return r.isWhole(media, args) }); at >= 0 {
		return left[at], nil
	}
	return left[0], nil
}

// isWhole reports whether all fields are given that a media type requires and others do not.
func (r *readyPlan) isWhole(media string, args *callArgs) bool {
	for i := range r.Body.Fields {
		f := &r.Body.Fields[i]
		given := slices.ContainsFunc(args.list, func(a argument) bool { return a.name == f.Arg && a.inBody() })
		if !given && slices.Contains(f.Need, media) {
			return false
		}
	}
	return true
}

// objectBody is a body whose fields are inputs. No field given: an empty one where the far side
// requires a body or expects a form, else none.
func (r *readyPlan) objectBody(media string, args *callArgs) (*payload, error) {
	members := r.members(args)
	if len(members) == 0 && !r.Body.Required && !r.postsForm(media) {
		return nil, nil
	}
	switch mediatype.Of(media) {
	case mediatype.Form:
		return encodeForm(media, members)
	case mediatype.Multipart:
		return encodeMultipart(media, members)
	case mediatype.JSON, mediatype.Lines, mediatype.Text:
		return &payload{media: concrete(media), data: encodeObject(args, members)}, nil
	}
	return nil, misfit("the body", "cannot be sent as "+media+" field by field")
}

// postsForm reports whether an empty body still says that it is a form: far sides that take forms
// refuse a POST without a content type.
func (r *readyPlan) postsForm(media string) bool {
	return mediatype.Of(media) == mediatype.Form && (r.Method == http.MethodPost || r.Method == http.MethodPut || r.Method == http.MethodPatch)
}

// members are the inputs that belong in the body, in the caller's order, under their names on the wire.
func (r *readyPlan) members(args *callArgs) []member {
	members := make([]member, 0, len(args.list))
	for _, a := range args.list {
		described := r.fields[a.name]
		switch {
		case a.taken:
		case described != nil:
			members = append(members, member{described, described.Wire(), a.name, a.value})
		case r.Body.Rest:
			members = append(members, member{undescribed, a.name, a.name, a.value})
		}
	}
	return members
}

// encodeObject keeps the bytes of the values as they came, and those of the whole where no name
// differs from the caller's.
func encodeObject(args *callArgs, members []member) []byte {
	renamed := func(m member) bool { return m.name != m.arg }
	if args.raw != nil && len(members) == len(args.list) && !slices.ContainsFunc(members, renamed) {
		return args.raw
	}
	var object rawjson.Object
	for _, m := range members {
		object.Put(m.name, m.value)
	}
	return object.Bytes()
}

// wholeBody is a body that is one input.
func (r *readyPlan) wholeBody(media string, value []byte) (*payload, error) {
	arg := r.Body.Arg
	switch mediatype.Of(media) {
	case mediatype.Form:
		return encodeForm(media, r.split(value))
	case mediatype.Multipart:
		return encodeMultipart(media, r.split(value))
	case mediatype.Lines:
		return &payload{media: media, data: encodeLines(value)}, nil
	case mediatype.Text:
		return &payload{media: media, data: []byte(scalarText(value))}, nil
	case mediatype.XML:
		text, ok := rawjson.String(value)
		if !ok {
			return nil, misfit(arg, "is sent as XML: give the XML as a text")
		}
		return &payload{media: media, data: []byte(text)}, nil
	case mediatype.Binary:
		return encodeBinary(arg, media, value)
	}
	if text, ok := rawjson.String(value); ok && media != "application/json" && strings.HasPrefix(text, "data:") && strings.Contains(media, "*") {
		return encodeBinary(arg, media, value)
	}
	return &payload{media: concrete(media), data: rawjson.Trim(value)}, nil
}

// split takes a whole object apart, for encodings that send it field by field.
func (r *readyPlan) split(value []byte) []member {
	var members []member
	for name, item := range rawjson.Members(value) {
		m := member{undescribed, name, r.Body.Arg + "." + name, item}
		for i := range r.Body.Fields {
			if r.Body.Fields[i].Wire() == name {
				m.field = &r.Body.Fields[i]
			}
		}
		members = append(members, m)
	}
	return members
}

// concrete is a media type that may be sent: none with a wildcard.
func concrete(media string) string {
	if strings.Contains(media, "*") {
		return "application/json"
	}
	return media
}

func encodeLines(value []byte) []byte {
	if rawjson.KindOf(value) != rawjson.KindArray {
		return append(rawjson.Compact(nil, value), '\n')
	}
	var out []byte
	for item := range rawjson.Elements(value) {
		out = append(rawjson.Compact(out, item), '\n')
	}
	return out
}

// encodeForm writes application/x-www-form-urlencoded. Without an encoding of their own arrays of
// plain values repeat the name and objects are sent as JSON (OpenAPI 3.1 "Encoding Object").
func encodeForm(media string, members []member) (*payload, error) {
	var out []byte
	for _, m := range members {
		f := m.field
		form := formStyle(f.Style, false)
		if f.Style == "deepObject" {
			out = appendDeep(out, 0, m.name, m.value, form.escape)
			continue
		}
		before := len(out)
		if before > 0 {
			out = append(out, '&')
		}
		from := len(out)
		switch {
		case rawjson.KindOf(m.value) == rawjson.KindNull:
		case mediatype.IsJSON(f.Media), f.Style == "" && rawjson.KindOf(m.value) == rawjson.KindObject:
			out = form.appendPair(out, m.name, scalarText(m.value))
		default:
			out = form.append(out, m.name, m.value, f.Explode)
		}
		if len(out) == from {
			out = out[:before]
		}
	}
	return &payload{media: media, data: out}, nil
}
