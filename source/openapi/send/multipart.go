package send

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/source/openapi/mediatype"
)

// part is one part of a multipart body.
type part struct {
	name, file, media string
	data              []byte
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
	p.media = mime.FormatMediaType(mediatype.Base(media), map[string]string{"boundary": w.Boundary()})
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
	case kind == rawjson.KindArray && !mediatype.IsJSON(f.Media):
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
	for pair := range strings.SplitSeq(string(appendDeep(nil, 0, m.name, m.value, escapeStrict)), "&") {
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

// dispositionSigns are escaped as browsers do it (WHATWG "multipart/form-data encoding").
var dispositionSigns = strings.NewReplacer("\r", "%0D", "\n", "%0A", `"`, "%22")

// fieldDisposition names a part.
func fieldDisposition(name, file string) string {
	text := fmt.Sprintf(`form-data; name="%s"`, dispositionSigns.Replace(name))
	if file != "" {
		text += fmt.Sprintf(`; filename="%s"`, dispositionSigns.Replace(file))
	}
	return text
}
