package wire

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// SecretBox is a sealed value as both ends of the side channel write it: base64url without padding over
//
//	bytes 0–64   the sender's P-256 public key, made for this box alone: 0x04, X, Y (uncompressed point)
//	bytes 65–    AES-256-GCM ciphertext, its 16 byte tag last
//
// made like this, with nothing but what WebCrypto has:
//
//	shared = ECDH(sender's private key, recipient's public key)      32 bytes, the X coordinate ("deriveBits", 256)
//	okm    = HKDF-SHA-256(ikm shared, salt sender's 65 bytes ‖ recipient's 65 bytes, info "gatehouse-secret-v1", 44 bytes)
//	key    = okm[0:32], iv = okm[32:44]                              good for one message, for the sender's key is
//	box    = sender's 65 bytes ‖ AES-GCM(key, iv, plain, additional data SecretPurpose.Text, tag 128 bits)
//
// plain is the value in UTF-8, filled up to hide its length: value, 0x80, then zero bytes up to a multiple of 64.
// testdata/secretbox.json holds vectors.
type SecretBox string

// secretInfo is the HKDF info of every box.
const secretInfo = "gatehouse-secret-v1"

const (
	pointSize   = 65
	paddedTo    = 64
	maxSecretIn = 64 << 10 // bytes of a value that is taken from outside
)

// SecretPurpose binds a box to one act on one secret of one server. The nonce is that of the opening.
type SecretPurpose struct {
	Method   Method
	ServerID string
	Name     string
	Nonce    string
}

// Text is the additional data of the box: five lines joined by \n: "gatehouse-secret-v1", method, server id, name, nonce.
func (p SecretPurpose) Text() string {
	return strings.Join([]string{secretInfo, string(p.Method), p.ServerID, p.Name, p.Nonce}, "\n")
}

// SealSecret closes a value to the recipient's public key.
func SealSecret(recipient string, p SecretPurpose, value []byte) (SecretBox, error) {
	to, err := SecretPublic(recipient)
	if err != nil {
		return "", err
	}
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return "", fmt.Errorf("seal secret: %w", err)
	}
	return sealSecret(own, to, p, value)
}

func sealSecret(own *ecdh.PrivateKey, to *ecdh.PublicKey, p SecretPurpose, value []byte) (SecretBox, error) {
	from := own.PublicKey().Bytes()
	aead, iv, err := boxKey(own, to, from, to.Bytes(), secretInfo)
	if err != nil {
		return "", fmt.Errorf("seal secret: %w", err)
	}
	return SecretBox(b64(aead.Seal(from, iv, pad(value), []byte(p.Text())))), nil
}

// OpenSecret opens what SealSecret closed for this key and purpose, or answers ErrSealed.
func OpenSecret(own *ecdh.PrivateKey, p SecretPurpose, box SecretBox) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(string(box))
	if err != nil || len(raw) < pointSize || len(raw) > 2*maxSecretIn {
		return nil, ErrSealed
	}
	from, err := ecdh.P256().NewPublicKey(raw[:pointSize])
	if err != nil {
		return nil, ErrSealed
	}
	aead, iv, err := boxKey(own, from, raw[:pointSize], own.PublicKey().Bytes(), secretInfo)
	if err != nil {
		return nil, ErrSealed
	}
	plain, err := aead.Open(nil, iv, raw[pointSize:], []byte(p.Text()))
	if err != nil {
		return nil, ErrSealed
	}
	return unpad(plain)
}

// boxKey derives the cipher of one box.
func boxKey(own *ecdh.PrivateKey, other *ecdh.PublicKey, from, to []byte, info string) (cipher.AEAD, []byte, error) {
	shared, err := own.ECDH(other)
	if err != nil {
		return nil, nil, err
	}
	salt := append(append([]byte{}, from...), to...)
	okm, err := hkdf.Key(sha256.New, shared, salt, info, 44)
	if err != nil {
		return nil, nil, err
	}
	block, err := aes.NewCipher(okm[:32])
	if err != nil {
		return nil, nil, err
	}
	aead, err := cipher.NewGCM(block)
	return aead, okm[32:], err
}

func pad(value []byte) []byte {
	out := append(append([]byte{}, value...), 0x80)
	return append(out, make([]byte, (paddedTo-len(out)%paddedTo)%paddedTo)...)
}

// unpad takes the filling off. What is filled otherwise was not made by SealSecret.
func unpad(b []byte) ([]byte, error) {
	end := len(b) - 1
	for end >= 0 && b[end] == 0 {
		end--
	}
	if end < 0 || b[end] != 0x80 || len(b)%paddedTo != 0 || len(b)-end > paddedTo || end > maxSecretIn {
		return nil, ErrSealed
	}
	return b[:end], nil
}

// NewSecretKey makes a key pair for boxes; public is the form that stands in SecretOpening.Key.
func NewSecretKey() (private *ecdh.PrivateKey, public string, err error) {
	k, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, "", fmt.Errorf("make secret key: %w", err)
	}
	return k, b64(k.PublicKey().Bytes()), nil
}

// SecretPublic reads a public key: 65 bytes, uncompressed, a point on the curve.
func SecretPublic(s string) (*ecdh.PublicKey, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(raw) != pointSize {
		return nil, fmt.Errorf("%w: the public key is not 65 bytes in base64url", ErrSealed)
	}
	k, err := ecdh.P256().NewPublicKey(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: the public key is no point of the curve", ErrSealed)
	}
	return k, nil
}

// SecretKeyID names a public key: base64url SHA-256 of its 65 bytes. The fingerprint is the first half in hex, in
// groups of four.
func SecretKeyID(k *ecdh.PublicKey) (id, fingerprint string) {
	sum := sha256.Sum256(k.Bytes())
	text := hex.EncodeToString(sum[:16])
	var groups []string
	for i := 0; i < len(text); i += 4 {
		groups = append(groups, text[i:i+4])
	}
	return b64(sum[:]), strings.Join(groups, " ")
}

// SecretKeyText is what the server's identity key signs about its key for boxes: four lines joined by \n:
// "gatehouse-secret-key-v1", server id, key id, time in RFC 3339 UTC, whole seconds.
func SecretKeyText(serverID, keyID string, made time.Time) []byte {
	return []byte(strings.Join([]string{"gatehouse-secret-key-v1", serverID, keyID, made.UTC().Format(time.RFC3339)}, "\n"))
}
