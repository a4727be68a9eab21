package vault

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/chacha20poly1305"

	"gatehouse/agentd/vault/secret"
)

// Names of the credentials that systemd may give, and of the key file in the state directory. The second key file is
// there only while the key changes.
const (
	keyName        = "vault.key"
	nextName       = "vault.key.next"
	passphraseName = "vault.passphrase"
)

// Keys says where the master key may come from, in this order: credential, key file, passphrase.
type Keys struct {
	Credentials string                       // folder of systemd's credentials; empty: none
	Dir         string                       // the state directory
	Passphrase  func() (secret.Value, error) // asks a person; nil: nobody can be asked
}

// kdf is how a passphrase becomes a key.
type kdf struct {
	Salt    []byte `json:"salt"`
	Time    uint32 `json:"time"`
	Memory  uint32 `json:"memory"` // KiB
	Threads uint8  `json:"threads"`
}

// newKDF has the parameters of this version; older ones stay with their vault.
func newKDF() kdf { return kdf{Salt: random(16), Time: 3, Memory: 64 << 10, Threads: 4} }

// key makes the key. Parameters out of all proportion were not written by a vault.
func (d kdf) key(passphrase secret.Value) (Key, error) {
	if len(d.Salt) < 16 || d.Time < 1 || d.Time > 20 || d.Memory < 8<<10 || d.Memory > 1<<20 || d.Threads < 1 {
		return Key{}, fmt.Errorf("%w: the parameters of its passphrase", ErrTampered)
	}
	return keyOf(argon2.IDKey([]byte(passphrase.Reveal()), d.Salt, d.Time, d.Memory, d.Threads, chacha20poly1305.KeySize)), nil
}

// find gives the key with this id. kdfText is what the vault keeps about its passphrase.
func (k Keys) find(id, kdfText string) (Key, error) {
	if kdfText != "" {
		return k.byPassphrase(id, kdfText)
	}
	for _, path := range k.paths() {
		key, err := readKey(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Key{}, err
		}
		if key.id == id {
			return key, k.settle(path)
		}
	}
	return Key{}, fmt.Errorf("%w: it was sealed with key %s", ErrKey, id)
}

// ByCredential says whether systemd gives the key as a file.
func (k Keys) ByCredential() bool {
	if k.Credentials == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(k.Credentials, keyName))
	return err == nil
}

func (k Keys) paths() []string {
	all := []string{filepath.Join(k.Dir, keyName), filepath.Join(k.Dir, nextName)}
	if k.Credentials != "" {
		all = append([]string{filepath.Join(k.Credentials, keyName)}, all...)
	}
	return all
}

func (k Keys) byPassphrase(id, text string) (Key, error) {
	var d kdf
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return Key{}, fmt.Errorf("%w: the parameters of its passphrase", ErrTampered)
	}
	phrase, err := k.phrase()
	if err != nil {
		return Key{}, err
	}
	key, err := d.key(phrase)
	if err == nil && key.id != id {
		err = fmt.Errorf("%w: the passphrase is another one", ErrKey)
	}
	return key, err
}

// phrase is the passphrase: the credential, else what a person types.
func (k Keys) phrase() (secret.Value, error) {
	if k.Credentials != "" {
		raw, err := readPrivate(filepath.Join(k.Credentials, passphraseName))
		if err == nil {
			return secret.New(strings.TrimRight(string(raw), "\r\n")), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return secret.Value{}, err
		}
	}
	if k.Passphrase == nil {
		return secret.Value{}, fmt.Errorf("%w: it needs a passphrase; give it as the credential %s", ErrKey, passphraseName)
	}
	return k.Passphrase()
}

// first gives the key of a vault that does not exist yet, and makes a key file when no other source has one.
func (k Keys) first() (key Key, kdfText string, err error) {
	for _, path := range k.paths() {
		key, err := readKey(path)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return key, "", err
		}
	}
	if k.Credentials != "" {
		if _, err := os.Stat(filepath.Join(k.Credentials, passphraseName)); err == nil {
			return k.firstPhrase()
		}
	}
	key = newKey()
	return key, "", writeKey(k.Dir, keyName, key)
}

func (k Keys) firstPhrase() (Key, string, error) {
	phrase, err := k.phrase()
	if err != nil {
		return Key{}, "", err
	}
	return fromPhrase(phrase)
}

// minPhrase is how many characters a passphrase must have.
const minPhrase = 12

func fromPhrase(phrase secret.Value) (Key, string, error) {
	if utf8.RuneCountInString(phrase.Reveal()) < minPhrase {
		return Key{}, "", fmt.Errorf("%w: a passphrase has at least %d characters", ErrInvalid, minPhrase)
	}
	d := newKDF()
	key, err := d.key(phrase)
	if err != nil {
		return Key{}, "", err
	}
	text, err := json.Marshal(d)
	return key, string(text), err
}

// readKey reads a key file: 32 bytes, or their base64url on one line.
func readKey(path string) (Key, error) {
	raw, err := readPrivate(path)
	if err != nil {
		return Key{}, err
	}
	if len(raw) == chacha20poly1305.KeySize {
		return keyOf(raw), nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(string(raw), "\r\n"))
	if err != nil || len(b) != chacha20poly1305.KeySize {
		return Key{}, fmt.Errorf("%w: %s is no vault key", ErrKey, path)
	}
	return keyOf(b), nil
}
