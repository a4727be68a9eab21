package wire

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"gatehouse/agentd/policy/canonical"
)

// BoxKey is the key of a browser to which its server seals the recovery code. The browser's approver key has signed it, so
// that nobody on the way can put another one in its place.
type BoxKey struct {
	Key       string    `json:"box_key"`   // as SecretPublic reads it
	Signature Signature `json:"signature"` // over BoxKeyText, with the approver key that comes beside it
}

// BoxKeyText is what an approver key signs about the key for boxes of the same browser: four lines joined by \n:
// "gatehouse-box-key-v1", key id of the approver key, the key for boxes, time.
func BoxKeyText(keyID, boxKey string, at time.Time) string {
	return strings.Join([]string{"gatehouse-box-key-v1", keyID, boxKey, signedTime(at)}, "\n")
}

// maxBoxKey bounds the text of a BoxKey: an assertion of a passkey is the largest part of it.
const maxBoxKey = 3 << 10

var errBoxKey = errors.New("the key for the recovery code cannot be read")

// ParseBoxKey reads a BoxKey that belongs to the approver key of that id. Whether its signature holds, agentd alone checks.
func ParseBoxKey(text, keyID string) (*BoxKey, error) {
	if len(text) > maxBoxKey {
		return nil, errBoxKey
	}
	var b BoxKey
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(&b) != nil || d.More() || b.Signature.KeyID != keyID {
		return nil, errBoxKey
	}
	if _, err := SecretPublic(b.Key); err != nil {
		return nil, errBoxKey
	}
	return &b, nil
}

// ChangeRecovery is the change of power that has a new recovery code made. Its body is RecoveryBody.
const ChangeRecovery ChangeKind = "approver.recovery"

// RecoveryBody is what is signed to get a new recovery code.
type RecoveryBody struct {
	Key string `json:"box_key"` // to which it is to be sealed
}

// Methods about the recovery code. Params → result.
const (
	MethodRecoveryNew  Method = "approver.recovery"      // RecoveryAsk → SealedRecovery
	MethodRecoveryKept Method = "approver.recovery_kept" // RecoveryKept → nothing
)

// RecoveryAsk asks a server for a new recovery code, in place of the one before.
type RecoveryAsk struct {
	Key       string     `json:"box_key"`
	Version   int64      `json:"version"` // of the configuration that was signed
	Signature *Signature `json:"signature,omitempty"`
	By        DecidedBy  `json:"by"`
}

// RecoveryKept says that a person has written the recovery code down. Proof shows that they know it.
type RecoveryKept struct {
	Proof string    `json:"proof"` // MAC over KeptText with the key that the code stands for (CodeMAC)
	By    DecidedBy `json:"by"`
}

// SealedRecovery is a recovery code on its way to the one browser that opens it.
type SealedRecovery struct {
	KeyID string    `json:"key_id"` // of that browser's approver key
	Box   SecretBox `json:"box"`    // closed with RecoveryPurpose
	Sig   string    `json:"sig"`    // of the server's identity key over RecoveryText, hex
}

// RecoveryPurpose binds the box of a recovery code to the approver key of the browser that opens it. On its first start a
// server has no id yet: that the code is its own, RecoveryText says.
func RecoveryPurpose(keyID string) SecretPurpose {
	return SecretPurpose{Method: MethodRecoveryNew, ServerID: Nothing, Name: keyID, Nonce: Nothing}
}

// RecoveryText is what a server signs about a sealed recovery code: four lines joined by \n: "gatehouse-recovery-v1",
// server id, key id, hex SHA-256 of the box.
func RecoveryText(serverID, keyID string, box SecretBox) []byte {
	return []byte(strings.Join([]string{"gatehouse-recovery-v1", serverID, keyID, canonical.Sum([]byte(box))}, "\n"))
}

// VouchRecovery signs a sealed recovery code.
func VouchRecovery(serverID, keyID string, box SecretBox, key ed25519.PrivateKey) *SealedRecovery {
	return &SealedRecovery{KeyID: keyID, Box: box, Sig: hex.EncodeToString(ed25519.Sign(key, RecoveryText(serverID, keyID, box)))}
}

// KeptText is what the key that a recovery code stands for authenticates once a person has written the code down.
func KeptText(serverID string) string {
	return strings.Join([]string{"gatehouse-recovery-kept-v1", serverID}, "\n")
}
