package command

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twodoor/twodoor"
	"github.com/twodoor/twodoor/internal/argv"
	"github.com/twodoor/twodoor/internal/rawjson"
)

// text reads a scalar as text: numbers and truth values as they are written.
func (r *fileReader) text(n *rawjson.Node, path string) string {
	switch {
	case n.Is(rawjson.KindString):
		return n.Str()
	case n.Is(rawjson.KindNumber), n.Is(rawjson.KindBool):
		return string(n.Text)
	}
	r.fault(n, path, "%s is no text", path)
	return ""
}

func (r *fileReader) textInto(into *string, path string) func(*rawjson.Node) {
	return func(n *rawjson.Node) { *into = r.text(n, path) }
}

func (r *fileReader) truthInto(into *bool, path string) func(*rawjson.Node) {
	return func(n *rawjson.Node) {
		if !n.Is(rawjson.KindBool) {
			r.fault(n, path, "%s is neither true nor false", path)
		}
		*into = n.Bool()
	}
}

// texts reads a list of texts; a single one stands for a list of one.
func (r *fileReader) texts(n *rawjson.Node, path string) []string {
	if !n.Is(rawjson.KindArray) {
		return []string{r.text(n, path)}
	}
	list := []string{}
	for item := range n.Elements() {
		list = append(list, r.text(item, path))
	}
	return list
}

func (r *fileReader) duration(n *rawjson.Node, path string) string {
	text := r.text(n, path)
	if d, err := time.ParseDuration(text); err != nil || d <= 0 {
		r.fault(n, path, "%s is %q, no duration: write 30s or 2m", path, text)
	}
	return text
}

// size reads a number of bytes: 65536, 64KiB, 8MiB.
func (r *fileReader) size(n *rawjson.Node, path string) int64 {
	text := r.text(n, path)
	number, unit := strings.TrimRight(text, "KMGiB"), int64(1)
	switch strings.TrimPrefix(text, number) {
	case "", "B":
	case "KiB":
		unit = 1 << 10
	case "MiB":
		unit = 1 << 20
	case "GiB":
		unit = 1 << 30
	default:
		unit = 0
	}
	value, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
	if err != nil || value <= 0 || unit == 0 {
		r.fault(n, path, "%s is %q, no size: write 65536, 64KiB or 8MiB", path, text)
	}
	return value * unit
}

func (r *fileReader) statuses(n *rawjson.Node, path string) []int {
	items := []*rawjson.Node{n}
	if n.Is(rawjson.KindArray) {
		items = n.Items
	}
	list := []int{}
	for _, item := range items {
		status, ok := item.Int()
		if !ok || status < 0 || status > 255 {
			r.fault(item, path, "%s: an exit status is a number from 0 to 255", path)
			continue
		}
		list = append(list, int(status))
	}
	return list
}

// codes reads which exit status is which kind of fault.
func (r *fileReader) codes(n *rawjson.Node, path string) map[int]string {
	codes := map[int]string{}
	r.each(n, path, func(key string, n *rawjson.Node) {
		status, err := strconv.Atoi(key)
		if err != nil || status < 1 || status > 255 {
			r.fault(n, path, "%s: %q is no exit status", path, key)
		}
		name := r.text(n, path)
		var code twodoor.Code
		if code.UnmarshalText([]byte(name)) != nil || !slices.Contains(upstreamCodes, code) {
			r.fault(n, path, "%s: %q is none of %s", path, name, codeNames())
		}
		codes[status] = name
	})
	return codes
}

// upstreamCodes are the kinds of fault that a program's exit status may tell.
var upstreamCodes = []twodoor.Code{
	twodoor.CodeInvalid, twodoor.CodeUpstreamAuth, twodoor.CodeUnavailable, twodoor.CodeTimeout, twodoor.CodeNotFound,
	twodoor.CodeConflict, twodoor.CodeLimited, twodoor.CodeTooLarge, twodoor.CodeUpstream,
}

func codeNames() string {
	var names []string
	for _, code := range upstreamCodes {
		names = append(names, code.String())
	}
	return strings.Join(names, ", ")
}

// optionNames reads names of options, with their dashes.
func (r *fileReader) optionNames(n *rawjson.Node, path string) []string {
	names := r.texts(n, path)
	for _, name := range names {
		if argv.OptionName(name) == "" {
			r.fault(n, path, "%s: %q is no option: write it with its dashes", path, name)
		}
	}
	return names
}

// variable is a variable of a program's environment.
type variable struct {
	Name  string   `json:"name"`
	Value template `json:"value"`
}

func (r *fileReader) env(n *rawjson.Node, path string) (env []variable) {
	r.each(n, path, func(key string, n *rawjson.Node) {
		if !envName.MatchString(key) {
			r.fault(n, path, "%s: %q is no name of a variable", path, key)
		}
		env = append(env, variable{key, r.template(n, join(path, key))})
	})
	return env
}

// template reads a text with parameters in it.
func (r *fileReader) template(n *rawjson.Node, path string) template {
	text := r.text(n, path)
	if _, err := template(text).parts(); err != nil {
		r.fault(n, path, "%s: %v", path, err)
	}
	return template(text)
}
