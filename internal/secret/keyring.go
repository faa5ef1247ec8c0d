package secret

import (
	"errors"

	"github.com/zalando/go-keyring"
)

// SystemKeyring is the keyring of the operating system: Keychain, Secret Service, Credential Manager.
type SystemKeyring struct {
	Service string // under which the secrets lie; empty: "twodoor"
}

// Get is the secret of a name.
func (k SystemKeyring) Get(name string) (string, error) {
	text, err := keyring.Get(k.service(), name)
	if errors.Is(err, keyring.ErrNotFound) {
		return "", ErrNoSecret
	}
	return text, err
}

// Set keeps a secret under a name.
func (k SystemKeyring) Set(name string, text Text) error {
	return keyring.Set(k.service(), name, text.Reveal())
}

// Delete forgets a name. One that is not there is no error.
func (k SystemKeyring) Delete(name string) error {
	err := keyring.Delete(k.service(), name)
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

func (k SystemKeyring) service() string {
	if k.Service == "" {
		return "twodoor"
	}
	return k.Service
}
