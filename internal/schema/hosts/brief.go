package hosts

import (
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Bounds of what a list says of one part; the rest stays in the full schema.
const (
	maxText      = 140 // bytes of a description
	maxPattern   = 40  // bytes
	maxEnum      = 24  // values
	toldOfEnum   = 8   // of the values of a longer one
	plainLength  = 255 // a maxLength from which nobody comes near it
	maxDefault   = 60  // bytes of JSON
	maxTopText   = 400 // bytes of the description of the whole
	maxTermsTold = 12  // names of left-out properties
)

// shorten leaves out of a part what a list can do without: all but the first
// sentence of its description, and what that says already.
func shorten(out *rawjson.Node, name string) {
	for _, key := range slices.Clone(out.Keys) {
		value := out.Get(key)
		switch key {
		case "format":
			if slices.Contains([]string{"int32", "int64", "float", "double", "string"}, value.Str()) {
				out.Remove(key)
			}
		case "pattern":
			if len(value.Text) > maxPattern {
				out.Remove(key)
			}
		case "maxLength":
			if length, ok := value.Int(); ok && length >= plainLength {
				out.Remove(key)
			}
		case "default":
			if len(value.JSON()) > maxDefault {
				out.Remove(key)
			}
		case "title":
			if out.Get("description") != nil {
				out.Remove(key)
			}
		}
	}
	shortenText(out, name)
	shortenEnum(out)
}

func shortenText(out *rawjson.Node, name string) {
	before := out.Get("description")
	if before == nil {
		return
	}
	if text := firstSentence(before.Str(), maxText); !saysOnly(text, name) {
		out.Put("description", rawjson.StringNode(text))
	} else {
		out.Remove("description")
	}
}

// shortenEnum tells some values of a long enum in words.
func shortenEnum(out *rawjson.Node) {
	values := out.Get("enum")
	if values.Len() <= maxEnum {
		return
	}
	out.Remove("enum")
	texts := make([]string, values.Len())
	for i, v := range values.Items {
		if texts[i] = v.Str(); v.Kind != rawjson.KindString {
			texts[i] = string(v.JSON())
		}
	}
	describe(out, "One of "+few(texts, toldOfEnum)+".")
}

// firstSentence is the beginning of a text, of at most so many bytes, without
// Markdown links.
func firstSentence(text string, most int) string {
	if longest := 4 * most; len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "")
	}
	text = withoutLinks(strings.Join(strings.Fields(text), " "))
	for _, end := range []string{". ", "。"} {
		for from := 0; ; {
			at := strings.Index(text[from:], end)
			if at < 0 {
				break
			}
			at += from
			if before := text[:at]; !strings.HasSuffix(before, "e.g") && !strings.HasSuffix(before, "i.e") && !strings.HasSuffix(before, "vs") {
				text = text[:at+len(strings.TrimSpace(end))]
				break
			}
			from = at + len(end)
		}
	}
	if len(text) <= most {
		return strings.TrimSuffix(text, ".")
	}
	text = strings.ToValidUTF8(text[:most], "")
	if at := strings.LastIndexByte(text, ' '); at > most/2 {
		text = text[:at]
	}
	return text + "…"
}

// withoutLinks leaves the words of [words](address).
func withoutLinks(text string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(text, '[')
		middle := strings.Index(text, "](")
		if open < 0 || middle < open {
			break
		}
		end := strings.IndexByte(text[middle:], ')')
		if end < 0 {
			break
		}
		b.WriteString(text[:open])
		b.WriteString(text[open+1 : middle])
		text = text[middle+end+1:]
	}
	return b.String() + text
}

// saysOnly tells a description that repeats the name: "Alert ID." of alert_id.
func saysOnly(text, name string) bool {
	if len(text) > len(name)+20 {
		return false
	}
	var words strings.Builder
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		word = strings.Trim(word, ".`'\"")
		if word != "the" && word != "a" && word != "an" && word != "of" {
			words.WriteString(word)
		}
	}
	return words.Len() == 0 || sameWord(words.String(), name)
}
