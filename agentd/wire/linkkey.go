package wire

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// The methods by which a server renews the key that opens its link; since version 3. The key that signs cards, lists of keys
// and checkpoints stays: browsers have pinned it.
const (
	MethodLinkKeyOffer Method = "link.key.offer" // nothing → KeyOffer; asked again before it was taken: the same one
	MethodLinkKeyTaken Method = "link.key.taken" // KeyTaken → KeyTaken: the hub knows the server by the new key from now on
)

// KeyOffer is a new key for a server's link, signed by the one that opens the link until now, and by itself.
type KeyOffer struct {
	PublicKey string `json:"public_key"` // Ed25519, base64url
	OldSig    string `json:"old_sig"`    // over KeyOfferText, base64url
	NewSig    string `json:"new_sig"`    // likewise
}

// KeyTaken names the key that the hub took.
type KeyTaken struct {
	KeyID string `json:"key_id"`
}

// KeyOfferText is what both keys sign: it binds the new key to the server and to the key before it.
func KeyOfferText(serverID, oldKeyID, newPublic string) []byte {
	return []byte(strings.Join([]string{"gatehouse-link-key-v1", serverID, oldKeyID, newPublic}, "\n"))
}

// OfferKey makes the offer of a server to be known by the key next instead of old.
func OfferKey(serverID string, old, next ed25519.PrivateKey) KeyOffer {
	public := base64.RawURLEncoding.EncodeToString(next.Public().(ed25519.PublicKey))
	text := KeyOfferText(serverID, KeyID(old.Public().(ed25519.PublicKey)), public)
	return KeyOffer{
		PublicKey: public, OldSig: base64.RawURLEncoding.EncodeToString(ed25519.Sign(old, text)),
		NewSig: base64.RawURLEncoding.EncodeToString(ed25519.Sign(next, text)),
	}
}

// ErrKeyOffer says that an offer of a new key is not signed as it must be.
var ErrKeyOffer = errors.New("offer of a new link key does not verify")

// Verify checks an offer of a server that is known by the key old, and gives the new key.
func (o KeyOffer) Verify(serverID string, old ed25519.PublicKey) (ed25519.PublicKey, error) {
	next, err := base64.RawURLEncoding.DecodeString(o.PublicKey)
	if err != nil || len(next) != ed25519.PublicKeySize || string(next) == string(old) {
		return nil, fmt.Errorf("%w: no new key", ErrKeyOffer)
	}
	text := KeyOfferText(serverID, KeyID(old), o.PublicKey)
	for _, s := range []struct {
		sig string
		key ed25519.PublicKey
	}{{o.OldSig, old}, {o.NewSig, next}} {
		sig, err := base64.RawURLEncoding.DecodeString(s.sig)
		if err != nil || !ed25519.Verify(s.key, text, sig) {
			return nil, ErrKeyOffer
		}
	}
	return next, nil
}
