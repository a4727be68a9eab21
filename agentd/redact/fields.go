package redact

import "strings"

// ownContainers are the members of our own frames and receipts that hold objects with keys and signatures. In no other
// member does a name spare a value: in some, such as the arguments of calls, others choose the names.
var ownContainers = map[string]bool{"body": true, "items": true, "key": true, "keys": true, "result": true, "signature": true}

// sealedFields of our own frames hold long random bytes, in which the form of a credential can stand by chance.
var sealedFields = map[string]bool{"box": true, "sig": true, "signature": true, "auth_data": true, "client_data": true}

// opaqueFields of our own frames and receipts hold what no person reads: ids, hashes, public keys, proofs.
var opaqueFields = map[string]bool{
	"nonce": true, "public_key": true, "seal_key": true, "reply_key": true, "identity_key": true, "key": true, "hash": true, "digest": true,
	"id": true, "next": true, "after": true, "of": true, "code": true, "proof": true, "confirm": true, "card_proof": true, "grant": true, "challenge": true,
	"credential": true, "fingerprint": true, "additional_data": true,
}

const (
	sealedLeast = 64  // bytes of a signature or a sealed box, at least
	opaqueMost  = 128 // bytes of an id, a hash or a key, at most
)

// look says how closely the value of a member is read. A name alone spares nothing: the value must be ours by its place,
// and have no blank or sign in it with which a sentence could be written.
func (j *jsonWalk) look(key, value string) depth {
	sealed := sealedFields[key]
	if !sealed && !opaqueFields[key] && !strings.HasSuffix(key, "_id") && !strings.HasSuffix(key, "_hash") || !j.ours() || !base64Only(value) {
		return full
	}
	switch {
	case sealed && len(value) >= sealedLeast:
		return registered
	case len(value) <= opaqueMost:
		return formed
	}
	return full
}

// base64Only says whether a value is base64 and nothing else.
func base64Only(s string) bool {
	for i := range len(s) {
		if class[s[i]]&clsBase64 == 0 && s[i] != '=' {
			return false
		}
	}
	return true
}
