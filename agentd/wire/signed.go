package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Signature is a person's signature over a decision or a change of power: ECDSA P-256 over SHA-256 of the text that
// DecisionText or ChangeText gives. With AuthData it is an assertion of a passkey (ES256, or RS256 where its key is RSA),
// whose challenge is the SHA-256 of that text.
type Signature struct {
	KeyID      string    `json:"key_id"`                // ApproverKeyID of the key
	Time       time.Time `json:"time"`                  // UTC, whole seconds; part of the text
	Sig        string    `json:"sig"`                   // base64url without padding: r‖s; with a passkey ASN.1 or PKCS #1
	AuthData   string    `json:"auth_data,omitempty"`   // passkey only: authenticatorData, base64url without padding
	ClientData string    `json:"client_data,omitempty"` // passkey only: clientDataJSON, base64url without padding
}

// Nothing stands in a signed text in place of the hash of what is not there.
const Nothing = "-"

// DecisionText is what a person signs to allow: digest is that of the approval, scopeHash and argsHash are hex SHA-256
// of the canonical JSON of scope and edited arguments, or Nothing.
func DecisionText(digest string, v Verb, minutes int, scopeHash, argsHash string, at time.Time) string {
	return strings.Join([]string{
		"gatehouse-approval-v1", digest, string(v), strconv.Itoa(minutes), scopeHash, argsHash, signedTime(at),
	}, "\n")
}

// ChangeText is what a person signs to give power: bodyHash is the hex SHA-256 of the canonical JSON of the change,
// version that of the configuration it belongs to.
func ChangeText(serverID string, k ChangeKind, bodyHash string, version int64, at time.Time) string {
	return strings.Join([]string{
		"gatehouse-change-v1", serverID, string(k), bodyHash, strconv.FormatInt(version, 10), signedTime(at),
	}, "\n")
}

func signedTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }

// ChangeKind names a change of power.
type ChangeKind string

// The changes of power that a person signs.
const (
	ChangeEnrol    ChangeKind = "approver.enrol"  // body: EnrolBody
	ChangeCode     ChangeKind = "approver.code"   // body: CodeBody
	ChangeRevoke   ChangeKind = "approver.revoke" // body: RevokeBody
	ChangeAutonomy ChangeKind = "autonomy"        // body: AutonomyBody
	ChangeUnlock   ChangeKind = "unlock"          // body: UnlockBody
	ChangeOn       ChangeKind = "agent.on"        // body: AgentBody
	ChangeAsk      ChangeKind = "agent.ask"       // body: AskBody
)

// EnrolBody is what is signed to give another key the right to allow.
type EnrolBody struct {
	Holder Holder  `json:"holder"`
	Kind   KeyKind `json:"kind"`
	Label  string  `json:"label"`
	SPKI   string  `json:"spki"`
}

// CodeBody is what is signed so that whoever knows a code may enrol one key.
type CodeBody struct {
	Code    string `json:"code"`    // hex SHA-256 of the key that is derived from the code
	Expires string `json:"expires"` // RFC 3339, UTC
}

// RevokeBody is what is signed to take the right to allow from a key.
type RevokeBody struct {
	KeyID string `json:"key_id"`
}

// AutonomyBody is what is signed to let an agent, or with an empty Agent all that have no level of their own, do more
// without asking.
type AutonomyBody struct {
	Agent string `json:"agent"`
	Level int    `json:"level"` // 0: the server's default
}

// UnlockBody is what is signed to let an agent use a tool outward without asking.
type UnlockBody struct {
	Agent string `json:"agent"`
	Tool  string `json:"tool"`
}

// AgentBody is what is signed to switch an agent on again.
type AgentBody struct {
	Agent string `json:"agent"`
}

// AskBody is what is signed to let an agent hand tasks to a colleague.
type AskBody struct {
	Agent     string `json:"agent"`
	Colleague string `json:"colleague"`
}

// KeyKind is what holds a key.
type KeyKind string

// The kinds of keys.
const (
	BrowserKey  KeyKind = "browser"  // WebCrypto, kept by one browser, not extractable
	PasskeyKey  KeyKind = "passkey"  // WebAuthn
	SoftwareKey KeyKind = "software" // a file: API clients and the demo
	PairedKey   KeyKind = "paired"   // none: the owner's paired identity on a channel, which agentd itself checks. Receipts alone say so
)

// Holder is whose key it is.
type Holder string

