package shape

import (
	"cmp"
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strconv"

	"github.com/itchyny/gojq"

	"github.com/twodoor/twodoor/internal/rawjson"
)

// orders remembers the order of keys, which gojq's maps lose.
type orders struct {
	objects map[uintptr][]string // of each object that was read, by its map
	built   [][]string           // of each object that the program builds
	rank    map[string]int       // of each key, by where it is first met
}

func newOrders(query *gojq.Query) *orders {
	o := &orders{objects: make(map[uintptr][]string), rank: make(map[string]int)}
	o.builds(reflect.ValueOf(query), 0)
	return o
}

// builds gathers the keys of each object that is written out in the program.
func (o *orders) builds(v reflect.Value, depth int) {
	if depth > 200 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if object, ok := v.Interface().(*gojq.Object); ok && object != nil {
			o.built = append(o.built, keysOf(object))
		}
		if !v.IsNil() {
			o.builds(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				o.builds(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			o.builds(v.Index(i), depth+1)
		}
	}
}

func keysOf(object *gojq.Object) []string {
	var keys []string
	for _, pair := range object.KeyVals {
		switch {
		case pair.Key != "":
			keys = append(keys, trimKey(pair.Key))
		case pair.KeyString != nil:
			keys = append(keys, pair.KeyString.Str)
		}
	}
	return keys
}

// trimKey takes the $ off {$name}.
func trimKey(key string) string {
	if key[0] == '$' {
		return key[1:]
	}
	return key
}

// decode turns raw JSON into what gojq takes. Integers become ints where they
// fit, other numbers stay text until they are calculated with.
func (o *orders) decode(raw []byte, depth int) any {
	switch rawjson.KindOf(raw) {
	case rawjson.KindBool:
		return raw[0] == 't'
	case rawjson.KindNumber:
		if n, err := strconv.Atoi(string(raw)); err == nil && string(raw) != "-0" {
			return n
		}
		return json.Number(raw)
	case rawjson.KindString:
		text, _ := rawjson.String(raw)
		return text
	case rawjson.KindArray:
		list := []any{}
		for v := range rawjson.Elements(raw) {
			list = append(list, o.decode(v, depth+1))
		}
		return list
	case rawjson.KindObject:
		return o.decodeObject(raw, depth)
	}
	return nil
}

func (o *orders) decodeObject(raw []byte, depth int) any {
	object := make(map[string]any)
	var keys []string
	for key, v := range rawjson.Members(raw) {
		if _, known := object[key]; !known {
			keys = append(keys, key)
		}
		object[key] = o.decode(v, depth+1)
		if _, ranked := o.rank[key]; !ranked {
			o.rank[key] = len(o.rank)
		}
	}
	o.objects[reflect.ValueOf(object).Pointer()] = keys
	return object
}

func (o *orders) encode(dst []byte, value any) []byte {
	switch v := value.(type) {
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case *big.Int:
		return v.Append(dst, 10)
	case json.Number:
		return append(dst, v...)
	case string:
		return rawjson.AppendString(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, element := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = o.encode(dst, element)
		}
		return append(dst, ']')
	case map[string]any:
		return o.encodeObject(dst, v)
	case float64:
		text, err := gojq.Marshal(v)
		if err != nil {
			return append(dst, "null"...)
		}
		return append(dst, text...)
	}
	return append(dst, "null"...)
}

func (o *orders) encodeObject(dst []byte, object map[string]any) []byte {
	dst = append(dst, '{')
	for i, key := range o.keys(object) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendString(dst, key)
		dst = append(dst, ':')
		dst = o.encode(dst, object[key])
	}
	return append(dst, '}')
}

// keys orders the keys of an object: as it was read, as the program builds it,
// else by where each key was first met, and new keys last.
func (o *orders) keys(object map[string]any) []string {
	if known, ok := o.objects[reflect.ValueOf(object).Pointer()]; ok && has(object, known) {
		return known
	}
	for _, built := range o.built {
		if has(object, built) {
			return built
		}
	}
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(o.ranked(a), o.ranked(b)), cmp.Compare(a, b))
	})
	return keys
}

func (o *orders) ranked(key string) int {
	if rank, known := o.rank[key]; known {
		return rank
	}
	return len(o.rank)
}

// has tells whether an object has just these keys.
func has(object map[string]any, keys []string) bool {
	if len(object) != len(keys) {
		return false
	}
	for _, key := range keys {
		if _, found := object[key]; !found {
			return false
		}
	}
	return true
}
