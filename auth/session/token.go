package session

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/twodoor/twodoor/internal/secret"
)

// TokenFile is the name of the operator token's file in the state folder.
const TokenFile = "operator-token"

// tokenPrefix lets people and secret scanners see what a token is for.
const tokenPrefix = "twodoor_"

// tokenBytes is the length of the random part.
const tokenBytes = 32

// Load is the operator's token of a state folder. The first start makes it, readable by this user
// alone; created says so. Processes that start at once agree on one token.
func Load(dir string) (token secret.Text, created bool, err error) {
	path := filepath.Join(dir, TokenFile)
	token, err = read(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, false, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return secret.Text{}, false, fmt.Errorf("make the folder of the operator token: %w", err)
	}
	token = newToken()
	switch err := publish(path, token); {
	case errors.Is(err, fs.ErrExist):
		token, err = read(path)
		return token, false, err
	case err != nil:
		return secret.Text{}, false, fmt.Errorf("keep the operator token: %w", err)
	}
	return token, true, nil
}

// read takes the token from its file, and closes the file to other users.
func read(path string) (secret.Text, error) {
	info, err := os.Stat(path)
	if err != nil {
		return secret.Text{}, fmt.Errorf("read the operator token: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			return secret.Text{}, fmt.Errorf("close %s to other users: %w", path, err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return secret.Text{}, fmt.Errorf("read the operator token: %w", err)
	}
	text := strings.TrimSpace(string(data))
	if len(text) < len(tokenPrefix)+tokenBytes || strings.ContainsAny(text, " \t\r\n") {
		return secret.Text{}, fmt.Errorf("%s holds no token: delete it and start again, a new one is made", path)
	}
	return secret.New(text), nil
}

func newToken() secret.Text {
	random := make([]byte, tokenBytes)
	_, _ = rand.Read(random) // never fails: crypto/rand ends the program instead
	return secret.New(tokenPrefix + base64.RawURLEncoding.EncodeToString(random))
}

// publish writes the whole token under another name first and links it to its own: who finds the
// file finds all of it, and of several writers one wins. The others get [fs.ErrExist].
func publish(path string, token secret.Text) error {
	temp, err := os.CreateTemp(filepath.Dir(path), TokenFile+"-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(token.Reveal() + "\n")
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	err = os.Link(temp.Name(), path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return writeNew(path, token)
}

// writeNew serves file systems without links.
func writeNew(path string, token secret.Text) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(token.Reveal() + "\n")
	return errors.Join(err, file.Close())
}
