package vault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestReadPrivate: a file that somebody else may read is refused; the mask that systemd's access control list shows on a
// credential is no somebody else.
func TestReadPrivate(t *testing.T) {
	dir, credentials := t.TempDir(), t.TempDir()
	t.Setenv("CREDENTIALS_DIRECTORY", credentials+"/")
	for _, c := range []struct {
		dir  string
		mode fs.FileMode
		good bool
	}{
		{dir, 0o600, true},
		{dir, 0o400, true},
		{dir, 0o440, false},
		{dir, 0o604, false},
		{dir, 0o620, false},
		{credentials, 0o400, true},
		{credentials, 0o440, true},
		{credentials, 0o444, false},
		{credentials, 0o460, false},
		{credentials, 0o401, false},
	} {
		path := filepath.Join(c.dir, "key")
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		_, err := ReadPrivate(path)
		if c.good && err != nil || !c.good && !errors.Is(err, ErrModes) {
			t.Errorf("mode %04o, credential %v: %v", c.mode, c.dir == credentials, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
