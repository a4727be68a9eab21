package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"time"
)

// Signer is an approver key in software: what the demo, API clients and tests sign with.
type Signer struct {
	key   *ecdsa.PrivateKey
	spki  []byte
	KeyID string
}

// NewSigner makes a key.
func NewSigner() (Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Signer{}, fmt.Errorf("make approver key: %w", err)
	}
	return signerOf(key)
}

// ReadSigner reads a key from PKCS #8 in PEM.
func ReadSigner(text string) (Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return Signer{}, errors.New("approver key: no PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return Signer{}, fmt.Errorf("approver key: %w", err)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return Signer{}, errors.New("approver key: it is not of P-256")
	}
	return signerOf(key)
}

func signerOf(key *ecdsa.PrivateKey) (Signer, error) {
	spki, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return Signer{}, fmt.Errorf("approver key: %w", err)
	}
	return Signer{key: key, spki: spki, KeyID: ApproverKeyID(spki)}, nil
}

// SPKI is the public half, base64url without padding.
func (s Signer) SPKI() string { return base64.RawURLEncoding.EncodeToString(s.spki) }

// PEM is the private half as PKCS #8.
func (s Signer) PEM() (string, error) {
	der, err := x509.MarshalPKCS8PrivateKey(s.key)
	if err != nil {
		return "", fmt.Errorf("approver key: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), nil
}

// Sign signs the text that was made for the time at.
func (s Signer) Sign(text string, at time.Time) (*Signature, error) {
	sum := sha256.Sum256([]byte(text))
	r, t, err := ecdsa.Sign(rand.Reader, s.key, sum[:])
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	var sig [64]byte
	r.FillBytes(sig[:32])
	t.FillBytes(sig[32:])
	return &Signature{KeyID: s.KeyID, Time: at.UTC().Truncate(time.Second), Sig: base64.RawURLEncoding.EncodeToString(sig[:])}, nil
}
