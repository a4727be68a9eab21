package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/base64"
	"errors"
)

// Seed is the owner's first key, as whoever sets a server up leaves it in the state directory before the first start: made
// by the browser that ordered, which keeps the private half.
type Seed struct {
	SPKI    string  `json:"spki"` // base64url without padding, DER
	Kind    KeyKind `json:"kind"` // BrowserKey
	Label   string  `json:"label"`
	Address string  `json:"address"` // the mail address that ordered: inside as soon as the hub reports it proven
}

// AddedByOrder stands in ApproverKey.AddedBy of the key that a Seed brought.
const AddedByOrder = "order"

// errKey says that a public key is none that servers take.
var errKey = errors.New("the public key is not one of P-256 in the usual form")

// ParseApproverKey reads a public key (SPKI, base64url without padding) and refuses any that could be written in two ways.
func ParseApproverKey(spki string) (*ecdsa.PublicKey, error) {
	der, err := base64.RawURLEncoding.Strict().DecodeString(spki)
	if err != nil {
		return nil, errKey
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, errKey
	}
	public, ok := parsed.(*ecdsa.PublicKey)
	if !ok || public.Curve != elliptic.P256() {
		return nil, errKey
	}
	again, err := x509.MarshalPKIXPublicKey(public)
	if err != nil || string(again) != string(der) {
		return nil, errKey
	}
	return public, nil
}

// ApproverKeyIDOf names a key whose text has passed ParseApproverKey.
func ApproverKeyIDOf(spki string) string {
	der, _ := base64.RawURLEncoding.DecodeString(spki) // ParseApproverKey has decoded it
	return ApproverKeyID(der)
}
