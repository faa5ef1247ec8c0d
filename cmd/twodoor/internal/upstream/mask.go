package upstream

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/twodoor/twodoor/internal/rawjson"
	"github.com/twodoor/twodoor/internal/secret"
	"github.com/twodoor/twodoor/source/mcpclient"
)

// Parts of an entry whose values may be secrets by their place alone: any header, and variables whose
// name has one of the words.
var (
	headerKeys   = []string{"headers", "http_headers"}
	variableKeys = []string{"env", "environment", "envs"}
	secretWords  = []string{"KEY", "TOKEN", "SECRET", "PASS", "PWD", "AUTH", "CRED", "COOKIE", "DSN"}
)

// Mask is an entry of a server, or any part of one, with *** for every secret that stands in it:
// values of headers, variables whose name says so, and whatever has the form of a key. References
// stay: they are no secrets.
func Mask(entry json.RawMessage) json.RawMessage { return masked("", "", entry) }

// masked masks the value under a key, which lies under another one.
func masked(under, key string, value json.RawMessage) json.RawMessage {
	switch rawjson.KindOf(value) {
	case rawjson.KindObject:
		for name, inner := range rawjson.Members(value) {
			if text := masked(key, name, inner); !bytes.Equal(text, inner) {
				value = rawjson.Set(value, name, text)
			}
		}
	case rawjson.KindArray:
		return maskedList(key, value)
	case rawjson.KindString:
		if text, _ := rawjson.String(value); isLiteral(under, key, text) {
			return rawjson.Quote(secret.Mask)
		} else if hidden := hide(text); hidden != text {
			return rawjson.Quote(hidden)
		}
	}
	return value
}

// CommandLine is how a server is started, or where it is reached, with its secrets masked.
func CommandLine(server *mcpclient.Server) string {
	if server.URL != "" {
		return hide(server.URL)
	}
	var args rawjson.Array
	for _, arg := range server.Args {
		args.AddString(arg)
	}
	line := server.Command
	for arg := range rawjson.Elements(maskedList("", args.Bytes())) {
		text, _ := rawjson.String(arg)
		line += " " + text
	}
	return line
}

// maskedList masks a list: an argument after one whose name says that a secret follows is one.
func maskedList(key string, value json.RawMessage) json.RawMessage {
	var list rawjson.Array
	flag := ""
	for element := range rawjson.Elements(value) {
		list.Add(masked("args", flag, element))
		text, _ := rawjson.String(element)
		flag = ""
		if strings.HasPrefix(text, "-") && !strings.Contains(text, "=") {
			flag = strings.TrimLeft(text, "-")
		}
	}
	if bytes.Equal(rawjson.Compact(nil, list.Bytes()), rawjson.Compact(nil, value)) {
		return value
	}
	return list.Bytes()
}

// isLiteral reports whether a text is a secret by the place in which it stands.
func isLiteral(under, key, text string) bool {
	if text == "" || strings.Contains(text, "${") {
		return false
	}
	if slices.Contains(headerKeys, under) {
		return true
	}
	if slices.Contains(variableKeys, under) {
		name := strings.ToUpper(key)
		return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
	}
	probe := []byte(key + "=x")
	return key != "" && !bytes.Equal(secret.Hide(probe), probe)
}

// hide takes out of a text what has the form of a secret, but no reference.
func hide(text string) string {
	if strings.Contains(text, "${") {
		return text
	}
	return string(secret.Hide([]byte(text)))
}

// Literals lists the places in an entry where a secret stands: "headers.Authorization".
func Literals(entry json.RawMessage) []string { return literals("", entry, Mask(entry)) }

func literals(path string, plain, shown json.RawMessage) (paths []string) {
	if bytes.Equal(plain, shown) {
		return nil
	}
	if rawjson.KindOf(plain) != rawjson.KindObject {
		return []string{path}
	}
	for key, value := range rawjson.Members(plain) {
		other, _ := rawjson.Get(shown, key)
		paths = append(paths, literals(strings.TrimPrefix(path+"."+key, "."), value, other)...)
	}
	return paths
}

// Unmask puts the secrets of an entry back where a client returns what it was shown.
func Unmask(posted, plain json.RawMessage) json.RawMessage {
	return unmask(posted, plain, Mask(plain))
}

func unmask(posted, plain, shown json.RawMessage) json.RawMessage {
	if rawjson.Equal(posted, shown) {
		return plain
	}
	if rawjson.KindOf(posted) != rawjson.KindObject {
		return posted
	}
	for key, value := range rawjson.Members(posted) {
		known, ok := rawjson.Get(plain, key)
		if !ok {
			continue
		}
		masked, _ := rawjson.Get(shown, key)
		if text := unmask(value, known, masked); !bytes.Equal(text, value) {
			posted = rawjson.Set(posted, key, text)
		}
	}
	return posted
}
