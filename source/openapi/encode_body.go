package openapi

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// payload is a request body as it is sent.
type payload struct {
	media  string // Content-Type
	data   []byte
	binary bool   // not for a terminal
	parts  []part // multipart
}

// part is one part of a multipart body.
type part struct {
	name, file, media string
	data              []byte
}

// member is one field of an object body.
type member struct {
	field *field // its encoding
	name  string // on the wire
	arg   string // for faults: the input that it came from
	value []byte
}

// undescribed is how a field is encoded of which the description says nothing.
var undescribed = &field{Explode: true}

// payload encodes the request body; nil: there is none.
func (r *readyPlan) payload(args *callArgs) (*payload, error) {
	b := r.Body
	if b == nil || len(b.Media) == 0 {
		return nil, nil
	}
	media, err := b.choose(args)
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

// choose is the media type to send: the caller's choice, else the first.
func (b *body) choose(args *callArgs) (string, error) {
	if b.Choice == "" {
		return b.Media[0], nil
	}
	value := args.take(b.Choice)
	if value == nil {
		return b.Media[0], nil
	}
	want := scalarText(value)
	for _, media := range b.Media {
		if strings.EqualFold(media, want) {
			return media, nil
		}
	}
	return "", misfit(b.Choice, fmt.Sprintf("is %q; the far side takes %s", want, strings.Join(b.Media, ", ")))
}

// objectBody is a body whose fields are inputs. No field given: an empty one where the far side
// requires a body or expects a form, else none.
func (r *readyPlan) objectBody(media string, args *callArgs) (*payload, error) {
	members := r.members(args)
	if len(members) == 0 && !r.Body.Required && !r.postsForm(media) {
		return nil, nil
	}
	switch kindOf(media) {
	case formBody:
		return encodeForm(media, members)
	case multipartBody:
		return encodeMultipart(media, members)
	case jsonBody, linesBody, textBody:
		return &payload{media: concrete(media), data: encodeObject(args, members)}, nil
	}
	return nil, misfit("the body", "cannot be sent as "+media+" field by field")
}

// postsForm reports whether an empty body still says that it is a form: far sides that take forms
// refuse a POST without a content type.
func (r *readyPlan) postsForm(media string) bool {
	return kindOf(media) == formBody && (r.Method == http.MethodPost || r.Method == http.MethodPut || r.Method == http.MethodPatch)
}

// members are the inputs that belong in the body, in the caller's order, under their names on the wire.
func (r *readyPlan) members(args *callArgs) []member {
	members := make([]member, 0, len(args.list))
	for _, a := range args.list {
		described := r.fields[a.name]
		switch {
		case a.taken:
		case described != nil:
			members = append(members, member{described, described.wire(), a.name, a.value})
		case r.Body.Rest:
			members = append(members, member{undescribed, a.name, a.name, a.value})
		}
	}
	return members
}

// encodeObject keeps the bytes of the values as they came, and those of the whole where no name
// differs from the caller's.
func encodeObject(args *callArgs, members []member) []byte {
	same := args.raw != nil && len(members) == len(args.list)
	var object rawjson.Object
	for _, m := range members {
		same = same && m.name == m.arg
		object.Put(m.name, m.value)
	}
	if same {
		return args.raw
	}
	return object.Bytes()
}

// wholeBody is a body that is one input.
func (r *readyPlan) wholeBody(media string, value []byte) (*payload, error) {
	arg := r.Body.Arg
	switch kindOf(media) {
	case formBody:
		return encodeForm(media, r.split(value))
	case multipartBody:
		return encodeMultipart(media, r.split(value))
	case linesBody:
		return &payload{media: media, data: encodeLines(value)}, nil
	case textBody:
		return &payload{media: media, data: []byte(scalarText(value))}, nil
	case xmlBody:
		text, ok := rawjson.String(value)
		if !ok {
			return nil, misfit(arg, "is sent as XML: give the XML as a text")
		}
		return &payload{media: media, data: []byte(text)}, nil
	case binaryBody:
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
			if r.Body.Fields[i].wire() == name {
				m.field = &r.Body.Fields[i]
			}
		}
		members = append(members, m)
	}
	return members
}

// bodyKind is a way of encoding a body.
type bodyKind uint8

const (
	jsonBody bodyKind = iota
	formBody
	multipartBody
	linesBody
	xmlBody
	textBody
	binaryBody
)

