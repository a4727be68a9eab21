package wire

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/hpke"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
)

// Sealed is a body that only the server can open: HPKE (RFC 9180) with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and
// AES-256-GCM; the encapsulated key and the ciphertext are joined.
type Sealed struct {
	Box []byte `json:"box"`
}

// ErrSealed says that a sealed body was not made for this key and purpose, or was changed.
var ErrSealed = errors.New("sealed body does not open")

// NewSealKey makes the key pair to which bodies for a server are sealed. Both are base64url without padding.
func NewSealKey() (public, private string, err error) {
	k, err := hpke.DHKEM(ecdh.X25519()).GenerateKey()
	if err != nil {
		return "", "", fmt.Errorf("make seal key: %w", err)
	}
	b, err := k.Bytes()
	if err != nil {
		return "", "", fmt.Errorf("export seal key: %w", err)
	}
	return b64(k.PublicKey().Bytes()), b64(b), nil
}

// Seal closes plain to the server's public key for one purpose: the same info (frame type and frame id) must be
// given to Open.
func Seal(public, info string, plain []byte) (Sealed, error) {
	raw, err := base64.RawURLEncoding.DecodeString(public)
	if err != nil {
		return Sealed{}, fmt.Errorf("seal key: %w", err)
	}
	pk, err := hpke.DHKEM(ecdh.X25519()).NewPublicKey(raw)
	if err != nil {
		return Sealed{}, fmt.Errorf("seal key: %w", err)
	}
	box, err := hpke.Seal(pk, hpke.HKDFSHA256(), hpke.AES256GCM(), []byte(info), plain)
	if err != nil {
		return Sealed{}, fmt.Errorf("seal: %w", err)
	}
	return Sealed{Box: box}, nil
}

// Open opens what Seal closed, or answers ErrSealed.
func Open(private, info string, s Sealed) ([]byte, error) {
	raw, err := base64.RawURLEncoding.DecodeString(private)
	if err != nil {
		return nil, fmt.Errorf("seal key: %w", err)
	}
	sk, err := hpke.DHKEM(ecdh.X25519()).NewPrivateKey(raw)
	if err != nil {
		return nil, fmt.Errorf("seal key: %w", err)
	}
	plain, err := hpke.Open(sk, hpke.HKDFSHA256(), hpke.AES256GCM(), []byte(info), s.Box)
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

// SealInfo is the purpose of the sealed body of a frame.
func SealInfo(t Type, frameID string) string {
	return "gatehouse-frame-v1\n" + string(t) + "\n" + frameID
}

// KeyID names an Ed25519 public key: base64url SHA-256 of its bytes.
func KeyID(pub ed25519.PublicKey) string {
	sum := sha256.Sum256(pub)
	return b64(sum[:])
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
