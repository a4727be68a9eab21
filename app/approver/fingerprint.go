package approver

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"gatehouse/agentd/wire"
)

// Fingerprint is what people compare: the first eight bytes of the SHA-256 of a key, in groups.
func Fingerprint(spki string) string {
	der, err := base64.RawURLEncoding.DecodeString(spki)
	if err != nil {
		return "?"
	}
	sum := sha256.Sum256(der)
	text := hex.EncodeToString(sum[:8])
	return strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:]}, " ")
}

// Words are the six words of an approver key, as agentd approver list shows them.
func Words(spki string) string {
	der, err := base64.RawURLEncoding.DecodeString(spki)
	if err != nil {
		return "?"
	}
	return wire.Words(der)
}

// CardWords are the six words of the key with which a server signs its cards (wire.CardKey).
func CardWords(card string) string {
	key, err := hex.DecodeString(card)
	if err != nil {
		return "?"
	}
	return wire.Words(key)
}
