package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Override lays the TWODOOR_* variables over the file. The error is an *Invalid that names the variable.
func (l *Loaded) Override(getenv func(string) string) error {
	var faults []Fault
	eachSetting(reflect.ValueOf(&l.Config).Elem(), "", func(f field, path string, v reflect.Value) {
		text := getenv(f.env)
		if f.env == "" || text == "" {
			return
		}
		if problem := setText(f, text, v); problem != "" {
			faults = append(faults, Fault{File: f.env, Path: path, Problem: problem})
			return
		}
		l.origins[path] = Origin{Env: f.env}
	})
	if len(faults) > 0 {
		return &Invalid{Faults: faults}
	}
	return nil
}

// OverrideFlag lays the value of a flag over the key at a path ("server.listen").
func (l *Loaded) OverrideFlag(flag, path, text string) error {
	fault := Fault{File: "--" + flag, Path: path, Problem: fmt.Sprintf("there is no key %q", path)}
	eachSetting(reflect.ValueOf(&l.Config).Elem(), "", func(f field, at string, v reflect.Value) {
		if at == path {
			if fault.Problem = setText(f, text, v); fault.Problem == "" {
				l.origins[path] = Origin{Flag: flag}
			}
		}
	})
	if fault.Problem != "" {
		return &Invalid{Faults: []Fault{fault}}
	}
	return nil
}

// setText writes a text that came from outside the file; a list is separated by commas.
func setText(f field, text string, v reflect.Value) (problem string) {
	if v.Kind() != reflect.Slice {
		return setScalar(f, text, v)
	}
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	v.Set(reflect.ValueOf(items))
	return ""
}

// eachSetting visits the keys that stand at fixed paths: not those below names of the writer's own.
func eachSetting(v reflect.Value, path string, visit func(f field, path string, v reflect.Value)) {
	for _, f := range fieldsOf(v.Type()) {
		value, at := v.Field(f.index), join(path, f.key)
		switch value.Kind() {
		case reflect.Map:
		case reflect.Struct:
			eachSetting(value, at, visit)
		default:
			visit(f, at, value)
		}
	}
}

// Value is one key as it stands, and where it came from.
type Value struct {
	Path   string          `json:"path"`
	Value  json.RawMessage `json:"value"`
	Origin string          `json:"origin"`
}

// Values lists every key that is set or has a default, in the order of the types. Secrets that are
// no references are masked.
func (l *Loaded) Values() []Value {
	var values []Value
	eachValue(reflect.ValueOf(l.Config), field{}, "", func(f field, path string, v reflect.Value) {
		origin, set := l.origins[path]
		if !set && (f.defaults == "" || strings.Contains(path, "connections.") || strings.HasPrefix(path, "sources.") || strings.HasPrefix(path, "profiles.")) {
			return
		}
		if !set {
			fresh := reflect.New(v.Type()).Elem()
			setText(f, f.defaults, fresh)
			v = fresh
		}
		values = append(values, Value{Path: path, Value: plain(f, v), Origin: origin.String()})
	})
	return values
}

// plain is a value as JSON.
func plain(f field, v reflect.Value) json.RawMessage {
	if raw, ok := v.Interface().(json.RawMessage); ok && len(raw) > 0 {
		return raw
	}
	if f.secret && v.Kind() == reflect.String && v.String() != "" && len(References(v.String())) == 0 {
		return json.RawMessage(`"•••"`)
	}
	raw, err := json.Marshal(v.Interface())
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

// eachValue visits the leaves of the configuration.
func eachValue(v reflect.Value, f field, path string, visit func(f field, path string, v reflect.Value)) {
	switch {
	case v.Type() == rawType:
		visit(f, path, v)
	case v.Kind() == reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			eachValue(v.Field(f.index), f, join(path, f.key), visit)
		}
	case v.Kind() == reflect.Map:
		for _, key := range Sorted(keysOf(v)) {
			eachValue(v.MapIndex(reflect.ValueOf(key)), f, join(path, key), visit)
		}
	default:
		visit(f, path, v)
	}
}

func keysOf(v reflect.Value) map[string]bool {
	keys := make(map[string]bool, v.Len())
	for _, key := range v.MapKeys() {
		keys[key.String()] = true
	}
	return keys
}

// text is the text at a path, or nothing.
func (l *Loaded) text(path string) (text string) {
	eachValue(reflect.ValueOf(l.Config), field{}, "", func(_ field, at string, v reflect.Value) {
		if at == path && v.Kind() == reflect.String {
			text = v.String()
		}
	})
	return text
}

// Origin is where the value at a path came from.
func (l *Loaded) Origin(path string) Origin { return l.origins[path] }
