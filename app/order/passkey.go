package order

import (
	"encoding/base64"

	"gatehouse/agentd/wire"
)

// maxCredential bounds the id of a passkey's credential: WebAuthn has none of more than 1,023 bytes.
const maxCredential = 1023

// KeyKind is what holds the key that came with the order.
func (o Order) KeyKind() wire.KeyKind { return keyKind(o.Passkey) }

func keyKind(passkey string) wire.KeyKind {
	if passkey != "" {
		return wire.PasskeyKey
	}
	return wire.BrowserKey
}

// isCredential says whether text is the id of a credential, or none.
func isCredential(text string) bool {
	id, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(id) <= maxCredential
}
