package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gatehouse/agentd"
	"gatehouse/agentd/llm/profile"
	"gatehouse/agentd/store"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
)

// fileOf is where an operator lays the key of a profile: model.key for the one of MODEL_BASE_URL, <name>.key for others.
func fileOf(p profile.Profile) string {
	if p.Name == profile.Default {
		return agentd.KeyFile
	}
	return p.Name + ".key"
}

// keys are those of the providers. systemd's credentials come first; else they are in the proxy's own vault, which
// takes in what an operator has laid into the state directory.
func (s proxySettings) keys(ctx context.Context, db *store.DB, set profile.Set) (map[string]string, error) {
	v, err := vault.Open(ctx, db, agentd.VaultKeys(s.State), time.Now)
	if err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for _, p := range set.Profiles {
		if dir := os.Getenv("CREDENTIALS_DIRECTORY"); dir != "" {
			if keys[p.Name], err = private(filepath.Join(dir, fileOf(p))); err != nil {
				return nil, err
			}
		}
		if keys[p.Name] == "" {
			if keys[p.Name], err = s.kept(ctx, v, p); err != nil {
				return nil, fmt.Errorf("key of profile %s: %w", p.Name, err)
			}
		}
	}
	return keys, nil
}

// kept is the key of a profile in the vault, after a file with it was taken in. An empty file takes the key out of use.
func (s proxySettings) kept(ctx context.Context, v *vault.Vault, p profile.Profile) (string, error) {
	name, path := "model."+p.Name, filepath.Join(s.State, fileOf(p))
	now, err := v.Own(ctx, name, "to ask a model provider")
	if err != nil && !errors.Is(err, vault.ErrUnknown) {
		return "", err
	}
	key := now.Reveal()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return key, nil
	}
	laid, err := private(path)
	switch {
	case err != nil:
		return "", err
	case laid == "" && key != "":
		err = v.Remove(ctx, name, "operator")
	case laid != key:
		_, err = v.Put(ctx, vault.New{Name: name, Value: secret.New(laid), Source: vault.FromOwner, By: "operator", For: "to ask a model provider"})
	}
	if err != nil {
		return "", err
	}
	return laid, vault.Shred(path)
}

// private reads a file that only this user can read. One that is not there is empty.
func private(path string) (string, error) {
	b, err := vault.ReadPrivate(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(b)), err
}
