package config

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// field is a key of the configuration, as the tags of the types say it.
type field struct {
	key, about, format, env string
	defaults                string
	enum                    []string
	secret                  bool
	index                   int
	kind                    reflect.Type
}

// fieldsOf lists the keys of a struct, in the order of the type.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		key, ok := tag.Lookup("key")
		if !ok {
			continue
		}
		f := field{
			key: key, about: tag.Get("about"), format: tag.Get("format"), env: tag.Get("env"),
			defaults: tag.Get("default"), secret: tag.Get("secret") == "true", index: i, kind: t.Field(i).Type,
		}
		if enum := tag.Get("enum"); enum != "" {
			f.enum = strings.Split(enum, "|")
		}
		fields = append(fields, f)
	}
	return fields
}

var (
	rawType        = reflect.TypeFor[json.RawMessage]()
	annotationType = reflect.TypeFor[Annotation]()

	referencePattern = regexp.MustCompile(`\$\{(env|file|keyring):([^}]*)\}`)
	agePattern       = regexp.MustCompile(`^[0-9]+(d|h|m|s)$`)
	sizePattern      = regexp.MustCompile(`^[0-9]+(B|[KMGT]i?B)?$`)
)

// check says what is wrong with a text for this key, or nothing.
func (f field) check(text string) string {
	if len(f.enum) > 0 && !slices.Contains(f.enum, text) {
		return fmt.Sprintf("%q is none of %s", text, strings.Join(f.enum, ", "))
	}
	if referencePattern.MatchString(text) {
		return ""
	}
	switch f.format {
	case "duration":
		if d, err := time.ParseDuration(text); err != nil || d <= 0 {
			return fmt.Sprintf("%q is no duration like 30s or 1h", text)
		}
	case "age":
		if !agePattern.MatchString(text) {
			return fmt.Sprintf("%q is no age like 30d or 12h", text)
		}
	case "size":
		if !sizePattern.MatchString(text) {
			return fmt.Sprintf("%q is no size like 512MiB or 1GiB", text)
		}
	case "store":
		if text != "sqlite" && !strings.HasPrefix(text, "postgres://") && !strings.HasPrefix(text, "postgresql://") {
			return fmt.Sprintf("%q is neither sqlite nor an address like postgres://user@host/database", text)
		}
	case "url":
		if u, err := url.Parse(text); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Sprintf("%q is no URL like https://api.example.com", text)
		}
	}
	return ""
}

// Reference is a place in which a value is kept: ${env:NAME}, ${file:/path}, ${keyring:name}.
type Reference struct {
	Kind string // env, file, keyring
	Name string
}

// String is the reference as one writes it, without the braces: "env:NAME".
func (r Reference) String() string { return r.Kind + ":" + r.Name }

// References lists the references in a text.
func References(text string) []Reference {
	var refs []Reference
	for _, m := range referencePattern.FindAllStringSubmatch(text, -1) {
		refs = append(refs, Reference{Kind: m[1], Name: m[2]})
	}
	return refs
}

// Age is the span that a text of the format "age" names: "30d", "12h".
func Age(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}

// Size is the number of bytes that a text of the format "size" names: "512MiB", "1GB".
func Size(text string) (int64, error) {
	digits := strings.TrimRight(text, "KMGTiB")
	n, err := strconv.ParseInt(digits, 10, 64)
	unit := strings.TrimSuffix(text[len(digits):], "B")
	base := int64(1000)
	if strings.HasSuffix(unit, "i") {
		base = 1024
	}
	if unit != "" {
		for range strings.IndexByte("KMGT", unit[0]) + 1 {
			n *= base
		}
	}
	return n, err
}
