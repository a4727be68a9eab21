package wire

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"gatehouse/agentd/policy/canonical"
)

// listed is one key in KeyList. The id is a hash of the key, so the key itself need not be there.
type listed struct {
	Holder Holder  `json:"holder"`
	KeyID  string  `json:"key_id"`
	Kind   KeyKind `json:"kind"`
}

// KeyList is what a server signs of its approver keys: a list of holder, id and kind of each as canonical JSON (RFC 8785),
// in the order of the ids.
func KeyList(keys []ApproverKey) ([]byte, error) {
	list := make([]listed, len(keys))
	for i, k := range keys {
		list[i] = listed{k.Holder, k.KeyID, k.Kind}
	}
	slices.SortFunc(list, func(a, b listed) int { return strings.Compare(a.KeyID, b.KeyID) })
	out, err := canonical.Of(list)
	if err != nil {
		return nil, fmt.Errorf("list of approver keys: %w", err)
	}
	return out, nil
}

// KeysText is what a server signs with its identity key about its approver keys: three lines joined by \n:
// "gatehouse-keys-v1", server id, hex SHA-256 of list, which KeyList gives.
func KeysText(serverID string, list []byte) []byte {
	return []byte(strings.Join([]string{"gatehouse-keys-v1", serverID, canonical.Sum(list)}, "\n"))
}

// VouchKeys signs the list of a server's keys.
func VouchKeys(serverID string, keys []ApproverKey, key ed25519.PrivateKey) (*Vouched, error) {
	list, err := KeyList(keys)
	if err != nil {
		return nil, err
	}
	return &Vouched{Key: CardKey(key), Sig: hex.EncodeToString(ed25519.Sign(key, KeysText(serverID, list)))}, nil
}
