package send

import (
	"encoding/base64"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// octets is the media type of bytes of which nothing is known.
const octets = "application/octet-stream"

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
	if !isURL && isPath(data) {
		return blob, misfit(arg, "looks like the path of a file, which is not read here: give its bytes as base64 or as a data: URL, on the command line as @"+data)
	}
	if blob.Data, err = decodeBase64(data); err != nil {
		return blob, misfit(arg, "is not base64: give the bytes as base64, or as a data: URL like data:image/png;name=a.png;base64,iVBORw0…")
	}
	return blob, nil
}

// maxPath is the length up to which a text that begins like a path is taken for one: a picture whose
// base64 begins with a slash is longer.
const maxPath = 256

// isPath reports whether a text names a file rather than holding one. What begins with a slash may be
// base64 of whole groups.
func isPath(text string) bool {
	whole := len(text)%4 == 0
	return len(text) < maxPath && (strings.HasPrefix(text, "/") && !whole ||
		slices.ContainsFunc([]string{"~/", "./", "../"}, func(begin string) bool { return strings.HasPrefix(text, begin) }))
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
