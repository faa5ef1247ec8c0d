package clients

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// Format is the language of a client's file.
type Format string

// The formats. YAML is read, and told; nothing is written into it.
const (
	JSON Format = "json" // with comments and trailing commas, where they are
	TOML Format = "toml"
	YAML Format = "yaml"
)

// bom is the byte order mark with which some editors of Windows begin a file.
var bom = []byte("\xef\xbb\xbf")

// Edit is one change of a text: it puts an entry in, in the place of one of the same name, or takes
// one out. All bytes outside of the entry stay.
type Edit struct {
	Format Format   // required
	Path   []string // required; the keys that lead to the entry, its name last
	Entry  []byte   // JSON; for TOML an object of texts and lists of texts
	Input  []byte   // JSON of a question that the client asks for the entry, with an id; empty: none
	Inputs []string // the keys of the list of questions
}

// Put writes the entry into a text. An error says, with the line, why the text cannot be changed.
func (e Edit) Put(text []byte) ([]byte, error) {
	body, mark := unmarked(text)
	out, err := e.put(body)
	if err != nil {
		return nil, err
	}
	if got, err := e.Get(out); err != nil || !rawjson.Equal(got, e.Entry) {
		return nil, fmt.Errorf("%s would not be read back", pathText(e.Path))
	}
	return slices.Concat(mark, out), nil
}

func (e Edit) put(text []byte) ([]byte, error) {
	if e.Format == TOML {
		d, err := parseTOML(text)
		if err != nil {
			return nil, err
		}
		return d.put(e.Path, settingsOf(e.Entry))
	}
	d, err := parseJSONC(text)
	if err != nil {
		return nil, err
	}
	out, err := d.put(e.Path, e.Entry)
	if err != nil || len(e.Input) == 0 {
		return out, err
	}
	return e.putInput(out)
}

// putInput adds the question, where no question of its id is there.
func (e Edit) putInput(text []byte) ([]byte, error) {
	d, err := parseJSONC(text)
	if err != nil {
		return nil, err
	}
	in, _, err := e.input(d)
	if in != nil || err != nil {
		return text, err
	}
	return d.add(e.Inputs, e.Input)
}

// Take cuts the entry of the path out, and its question where nothing else names it. It reports
// whether there was one.
func (e Edit) Take(text []byte) ([]byte, bool, error) {
	body, mark := unmarked(text)
	if e.Format == TOML {
		d, err := parseTOML(body)
		if err != nil {
			return nil, false, err
		}
		out, found, err := d.take(e.Path)
		return slices.Concat(mark, out), found, err
	}
	d, err := parseJSONC(body)
	if err != nil {
		return nil, false, err
	}
	out, found, err := d.take(e.Path)
	if err == nil && found && len(e.Input) > 0 {
		out, err = e.takeInput(out)
	}
	return slices.Concat(mark, out), found, err
}

func (e Edit) takeInput(text []byte) ([]byte, error) {
	id := e.inputID()
	if bytes.Contains(text, []byte("${input:"+id+"}")) {
		return text, nil
	}
	d, err := parseJSONC(text)
	if err != nil {
		return nil, err
	}
	list, at, err := e.input(d)
	if list == nil || err != nil {
		return text, err
	}
	return d.takeItem(list, at), nil
}

// input finds the question: the list it is in, and where it begins. No list: there is none.
func (e Edit) input(d *jsonc) (list *hujson.Value, at int, err error) {
	list, err = d.find(e.Inputs)
	if list == nil || err != nil {
		return nil, 0, err
	}
	questions, _ := list.Value.(*hujson.Array)
	if questions == nil {
		return nil, 0, nil
	}
	for i := range questions.Elements {
		question := questions.Elements[i].Clone()
		question.Minimize()
		if raw, ok := rawjson.Get(question.Pack(), "id"); ok {
			if id, _ := rawjson.String(raw); id == e.inputID() {
				return list, questions.Elements[i].StartOffset, nil
			}
		}
	}
	return nil, 0, nil
}

func (e Edit) inputID() string {
	raw, _ := rawjson.Get(e.Input, "id")
	id, _ := rawjson.String(raw)
	return id
}

// Get is the entry of the path as JSON; nil: there is none.
func (e Edit) Get(text []byte) ([]byte, error) {
	body, _ := unmarked(text)
	if e.Format == TOML {
		d, err := parseTOML(body)
		if err != nil {
			return nil, err
		}
		value, there := tomlAt(d.values, e.Path)
		if !there {
			return nil, nil
		}
		return jsonOf(value)
	}
	d, err := parseJSONC(body)
	if err != nil {
		return nil, err
	}
	at, err := d.find(e.Path)
	if at == nil || err != nil {
		return nil, err
	}
	value := at.Clone()
	value.Minimize()
	return value.Pack(), nil
}

func unmarked(text []byte) (body, mark []byte) {
	if bytes.HasPrefix(text, bom) {
		return text[len(bom):], bom
	}
	return text, nil
}

func settingsOf(entry []byte) []setting {
	var all []setting
	for key, raw := range rawjson.Members(entry) {
		if text, ok := rawjson.String(raw); ok {
			all = append(all, setting{key, text})
			continue
		}
		texts := []string{}
		for element := range rawjson.Elements(raw) {
			text, _ := rawjson.String(element)
			texts = append(texts, text)
		}
		all = append(all, setting{key, texts})
	}
	return all
}
