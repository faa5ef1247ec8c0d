package repair

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/schema"
)

// fromHint is the call that a hint shows: the JSON after the colon.
func fromHint(hint string) ([]byte, bool) {
	at := strings.Index(hint, "{")
	if at < 0 {
		return nil, false
	}
	var value json.RawMessage
	err := json.NewDecoder(strings.NewReader(hint[at:])).Decode(&value)
	return value, err == nil
}

var (
	suggested = regexp.MustCompile(`did you mean (.*)\?$`)
	nearest   = regexp.MustCompile(`nearest is (.*)$`)
)

// obey does what each problem says, by rules that need no understanding: a name that is not known
// is renamed as suggested, else left out; a value that does not fit becomes the nearest that is
// named, itself in the type that is wanted, or the plainest value of the part of the schema.
func obey(args []byte, problems []twodoor.Problem) []byte {
	for i := len(problems) - 1; i >= 0; i-- { // the last first: what is renamed is then not missing
		p := problems[i]
		args = at(args, steps(p.Path), func(value []byte, parent []byte) edit {
			switch {
			case strings.HasPrefix(p.Problem, "is not known here"):
				if to := suggested.FindStringSubmatch(p.Problem); to != nil {
					if _, taken := rawjson.Get(parent, to[1]); !taken {
						return edit{rename: to[1]}
					}
				}
				return edit{}
			case strings.HasSuffix(p.Problem, "leave it out"):
				return edit{}
			case strings.HasPrefix(p.Problem, "is required") && value != nil:
				return edit{value: value}
			}
			return edit{value: fitting(value, p)}
		})
	}
	return args
}

func fitting(value []byte, p twodoor.Problem) []byte {
	if near := nearest.FindStringSubmatch(p.Problem); near != nil && json.Valid([]byte(near[1])) {
		return []byte(near[1])
	}
	if compiled, err := schema.Compile(p.Schema); err == nil && value != nil {
		if fitted := compiled.Fit(value); compiled.Accepts(fitted) {
			return fitted
		}
	}
	return schema.Example(p.Schema)
}

// edit is what becomes of a value: it goes, unless there is a value or another name for it.
type edit struct {
	value  []byte
	rename string
}

// at edits the value at a path; nil stands for one that is not there.
func at(whole []byte, path []string, change func(value, parent []byte) edit) []byte {
	if len(path) == 0 {
		if e := change(whole, nil); e.value != nil {
			return e.value
		}
		return whole
	}
	if rawjson.KindOf(whole) == rawjson.KindArray {
		index, err := strconv.Atoi(path[0])
		if err != nil {
			return whole
		}
		return rawjson.Rewrite(whole, func(_ []byte, i int, v []byte) []byte {
			if i != index {
				return v
			}
			if len(path) > 1 {
				return at(v, path[1:], change)
			}
			return change(v, whole).value
		})
	}
	member, there := rawjson.Get(whole, path[0])
	if len(path) > 1 {
		if !there {
			return whole
		}
		return rawjson.Set(whole, path[0], at(member, path[1:], change))
	}
	if !there {
		member = nil
	}
	e := change(member, whole)
	switch {
	case e.rename != "":
		return rawjson.Set(rawjson.Delete(whole, path[0]), e.rename, member)
	case e.value == nil:
		return rawjson.Delete(whole, path[0])
	}
	return rawjson.Set(whole, path[0], bytes.Clone(e.value))
}

// steps takes filter.items[2]["odd key"] apart.
func steps(path string) (list []string) {
	for path != "" {
		switch {
		case path[0] == '.':
			path = path[1:]
		case strings.HasPrefix(path, `["`):
			end := strings.Index(path, `"]`)
			name, _ := rawjson.String([]byte(path[1 : end+1]))
			list, path = append(list, name), path[end+2:]
		case path[0] == '[':
			end := strings.IndexByte(path, ']')
			list, path = append(list, path[1:end]), path[end+1:]
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			list, path = append(list, path[:end]), path[end:]
		}
	}
	return list
}
