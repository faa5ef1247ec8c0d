package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Claim is something that a configuration makes twodoor do: "call https://api.example.com",
// "start notes-server --stdio", "read env:TOKEN".
type Claim string

// CallClaim is the claim to call a host; the argument is a URL or an origin.
func CallClaim(address string) Claim {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return Claim("call " + address)
	}
	return Claim("call " + u.Scheme + "://" + u.Host)
}

// KeyClaims are the claims to read the keys that a text refers to.
func KeyClaims(text string) (claims []Claim) {
	for _, ref := range References(text) {
		claims = append(claims, Claim("read "+ref.String()))
	}
	return claims
}

// Claims lists what the configuration by itself does, sorted: programs it would start, hosts it would
// call, keys it names. What its MCP servers and verbs files do is not among them.
func (l *Loaded) Claims() []Claim {
	var claims []Claim
	for _, s := range l.Sources {
		for _, address := range append([]string{s.OpenAPI, s.Target, s.Remote}, s.Overlays...) {
			if IsURL(address) {
				claims = append(claims, CallClaim(address))
			}
		}
		if p, err := s.ProtobufOf(); err == nil && IsURL(p.Descriptors) {
			claims = append(claims, CallClaim(p.Descriptors))
		}
	}
	for _, c := range l.Connections {
		if c.TokenURL != "" {
			claims = append(claims, CallClaim(c.TokenURL))
		}
	}
	claims = append(claims, l.keys()...)
	slices.Sort(claims)
	return slices.Compact(claims)
}

// keys lists the references of the whole configuration.
func (l *Loaded) keys() []Claim {
	var claims []Claim
	eachText(l.Config, func(text string) { claims = append(claims, KeyClaims(text)...) })
	return claims
}

func eachText(c Config, visit func(string)) {
	eachValue(reflect.ValueOf(c), field{}, "", func(_ field, _ string, v reflect.Value) {
		switch text := v.Interface().(type) {
		case string:
			visit(text)
		case []string:
			visit(strings.Join(text, " "))
		case json.RawMessage:
			visit(string(text))
		}
	})
}

// Trust is the record of what was trusted, one file for each configuration in the state folder.
type Trust struct {
	Dir string // required
}

type trusted struct {
	File   string  `json:"file"`
	Claims []Claim `json:"claims"`
}

// Missing lists the claims of a configuration that nobody has trusted yet. known is false where the
// file was never used before.
func (t Trust) Missing(file string, claims []Claim) (missing []Claim, known bool) {
	record, known := t.read(file)
	for _, claim := range claims {
		if !slices.Contains(record.Claims, claim) {
			missing = append(missing, claim)
		}
	}
	return missing, known
}

// Grant trusts the claims of a configuration, beside those that were trusted before.
func (t Trust) Grant(file string, claims []Claim) error {
	record, _ := t.read(file)
	record.File = file
	record.Claims = append(record.Claims, claims...)
	slices.Sort(record.Claims)
	record.Claims = slices.Compact(record.Claims)
	raw, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(t.Dir, 0o700); err != nil {
		return fmt.Errorf("keep what is trusted: %w", err)
	}
	return WriteFile(t.path(file), append(raw, '\n'), 0o600)
}

// read is the record of a file; a damaged one counts as none, so that it is asked again.
func (t Trust) read(file string) (record trusted, known bool) {
	raw, err := os.ReadFile(t.path(file))
	if err != nil || json.Unmarshal(raw, &record) != nil || record.File != file {
		return trusted{}, false
	}
	return record, true
}

func (t Trust) path(file string) string {
	sum := sha256.Sum256([]byte(file))
	return filepath.Join(t.Dir, hex.EncodeToString(sum[:12])+".json")
}
