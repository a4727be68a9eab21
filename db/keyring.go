package db

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrSealed says that a sealed column does not open: it was made for another row or column, by another key, or changed.
var ErrSealed = errors.New("sealed column does not open")

// Keyring closes single columns of a row with AES-256-GCM, so that a stolen database holds no secret of ours. A box is
// bound to its table, row and column: it opens nowhere else.
type Keyring struct {
	aead cipher.AEAD
	root []byte  // the key itself
	id   [4]byte // first bytes of the key's SHA-256: a box tells which key it needs
}

const (
	keySize    = 32
	boxVersion = 1
)

// OpenKeyring reads the key in the file at path, or makes a new one there, readable by its owner alone.
func OpenKeyring(path string) (*Keyring, error) {
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = makeKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	return guarded(path, key)
}

// ReadKeyring reads the key in the file at path, which has to be there.
func ReadKeyring(path string) (*Keyring, error) {
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	return guarded(path, key)
}

// guarded makes a keyring of a key whose file nobody else may read.
func guarded(path string, key []byte) (*Keyring, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	if info.Mode().Perm()&others(path) != 0 {
		return nil, fmt.Errorf("keyring: %s is readable by others; run: chmod 600 %s", path, path)
	}
	return NewKeyring(key)
}

// others are the bits of a file's mode that let somebody else read or change it. A service gets its credentials from
// systemd through an access control list, whose mask shows where the group's bits are; nobody else enters that folder.
func others(path string) fs.FileMode {
	if dir := os.Getenv("CREDENTIALS_DIRECTORY"); dir != "" && filepath.Dir(path) == filepath.Clean(dir) {
		return 0o037
	}
	return 0o077
}

// NewKeyring makes a keyring of a 32-byte key.
func NewKeyring(key []byte) (*Keyring, error) {
	if len(key) != keySize {
		return nil, fmt.Errorf("keyring: the key has %d bytes, not %d", len(key), keySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	k := &Keyring{aead: aead, root: bytes.Clone(key)}
	sum := sha256.Sum256(key)
	copy(k.id[:], sum[:])
	return k, nil
}

// SigningKey derives a key that signs from the key file. It stands nowhere else: whoever has the database alone signs nothing,
// and all processes of the hub have the same one.
func (k *Keyring) SigningKey(purpose string) (ed25519.PrivateKey, error) {
	seed, err := hkdf.Key(sha256.New, k.root, nil, "gatehouse-signing-v1\n"+purpose, ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("keyring: derive %s: %w", purpose, err)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// makeKey writes a new key so that it is whole or absent after a crash; a hub that came first wins.
func makeKey(path string) ([]byte, error) {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails: it ends the program instead
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".key-") // 0600
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(key)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.ReadFile(path)
}

// Seal closes plain for one column of one row.
func (k *Keyring) Seal(table, row, column string, plain []byte) []byte {
	nonce := make([]byte, k.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails: it ends the program instead
	box := append([]byte{boxVersion}, k.id[:]...)
	box = append(box, nonce...)
	return k.aead.Seal(box, nonce, plain, k.about(table, row, column))
}

// Open opens what Seal closed for the same column of the same row, or answers ErrSealed.
func (k *Keyring) Open(table, row, column string, box []byte) ([]byte, error) {
	head := 1 + len(k.id)
	if len(box) < head+k.aead.NonceSize() || box[0] != boxVersion || string(box[1:head]) != string(k.id[:]) {
		return nil, fmt.Errorf("%s.%s: %w: another key or version", table, column, ErrSealed)
	}
	nonce, closed := box[head:head+k.aead.NonceSize()], box[head+k.aead.NonceSize():]
	plain, err := k.aead.Open(nil, nonce, closed, k.about(table, row, column))
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", table, column, ErrSealed)
	}
	return plain, nil
}

func (k *Keyring) about(table, row, column string) []byte {
	return []byte(strings.Join([]string{"gatehouse-column-v1", table, row, column, fmt.Sprintf("%x", k.id)}, "\n"))
}
