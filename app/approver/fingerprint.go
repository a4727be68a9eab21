package approver

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
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
