package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecrets_anothersState: an operator who is somebody else than the service touches nothing, and reads what to type.
func TestSecrets_anothersState(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make a folder that belongs to somebody else")
	}
	dir := stateDir(t)
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	_, said, code := invoke(t, "", "secrets", "list", "--state", dir)
	if code == 0 || !strings.Contains(said, "systemd-run") || !strings.Contains(said, "nobody") {
		t.Errorf("exit %d: %s", code, said)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestSecrets_keyElsewhere: a vault whose key is a credential says how to reach it, and gets no other key by the way.
func TestSecrets_keyElsewhere(t *testing.T) {
	dir, creds := stateDir(t), stateDir(t)
	want(t, "", "secrets", "generate", "--state", dir, "shop.key")
	if err := os.Rename(filepath.Join(dir, "vault.key"), filepath.Join(creds, "vault.key")); err != nil {
		t.Fatal(err)
	}
	if _, said, code := invoke(t, "", "secrets", "list", "--state", dir); code == 0 || !strings.Contains(said, "LoadCredential=vault.key") {
		t.Errorf("without the credential: exit %d: %s", code, said)
	}
	t.Setenv("CREDENTIALS_DIRECTORY", creds)
	if out := want(t, "", "secrets", "list", "--state", dir); !strings.Contains(out, "shop.key") {
		t.Errorf("with the credential: %s", out)
	}
	if _, said, code := invoke(t, "", "secrets", "rekey", "--state", dir); code == 0 || !strings.Contains(said, "--here") {
		t.Errorf("rekey: exit %d: %s", code, said)
	}
	if _, err := os.Stat(filepath.Join(dir, "vault.key")); err == nil {
		t.Error("a new key lies in the state directory")
	}
	want(t, "", "secrets", "rekey", "--here", "--state", dir)
	t.Setenv("CREDENTIALS_DIRECTORY", "")
	if out := want(t, "", "secrets", "list", "--state", dir); !strings.Contains(out, "shop.key") {
		t.Errorf("with the new key: %s", out)
	}
}
