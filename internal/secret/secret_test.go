package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zalando/go-keyring"
)

const canary = "canary-4711-secret"

func TestTextIsNeverPrinted(t *testing.T) {
	type holder struct {
		Open   Text
		hidden Text
		in     []Text
		table  map[string]Text
	}
	text := New(canary)
	h := holder{text, text, []Text{text}, map[string]Text{"k": text}}
	var printed bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%t", "%T"} {
		fmt.Fprintf(&printed, verb+"\n", text)
		fmt.Fprintf(&printed, verb+"\n", &text)
		fmt.Fprintf(&printed, verb+"\n", h)
		fmt.Fprintf(&printed, verb+"\n", &h)
	}
	asJSON, err := json.Marshal(map[string]any{"a": text, "b": h})
	if err != nil {
		t.Fatal(err)
	}
	printed.Write(asJSON)
	slog.New(slog.NewTextHandler(&printed, nil)).Info("m", "text", text, "holder", h)
	slog.New(slog.NewJSONHandler(&printed, nil)).Info("m", "text", text, "holder", h)
	for _, form := range []string{canary, fmt.Sprintf("%x", canary)} {
		if strings.Contains(printed.String(), form) {
			t.Errorf("the secret is printed as %s in\n%s", form, printed.String())
		}
	}
	if got := fmt.Sprintf("%v|%s|%#v|%d", text, text, text, text); got != "***|***|***|***" {
		t.Errorf("printed %s", got)
	}
	if text.Reveal() != canary || !text.Equal(New(canary)) || text.Equal(New("other")) {
		t.Error("the secret is not what went in")
	}
}

func TestRef(t *testing.T) {
	tests := []struct {
		text, shown string
		names       []string
		literal     bool
	}{
		{"", "", nil, false},
		{"plain", "***", nil, true},
		{"${env:X}", "${env:X}", []string{"${env:X}"}, false},
		{"Token ${env:X}!", "***${env:X}***", []string{"${env:X}"}, false},
		{"${env:A}${file:/b:c}", "${env:A}${file:/b:c}", []string{"${env:A}", "${file:/b:c}"}, false},
		{"pa${ss", "***", nil, true},
		{"a${}b${env:}c${Env:X}", "***", nil, true},
		{"${a${env:X}", "***${env:X}", []string{"${env:X}"}, false},
	}
	for _, test := range tests {
		ref := NewRef(test.text)
		if got := fmt.Sprintf("%v", ref); got != test.shown {
			t.Errorf("%q is shown as %q, want %q", test.text, got, test.shown)
		}
		if fmt.Sprint(ref.Names()) != fmt.Sprint(test.names) || ref.Literal() != test.literal {
			t.Errorf("%q has the names %q, literal %v", test.text, ref.Names(), ref.Literal())
		}
	}
}

func TestResolve(t *testing.T) {
	keyring.MockInit()
	if err := (SystemKeyring{}).Set("lab", New("from-keyring")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "token")
	write(t, path, "from-file\r\n")
	resolver := &Resolver{LookupEnv: env(map[string]string{"TOKEN": "from-env", "EMPTY": ""}), Keyring: SystemKeyring{}, Redactor: &Redactor{}}
	for text, want := range map[string]string{
		"":                           "",
		"literal":                    "literal",
		"${env:TOKEN}":               "from-env",
		"Bearer ${env:TOKEN}":        "Bearer from-env",
		"${file:" + path + "}":       "from-file",
		"${keyring:lab}":             "from-keyring",
		"${env:TOKEN}${keyring:lab}": "from-envfrom-keyring",
	} {
		got, err := resolver.Resolve(NewRef(text))
		if err != nil || got.Reveal() != want {
			t.Errorf("%q is %q, %v; want %q", text, got.Reveal(), err, want)
		}
	}
	if got := resolver.Redactor.Redact("got from-env and Bearer from-env"); got != "got *** and ***" {
		t.Errorf("redacted to %q", got)
	}
}

func TestResolveErrorsNameTheReference(t *testing.T) {
	keyring.MockInit()
	long := filepath.Join(t.TempDir(), "long")
	write(t, long, strings.Repeat("x", maxFile+1))
	resolver := &Resolver{LookupEnv: env(map[string]string{"EMPTY": "", "SET": canary}), Keyring: SystemKeyring{}}
	for text, want := range map[string]string{
		canary + "${env:MISSING}":   "resolve ${env:MISSING}: the environment variable is not set",
		"${env:SET}${env:EMPTY}":    "resolve ${env:EMPTY}: it is empty",
		"${keyring:none}":           "resolve ${keyring:none}: there is no such secret",
		"${vault:x}":                "resolve ${vault:x}: references are",
		"${file:" + long + "}":      "longer than",
		"${file:" + long + ".none}": "no such file",
	} {
		_, err := resolver.Resolve(NewRef(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), canary) {
			t.Errorf("%q answers %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"${env:SET}", "${keyring:x}"} {
		if _, err := (&Resolver{}).Resolve(NewRef(text)); err == nil {
			t.Errorf("an empty resolver resolves %s", text)
		}
	}
}

func TestRedact(t *testing.T) {
	var r Redactor
	for _, text := range []string{"short", "a secret/with space", "secret", "secrets-inside", "secret"} {
		r.Add(New(text))
	}
	for text, want := range map[string]string{
		"nothing here, short stays":          "nothing here, short stays",
		"x=a secret/with space;":             "x=***;",
		"a+secret%2Fwith+space":              "***",
		"a%20secret%2Fwith%20space":          "***",
		"secrets-inside secret":              "*** ***",
		"Basic YSBzZWNyZXQvd2l0aCBzcGFjZQ==": "Basic ***",
	} {
		if got := r.Redact(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	var none *Redactor
	none.Add(New(canary))
	if got := none.Redact(canary); got != canary {
		t.Errorf("no redactor makes %q", got)
	}
}

func TestRedactWhileAdding(t *testing.T) {
	var r Redactor
	var wg sync.WaitGroup
	for i := range maxRedact + 20 {
		wg.Go(func() {
			text := fmt.Sprintf("secret-%04d", i)
			r.Add(New(text))
			r.Redact("x " + text)
		})
	}
	wg.Wait()
	if len(r.known) != maxRedact {
		t.Errorf("%d secrets are kept, want %d", len(r.known), maxRedact)
	}
	r.Add(New("the-last-one"))
	if got := r.Redact("the-last-one"); got != Mask {
		t.Errorf("the newest secret is shown: %q", got)
	}
}

func env(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		text, set := values[name]
		return text, set
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
