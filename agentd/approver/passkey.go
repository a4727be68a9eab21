package approver

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"

	"gatehouse/agentd/wire"
)

// Bits of the flags of an authenticator: somebody was there, and the authenticator knew who.
const (
	userPresent  = 1 << 0
	userVerified = 1 << 2
)

// clientData is what a browser says about an assertion. Fields that are not asked for may be there.
type clientData struct {
	Type        string `json:"type"`
	Challenge   string `json:"challenge"`
	Origin      string `json:"origin"`
	CrossOrigin bool   `json:"crossOrigin"`
}

// asserted checks an assertion of a passkey (WebAuthn Level 3, 7.2): made for the hub's origin, over exactly this text,
// by somebody whom the authenticator knew. The key alone says which algorithm it is (ES256 or RS256), nothing beside the
// signature does. Counters are not compared: passkeys that are synchronised have none, and
// each signature is used once anyway.
func asserted(origin string, by *key, text string, s wire.Signature, sig []byte) bool {
	auth, err1 := base64.RawURLEncoding.Strict().DecodeString(s.AuthData)
	client, err2 := base64.RawURLEncoding.Strict().DecodeString(s.ClientData)
	if err1 != nil || err2 != nil || !saysSo(origin, client, text) || !forOrigin(origin, auth) {
		return false
	}
	about := sha256.Sum256(client)
	signed := sha256.Sum256(append(bytes.Clone(auth), about[:]...))
	switch public := by.public.(type) {
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(public, signed[:], sig)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(public, crypto.SHA256, signed[:], sig) == nil
	}
	return false
}

// saysSo checks what the browser says.
func saysSo(origin string, client []byte, text string) bool {
	var c clientData
	if err := json.Unmarshal(client, &c); err != nil {
		return false
	}
	want := sha256.Sum256([]byte(text))
	return c.Type == "webauthn.get" && c.Challenge == base64.RawURLEncoding.EncodeToString(want[:]) &&
		c.Origin == origin && origin != "" && !c.CrossOrigin
}

// forOrigin checks what the authenticator says.
func forOrigin(origin string, auth []byte) bool {
	u, err := url.Parse(origin)
	if err != nil || len(auth) < 37 {
		return false
	}
	party := sha256.Sum256([]byte(u.Hostname()))
	const both = userPresent | userVerified
	return bytes.Equal(auth[:32], party[:]) && auth[32]&both == both
}
