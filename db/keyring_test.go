package db_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gatehouse/db"
)

func TestKeyring_bindsToItsPlace(t *testing.T) {
	t.Parallel()
	k := keyring(t, 1)
	box := k.Seal("staff", "row", "totp_secret", []byte("plain"))
	got, err := k.Open("staff", "row", "totp_secret", box)
	if err != nil || string(got) != "plain" {
		t.Fatalf("opened %q, %v", got, err)
	}
	if again := k.Seal("staff", "row", "totp_secret", []byte("plain")); bytes.Equal(again, box) {
		t.Error("the same plain text gave the same box twice")
	}
	for _, at := range [][3]string{{"users", "row", "totp_secret"}, {"staff", "other", "totp_secret"}, {"staff", "row", "other"}} {
		_, err := k.Open(at[0], at[1], at[2], box)
		wantErr(t, err, db.ErrSealed)
	}
	for i := range box {
		bent := bytes.Clone(box)
		bent[i] ^= 1
		_, err := k.Open("staff", "row", "totp_secret", bent)
		wantErr(t, err, db.ErrSealed)
	}
	for n := range box {
		_, err := k.Open("staff", "row", "totp_secret", box[:n])
		wantErr(t, err, db.ErrSealed)
	}
	_, err = keyring(t, 2).Open("staff", "row", "totp_secret", box)
	wantErr(t, err, db.ErrSealed)
}

func TestOpenKeyring(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "secret.key")
	boxes := make([][]byte, 8)
	var all sync.WaitGroup
	for i := range boxes { // hubs that start at once agree on one key
		all.Go(func() {
			k, err := db.OpenKeyring(path)
			if err != nil {
				t.Error(err)
				return
			}
			boxes[i] = k.Seal("t", "r", "c", []byte("plain"))
		})
	}
	all.Wait()
	k, err := db.OpenKeyring(path)
	must(t, err)
	for _, box := range boxes {
		_, err := k.Open("t", "r", "c", box)
		must(t, err)
	}
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("key file has mode %v", info.Mode())
	}
	left, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	if len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	must(t, os.Chmod(path, 0o640))
	if _, err := db.OpenKeyring(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a key that others read: %v", err)
	}
	must(t, os.WriteFile(path, []byte("short"), 0o600))
	must(t, os.Chmod(path, 0o600))
	if _, err := db.OpenKeyring(path); err == nil {
		t.Error("half a key was accepted")
	}
}