// The holders of keys.
const (
	HolderPerson Holder = "person" // an owner of the business
	HolderMember Holder = "member" // a member of the business who may approve: allows one request at a time, and nothing else
	HolderStaff  Holder = "staff"  // staff of the operator, for whom the owner enrolled the key
)

// ApproverKey is a public key whose signature allows.
type ApproverKey struct {
	KeyID      string    `json:"key_id"`
	SPKI       string    `json:"spki"` // base64url without padding, DER
	Kind       KeyKind   `json:"kind"`
	Holder     Holder    `json:"holder"`
	Label      string    `json:"label"`                   // what people call it: "Firefox on the laptop"
	Credential string    `json:"credential_id,omitempty"` // passkey only: its id, base64url without padding
	AddedBy    string    `json:"added_by"`                // "code", "recovery", AddedByOrder or the id of the key that signed
	CreatedAt  time.Time `json:"created_at"`
}

// ApproverState tells the hub which keys may allow on a server. A report carries the server's signature over their list
// (VouchKeys), for the browser that ordered; one of an earlier version, and the answer to a revocation, carries none.
type ApproverState struct {
	Keys    []ApproverKey `json:"keys"`
	Vouched *Vouched      `json:"vouched,omitempty"`
	// The recovery code for the one browser that opens it, until somebody has written it down.
	Recovery *SealedRecovery `json:"recovery,omitempty"`
}

// Enrolment asks a server to take a key. Proof stands for a code, Signature for a key that is enrolled already; one of
// them must hold.
type Enrolment struct {
	SPKI       string     `json:"spki"`
	Kind       KeyKind    `json:"kind"`
	Holder     Holder     `json:"holder"`
	Label      string     `json:"label"`
	Credential string     `json:"credential_id,omitempty"`
	Proof      string     `json:"proof,omitempty"`    // MAC with the key derived from a code; base64url without padding
	Recovery   bool       `json:"recovery,omitempty"` // the code is the recovery code
	Version    int64      `json:"version,omitempty"`  // with Signature: the configuration version that was signed
	Signature  *Signature `json:"signature,omitempty"`
	By         DecidedBy  `json:"by"`
}

// Enrolled answers an Enrolment.
type Enrolled struct {
	Key     ApproverKey `json:"key"`
	Confirm string      `json:"confirm,omitempty"` // the server's MAC with the same key: it knows the code too
	// The key with which the server signs its cards (CardKey), and the server's MAC over that (CardKeyText): whoever
	// knows the code knows the key by it. Empty without a code, and from a server that signs none.
	CardKey   string `json:"card_key,omitempty"`
	CardProof string `json:"card_proof,omitempty"`
}

// Revocation asks a server to refuse a key from now on. That of a key of staff needs no signature.
type Revocation struct {
	KeyID     string     `json:"key_id"`
	Version   int64      `json:"version"`
	Signature *Signature `json:"signature,omitempty"`
	By        DecidedBy  `json:"by"`
}

// ProofText is what the key derived from a code authenticates to enrol a key.
func ProofText(serverID string, e Enrolment) string {
	return strings.Join([]string{"gatehouse-enrol-v1", serverID, hashOf(e.SPKI), string(e.Kind), string(e.Holder), hashOf(e.Label), hashOf(e.Credential)}, "\n")
}

// ConfirmText is what the server authenticates in return.
func ConfirmText(serverID, keyID string) string {
	return strings.Join([]string{"gatehouse-enrolled-v1", serverID, keyID}, "\n")
}

// CardKeyText is what the server authenticates beside it: with which key it signs what its cards say.
func CardKeyText(serverID, keyID, cardKey string) string {
	return strings.Join([]string{"gatehouse-card-key-v1", serverID, keyID, cardKey}, "\n")
}

// Proven says whether the server that answered knows the code that key stands for, and has said itself with which key it signs
// its cards. A server of an earlier version says nothing of that.
func (e Enrolled) Proven(key []byte, serverID string) error {
	known := hmac.Equal([]byte(e.Confirm), []byte(CodeMAC(key, ConfirmText(serverID, e.Key.KeyID))))
	named := e.CardKey == "" || hmac.Equal([]byte(e.CardProof), []byte(CodeMAC(key, CardKeyText(serverID, e.Key.KeyID, e.CardKey))))
	if !known || !named {
		return errors.New("the answer to the enrolment is not of the server that printed the code")
	}
	return nil
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// ApproverKeyID names a key: base64url of the SHA-256 of its SPKI.
func ApproverKeyID(spki []byte) string {
	sum := sha256.Sum256(spki)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
