package wire

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
)

// The sizes of RSA keys that passkeys may have, and their exponent. Windows Hello makes such keys (COSE algorithm -257).
const (
	minRSA      = 2048 // bits
	maxRSA      = 4096
	rsaExponent = 65537
	maxSPKI     = 800 // characters; that of the largest RSA key has 734
)

// errKey and errPasskey say that a public key is none that servers take.
var (
	errKey     = errors.New("the public key is not one of P-256 in the usual form")
	errPasskey = errors.New("the passkey uses a kind of key that is not supported; use another passkey or the browser's key")
)

// ParseApproverKey reads a public key of that kind (SPKI, base64url without padding) and refuses any that could be written in
// two ways. It is ECDSA P-256; that of a passkey may be RSA as well (RS256), of 2048 to 4096 bits with the exponent 65537.
func ParseApproverKey(k KeyKind, spki string) (crypto.PublicKey, error) {
	wrong := errKey
	if k == PasskeyKey {
		wrong = errPasskey
	}
	if len(spki) > maxSPKI {
		return nil, wrong
	}
	der, err := base64.RawURLEncoding.Strict().DecodeString(spki)
	if err != nil {
		return nil, wrong
	}
	public, err := x509.ParsePKIXPublicKey(der)
	if err != nil || !signs(k, public) {
		return nil, wrong
	}
	again, err := x509.MarshalPKIXPublicKey(public)
	if err != nil || string(again) != string(der) {
		return nil, wrong
	}
	return public, nil
}

// signs says whether a kind of key may have such a public half.
func signs(k KeyKind, public crypto.PublicKey) bool {
	switch p := public.(type) {
	case *ecdsa.PublicKey:
		return p.Curve == elliptic.P256()
	case *rsa.PublicKey:
		return k == PasskeyKey && p.E == rsaExponent && p.N.BitLen() >= minRSA && p.N.BitLen() <= maxRSA
	}
	return false
}

// ApproverKeyIDOf names a key whose text has passed ParseApproverKey.
func ApproverKeyIDOf(spki string) string {
	der, _ := base64.RawURLEncoding.DecodeString(spki) // ParseApproverKey has decoded it
	return ApproverKeyID(der)
}
