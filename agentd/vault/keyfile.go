package vault

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxPrivate is the largest file that is read here.
const maxPrivate = 1 << 20

// readPrivate reads a file that nobody else may read. Links, folders and pipes are refused.
func readPrivate(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("look at %s: %w", path, err)
	case !info.Mode().IsRegular() || info.Size() > maxPrivate:
		return nil, fmt.Errorf("%w: %s is no plain file of a few lines", ErrInvalid, path)
	case info.Mode().Perm()&others(path) != 0:
		return nil, fmt.Errorf("%s has mode %04o: %w", path, info.Mode().Perm(), ErrModes)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxPrivate))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return b, nil
}

// others are the bits of a file's mode that let somebody else read or change it. A service gets its credentials from
// systemd through an access control list, whose mask shows where the group's bits are; nobody else enters that folder.
func others(path string) fs.FileMode {
	if dir := os.Getenv("CREDENTIALS_DIRECTORY"); dir != "" && filepath.Dir(path) == filepath.Clean(dir) {
		return 0o037
	}
	return 0o077
}

// writeKey puts a key file in place, whole or not at all.
func writeKey(dir, name string, k Key) error {
	text := base64.RawURLEncoding.EncodeToString(k.bytes()) + "\n"
	temp := filepath.Join(dir, name+".new")
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("make vault key: %w", err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write vault key: %w", err)
	}
	if err := os.Rename(temp, filepath.Join(dir, name)); err != nil {
		return fmt.Errorf("put vault key in place: %w", err)
	}
	return syncDir(dir)
}

// settle ends a change of the key that was interrupted behind its commit: the key that fits becomes vault.key. Whoever
// changes the key just now does that alone.
func (k Keys) settle(fits string) error {
	next := filepath.Join(k.Dir, nextName)
	if fits != next {
		return nil
	}
	release, err := k.alone(syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	return k.promote()
}

// promote makes the next key the key. The caller is alone, and what lies there is what the vault is sealed with.
func (k Keys) promote() error {
	err := os.Rename(filepath.Join(k.Dir, nextName), filepath.Join(k.Dir, keyName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("put vault key in place: %w", err)
	}
	return syncDir(k.Dir)
}

// alone keeps others from changing the key files. The kernel lets go of it however the process ends.
func (k Keys) alone(how int) (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(k.Dir, "vault.lock"), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock vault keys: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|how); err != nil {
		_ = f.Close() // nothing was written
		return nil, fmt.Errorf("lock vault keys: %w", err)
	}
	return func() { _ = f.Close() }, nil
}

// ReadPrivate reads a file that nobody else may read, or answers ErrModes.
func ReadPrivate(path string) ([]byte, error) { return readPrivate(path) }

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return errors.Join(d.Sync(), d.Close())
}
