package vault

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"
)

// Key is a master key in memory. Like every secret, it cannot be printed.
type Key struct {
	id    string
	bytes func() []byte
}

// keyOf makes a key of its 32 bytes. Its id says nothing about them.
func keyOf(raw []byte) Key {
	kept := append([]byte{}, raw...)
	return Key{id: hex.EncodeToString(derive(kept, "gatehouse-vault-key-id-v1")[:16]), bytes: func() []byte { return kept }}
}

// newKey makes a random master key.
func newKey() Key { return keyOf(random(chacha20poly1305.KeySize)) }

// ID names the key without saying anything about it.
func (k Key) ID() string { return k.id }

// String is the id.
func (k Key) String() string { return "vault key " + k.id }

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // crypto/rand.Read never fails: it ends the program instead
	return b
}

// derive makes a key for one purpose out of the master key.
func derive(master []byte, purpose string) []byte {
	out, err := hkdf.Key(sha256.New, master, nil, purpose, 32)
	if err != nil {
		panic("vault: " + err.Error()) // only for lengths that do not stand here
	}
	return out
}

// seal closes plain under key: nonce, ciphertext, tag.
func seal(key, plain []byte, aad string) ([]byte, error) {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	nonce := random(aead.NonceSize()) // 192 bits: random ones do not meet
	return aead.Seal(nonce, nonce, plain, []byte(aad)), nil
}

// open opens what seal closed with the same additional data.
func open(key, box []byte, aad string) ([]byte, error) {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	if len(box) < aead.NonceSize() {
		return nil, ErrTampered
	}
	plain, err := aead.Open(nil, box[:aead.NonceSize()], box[aead.NonceSize():], []byte(aad))
	if err != nil {
		return nil, ErrTampered // what the library says adds nothing
	}
	return plain, nil
}

// valueData and wrapData bind a value and its data key to their row.
func valueData(id, name string, n int) string {
	return strings.Join([]string{"gatehouse-vault-value-v1", id, name, strconv.Itoa(n)}, "\n")
}

func wrapData(id, name string, n int, keyID string) string {
	return strings.Join([]string{"gatehouse-vault-wrap-v1", id, name, strconv.Itoa(n), keyID}, "\n")
}

// rootOf is the MAC over everything that stands in the vault.
func rootOf(k Key, s *snapshot) []byte {
	h := hmac.New(sha256.New, derive(k.bytes(), "gatehouse-vault-root-v1"))
	put := func(b []byte) {
		_ = binary.Write(h, binary.BigEndian, uint64(len(b))) // a hash takes everything
		h.Write(b)
	}
	put([]byte(strconv.FormatInt(s.version, 10)))
	put([]byte(s.keyID))
	put([]byte(s.kdf))
	for _, r := range s.sorted() {
		put([]byte(r.id))
		put([]byte(r.name))
		put(r.metaJSON)
		for _, v := range r.versions {
			put([]byte(strconv.Itoa(v.n)))
			put(v.dek)
			put(v.sealed)
		}
	}
	return h.Sum(nil)
}