// kindOf is the encoding that a media type stands for. Types of any application are taken as JSON:
// that is what those who describe */* send.
func kindOf(media string) bodyKind {
	base := baseType(media)
	switch {
	case isJSON(base), base == "*/*", base == "application/*":
		return jsonBody
	case base == "application/x-www-form-urlencoded":
		return formBody
	case strings.HasPrefix(base, "multipart/"):
		return multipartBody
	case isLines(base):
		return linesBody
	case isXML(base):
		return xmlBody
	case isText(base):
		return textBody
	}
	return binaryBody
}

// baseType is a media type in small letters, without parameters.
func baseType(media string) string {
	base, _, _ := strings.Cut(media, ";")
	return strings.ToLower(strings.TrimSpace(base))
}

func isJSON(media string) bool {
	base := baseType(media)
	return base == "application/json" || base == "text/json" || base == "application/x-json" || strings.HasSuffix(base, "+json")
}

func isLines(base string) bool {
	switch base {
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl", "application/jsonlines",
		"application/x-jsonlines", "application/json-lines", "application/stream+json", "application/json-seq":
		return true
	}
	return false
}

func isXML(base string) bool {
	return base == "application/xml" || base == "text/xml" || strings.HasSuffix(base, "+xml")
}

func isText(base string) bool {
	switch base {
	case "application/yaml", "application/x-yaml", "application/toml", "application/graphql", "application/javascript",
		"application/sql", "application/x-sh", "application/x-www-form-urlencoded":
		return true
	}
	return strings.HasPrefix(base, "text/") || strings.HasSuffix(base, "+yaml")
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
			out = appendDeep(out, m.name, m.value, form.escape)
			continue
		}
		before := len(out)
		if before > 0 {
			out = append(out, '&')
		}
		from := len(out)
		switch {
		case rawjson.KindOf(m.value) == rawjson.KindNull:
		case isJSON(f.Media), f.Style == "" && rawjson.KindOf(m.value) == rawjson.KindObject:
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

// encodeMultipart writes multipart/form-data (RFC 7578), or another multipart type likewise.
func encodeMultipart(media string, members []member) (*payload, error) {
	p := &payload{binary: true}
	for _, m := range members {
		if err := p.addMember(m); err != nil {
			return nil, err
		}
	}
	var buffer bytes.Buffer
	w := multipart.NewWriter(&buffer)
	for _, part := range p.parts {
		if err := part.write(w); err != nil {
			return nil, fmt.Errorf("write a multipart body: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("write a multipart body: %w", err)
	}
	p.data = buffer.Bytes()
	p.media = mime.FormatMediaType(baseType(media), map[string]string{"boundary": w.Boundary()})
	return p, nil
}

// addMember adds the parts of a field: one for each item of an array, unless the array is described
// as one JSON text.
func (p *payload) addMember(m member) error {
	f := m.field
	switch kind := rawjson.KindOf(m.value); {
	case kind == rawjson.KindNull:
		return nil
	case f.Style == "deepObject" && !f.Binary && (kind == rawjson.KindObject || kind == rawjson.KindArray):
		return p.addDeep(m)
	case kind == rawjson.KindArray && !isJSON(f.Media):
		for item := range rawjson.Elements(m.value) {
			if err := p.addMember(member{f, m.name, m.arg, item}); err != nil {
				return err
			}
		}
		return nil
	case f.Binary:
		return p.addFile(m)
	case kind == rawjson.KindObject && f.Media == "":
		p.parts = append(p.parts, part{name: m.name, media: "application/json", data: []byte(scalarText(m.value))})
		return nil
	}
	p.parts = append(p.parts, part{name: m.name, media: firstType(f.Media), data: []byte(scalarText(m.value))})
	return nil
}

// addDeep sends an object or a list as parts named with brackets.
func (p *payload) addDeep(m member) error {
	for pair := range strings.SplitSeq(string(appendDeep(nil, m.name, m.value, escapeStrict)), "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, nameErr := url.PathUnescape(name)
		value, err := url.PathUnescape(value)
		if nameErr != nil || err != nil {
			return misfit(m.arg, "cannot be sent as a form")
		}
		if name != "" {
			p.parts = append(p.parts, part{name: name, data: []byte(value)})
		}
	}
	return nil
}

// addFile sends bytes as a file: servers take a part without a file name for a text.
func (p *payload) addFile(m member) error {
	text, ok := rawjson.String(m.value)
	if !ok {
		return misfit(m.arg, "is a file: give its bytes as base64, or as a data: URL with its type and name")
	}
	blob, err := decodeBytes(m.arg, text)
	if err != nil {
		return err
	}
	file := part{name: m.name, file: blob.Name, media: blob.MediaType, data: blob.Data}
	if file.file == "" {
		file.file = m.name
	}
	if file.media == "" {
		file.media = firstType(m.field.Media)
	}
	if file.media == "" {
		file.media = octets
	}
	p.parts = append(p.parts, file)
	return nil
}

// octets is the media type of bytes of which nothing is known.
const octets = "application/octet-stream"

// firstType is the first of the types that an encoding lists, or nothing where it has a wildcard.
func firstType(list string) string {
	first, _, _ := strings.Cut(list, ",")
	if first = strings.TrimSpace(first); strings.Contains(first, "*") {
		return ""
	}
	return first
}

func (p part) write(w *multipart.Writer) error {
	header := textproto.MIMEHeader{"Content-Disposition": {fieldDisposition(p.name, p.file)}}
	if p.media != "" {
		header.Set("Content-Type", p.media)
	}
	to, err := w.CreatePart(header)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, bytes.NewReader(p.data))
	return err
}

// fieldDisposition names a part. The escapes are those of browsers (WHATWG "multipart/form-data encoding").
func fieldDisposition(name, file string) string {
	escape := strings.NewReplacer("\r", "%0D", "\n", "%0A", `"`, "%22")
	text := fmt.Sprintf(`form-data; name="%s"`, escape.Replace(name))
	if file != "" {
		text += fmt.Sprintf(`; filename="%s"`, escape.Replace(file))
	}
	return text
}

// encodeBinary sends bytes as they are.
func encodeBinary(arg, media string, value []byte) (*payload, error) {
	text, ok := rawjson.String(value)
	if !ok {
		return nil, misfit(arg, "is sent as bytes: give them as base64, or as a data: URL")
	}
	blob, err := decodeBytes(arg, text)
	if err != nil {
		return nil, err
	}
	if strings.Contains(media, "*") {
		if media = blob.MediaType; media == "" {
			media = octets
		}
	}
	return &payload{media: media, data: blob.Data, binary: true}, nil
}

// decodeBytes reads the text form of bytes: base64 of either alphabet (RFC 4648), or a data: URL
// (RFC 2397) whose parameter name is the file's name.
func decodeBytes(arg, text string) (twodoor.Blob, error) {
	blob := twodoor.Blob{}
	data, isURL := strings.CutPrefix(text, "data:")
	coded := true
	if isURL {
		head, tail, found := strings.Cut(data, ",")
		if !found {
			return blob, misfit(arg, "is a data: URL without a comma")
		}
		head, coded = strings.CutSuffix(head, ";base64")
		blob.MediaType, blob.Name = dataHead(head)
		data = tail
	}
	var err error
	if isURL && strings.Contains(data, "%") || !coded {
		if data, err = url.PathUnescape(data); err != nil {
			return blob, misfit(arg, "is a data: URL with a bad percent escape")
		}
	}
	if blob.Data = []byte(data); !coded {
		return blob, nil
	}
	if blob.Data, err = decodeBase64(data); err != nil {
		return blob, misfit(arg, "is not base64: give the bytes as base64, or as a data: URL like data:image/png;name=a.png;base64,iVBORw0…")
	}
	return blob, nil
}

// dataHead reads the media type of a data: URL, with its parameters but without the name.
func dataHead(head string) (media, name string) {
	var kept []string
	for piece := range strings.SplitSeq(head, ";") {
		key, value, _ := strings.Cut(piece, "=")
		if key = strings.ToLower(key); key == "name" || key == "filename" {
			if plain, err := url.PathUnescape(value); err == nil {
				value = plain
			}
			name = strings.Trim(value, `"`)
			continue
		}
		kept = append(kept, piece)
	}
	media = strings.Join(kept, ";")
	if _, _, err := mime.ParseMediaType(media); err != nil {
		media = "" // whatever it says, it goes into no header
	}
	return media, name
}

// decodeBase64 takes both alphabets, with and without padding and line breaks.
func decodeBase64(text string) ([]byte, error) {
	text = strings.Map(func(r rune) rune {
		switch r {
		case '-':
			return '+'
		case '_':
			return '/'
		case ' ', '\t', '\r', '\n', '=':
			return -1
		}
		return r
	}, text)
	return base64.RawStdEncoding.DecodeString(text)
}
