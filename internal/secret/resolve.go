package secret

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxFile bounds a secret that is read from a file: longer ones are a wrong path.
const maxFile = 64 << 10

// Keyring is a store of secrets kept by the operating system.
type Keyring interface {
	// Get is the secret of a name. A name that is not there is [ErrNoSecret].
	Get(name string) (string, error)
}

// ErrNoSecret says that a keyring has nothing of that name.
var ErrNoSecret = errors.New("there is no such secret")

// Resolver looks references up.
type Resolver struct {
	LookupEnv func(name string) (string, bool) // for ${env:X}; nil: the environment is not read
	Keyring   Keyring                          // for ${keyring:name}; nil: there is none
	Redactor  *Redactor                        // is told every secret found; may be nil
}

// Resolve is the secret that ref names. An error names the reference and never any value.
func (r *Resolver) Resolve(ref Ref) (Text, error) {
	var b strings.Builder
	for piece := range ref.pieces {
		text := piece.name
		if piece.kind != "" {
			var err error
			if text, err = r.lookUp(piece); err != nil {
				return Text{}, err
			}
			r.Redactor.Add(New(text))
		}
		b.WriteString(text)
	}
	text := New(b.String())
	r.Redactor.Add(text)
	return text, nil
}

func (r *Resolver) lookUp(p piece) (text string, err error) {
	switch p.kind {
	case "env":
		text, err = r.env(p.name)
	case "file":
		text, err = readFile(p.name)
	case "keyring":
		text, err = r.keyring(p.name)
	default:
		err = errors.New("references are ${env:NAME}, ${file:/path} and ${keyring:NAME}; keep a secret that looks like one in a file")
	}
	if err == nil && text == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", p, err)
	}
	return text, nil
}

func (r *Resolver) env(name string) (string, error) {
	if r.LookupEnv == nil {
		return "", errors.New("the environment is not read here")
	}
	text, set := r.LookupEnv(name)
	if !set {
		return "", errors.New("the environment variable is not set")
	}
	return text, nil
}

func (r *Resolver) keyring(name string) (string, error) {
	if r.Keyring == nil {
		return "", errors.New("no keyring is available here")
	}
	return r.Keyring.Get(name)
}

// readFile reads a secret, without the line feed that editors put at the end.
func readFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > maxFile:
		return "", fmt.Errorf("the file is longer than the %d bytes of any secret", maxFile)
	}
	text := strings.TrimSuffix(string(data), "\n")
	return strings.TrimSuffix(text, "\r"), nil
}
