package wire

import (
	"encoding/json"
	"time"
)

// The methods of the side channel between a person's browser and the vault. Values cross it sealed (SecretBox) and
// never otherwise; the hub relays what it cannot read. Params → result.
const (
	MethodSecretsOpen     Method = "secrets.open"     // SecretOpenParams → SecretOpening: the server's key and a nonce, once per act
	MethodSecretsList     Method = "secrets.list"     // nothing → SecretsResult: names and metadata
	MethodSecretsAsked    Method = "secrets.asked"    // nothing → SecretRequestsResult: calls that wait for a value
	MethodSecretsProvide  Method = "secrets.provide"  // SecretProvide → SecretInfo
	MethodSecretsDecline  Method = "secrets.decline"  // SecretDecline → SecretRequest
	MethodSecretsReveal   Method = "secrets.reveal"   // SecretReveal → SecretRevealed
	MethodSecretsGenerate Method = "secrets.generate" // SecretGenerate → SecretInfo
	MethodSecretsRotate   Method = "secrets.rotate"   // SecretRotate → SecretInfo
	MethodSecretsRollback Method = "secrets.rollback" // SecretRollback → SecretInfo
	MethodSecretsBind     Method = "secrets.bind"     // SecretBind → SecretInfo
	MethodSecretsDelete   Method = "secrets.delete"   // SecretDelete → SecretDeleted
	MethodSecretsAudit    Method = "secrets.audit"    // SecretAuditParams → SecretAuditResult
)

// SecretOpenParams names the act that an opening is for. A nonce is good for this act on this name alone; without an act
// the key is told and no nonce given.
type SecretOpenParams struct {
	Method Method `json:"method"` // secrets.provide, secrets.rotate or secrets.reveal; empty: none
	Name   string `json:"name"`
}

// SecretOpening is what a browser needs for one sealed act. Nonce is used up by the act, whether it succeeds or not,
// and dies after a minute.
type SecretOpening struct {
	ServerID    string    `json:"server_id"`
	Key         string    `json:"key"`         // the server's P-256 public key: 65 bytes, uncompressed, base64url without padding
	KeyID       string    `json:"key_id"`      // base64url SHA-256 of these 65 bytes
	Fingerprint string    `json:"fingerprint"` // the first 16 bytes of that hash in hex, in groups of four, for people to compare
	MadeAt      time.Time `json:"made_at"`     // of the key; UTC, whole seconds
	IdentityKey string    `json:"identity_key"`
	Signature   string    `json:"signature"` // Ed25519 by IdentityKey over SecretKeyText; both base64url without padding
	Nonce       string    `json:"nonce"`     // 16 random bytes, base64url without padding
	ExpiresAt   time.Time `json:"expires_at"`
}

// SecretBinding is one place where a value may be used. Every field counts; an empty one matches only empty.
type SecretBinding struct {
	Tool   string `json:"tool"` // http_request, env_update
	Scheme string `json:"scheme,omitempty"`
	Host   string `json:"host,omitempty"`
	Port   int    `json:"port,omitempty"`
	Header string `json:"header,omitempty"` // name of the header; either this or Field
	Field  string `json:"field,omitempty"`  // http_request: name in the body; env_update: path#KEY
}

// SecretConstraints say what a value has to look like. The zero value means 32 letters and digits.
type SecretConstraints struct {
	Length    int      `json:"length,omitempty"`    // characters, 8 to 256; 0: 32
	Classes   []string `json:"classes,omitempty"`   // lower, upper, digit, symbol: each occurs; empty: lower, upper, digit
	Ambiguous bool     `json:"ambiguous,omitempty"` // also characters that look alike: 0 O o 1 l I |
}

// SecretInfo is everything about a secret but its value.
type SecretInfo struct {
	Name         string            `json:"name"`    // tool.key
	Service      string            `json:"service"` // the part before the first dot
	Key          string            `json:"key"`     // the part behind it
	Ref          string            `json:"ref"`     // SECRET_REF(name)
	Kind         string            `json:"kind"`    // password, api_key, token, connection, private_key, other
	Source       string            `json:"source"`  // provisioned, owner, generated, external
	Constraints  SecretConstraints `json:"constraints"`
	Bindings     []SecretBinding   `json:"bindings"`
	BindingsHash string            `json:"bindings_hash,omitempty"` // names Bindings, for SecretBind.BaseHash; empty: a server that does not compare them
	Version      int               `json:"version"`
	Versions     []SecretVersion   `json:"versions"` // newest first, at most five
	CreatedAt    time.Time         `json:"created_at"`
	RotatedAt    time.Time         `json:"rotated_at"`
	ExpiresAt    time.Time         `json:"expires_at"` // zero: never
	LastUsedAt   time.Time         `json:"last_used_at"`
	LastUsedBy   string            `json:"last_used_by"`
	Origin       *SecretOrigin     `json:"origin,omitempty"` // nil: the value lives on the server
}

// SecretOrigin says where a value lives of which the server keeps a copy: one field of a secret in the external vault.
type SecretOrigin struct {
	Path    string    `json:"path"`
	Field   string    `json:"field"`
	Version int       `json:"version"` // there; 0: the value was not fetched yet
	SeenAt  time.Time `json:"seen_at"` // when the external vault last vouched for it, or a little before
	Trouble string    `json:"trouble"` // why it does not vouch for it now, in words; empty: it does
}

// SecretVersion is one value that a secret has or had.
type SecretVersion struct {
	N         int       `json:"n"`
	Source    string    `json:"source"`
	State     string    `json:"state"`           // current, former, staged, failed
	There     int       `json:"there,omitempty"` // which version of the external vault it was
	CreatedAt time.Time `json:"created_at"`
}

// SecretsResult lists the vault by name.
type SecretsResult struct {
	Items []SecretInfo `json:"items"`
}

// SecretRequest is a call that waits for a person to give a value. It is an item of secrets.asked, and stands in the
// event of the call whose state is awaiting_secret.
type SecretRequest struct {
	ID          string            `json:"id"` // the call's id
	RootRunID   string            `json:"root_run_id"`
	RunID       string            `json:"run_id"`
	Agent       string            `json:"agent"`
	Name        string            `json:"name"`
	Prompt      string            `json:"prompt"` // one sentence made by agentd
	Constraints SecretConstraints `json:"constraints"`
	Generate    bool              `json:"generate"` // the server may make the value
	State       string            `json:"state"`    // pending, provided, declined, withdrawn, expired
	CreatedAt   time.Time         `json:"created_at"`
	ExpiresAt   time.Time         `json:"expires_at"`
}

// SecretRequestsResult lists the calls that wait.
type SecretRequestsResult struct {
	Items []SecretRequest `json:"items"`
}

// SecretProvide gives a value: to a call that waits (Request), or to the vault at large. A name that exists gets a
// new version.
type SecretProvide struct {
	Name    string    `json:"name"`
	Request string    `json:"request,omitempty"`
	Kind    string    `json:"kind,omitempty"`
	Nonce   string    `json:"nonce"`
	Box     SecretBox `json:"box"` // sealed to SecretOpening.Key for secrets.provide
	By      DecidedBy `json:"by"`
}

// SecretDecline answers a waiting call with no.
type SecretDecline struct {
	Request string    `json:"request"`
	Reason  string    `json:"reason,omitempty"`
	By      DecidedBy `json:"by"`
}

// SecretReveal asks for a value, sealed to a key that the browser made for this request. Signature is by an approver
// key over SecretRevealBody, so that a hub cannot put a key of its own in the place of ReplyKey.
type SecretReveal struct {
	Name      string     `json:"name"`
	Nonce     string     `json:"nonce"`
	ReplyKey  string     `json:"reply_key"` // P-256, as SecretOpening.Key
	Signature *Signature `json:"signature"`
	By        DecidedBy  `json:"by"`
}

// SecretRevealed is the answer: a box sealed to the reply key for secrets.reveal.
type SecretRevealed struct {
	Name    string    `json:"name"`
	Version int       `json:"version"`
	Box     SecretBox `json:"box"`
	Seconds int       `json:"seconds"` // how long a page may show it
}

// SecretGenerate lets the server make a value. Nobody sees it.
type SecretGenerate struct {
	Name        string            `json:"name"`
	Request     string            `json:"request,omitempty"`
	Kind        string            `json:"kind,omitempty"`
	Constraints SecretConstraints `json:"constraints"`
	By          DecidedBy         `json:"by"`
}

// SecretRotate puts a new value in the place of the old, in the service too where agentd knows how. With an empty Box
// the server makes the value.
type SecretRotate struct {
	Name  string    `json:"name"`
	Nonce string    `json:"nonce,omitempty"`
	Box   SecretBox `json:"box,omitempty"` // sealed for secrets.rotate
	By    DecidedBy `json:"by"`
}

// SecretRollback makes a former version the current one again, as a new version.
type SecretRollback struct {
	Name    string    `json:"name"`
	Version int       `json:"version"`
	By      DecidedBy `json:"by"`
}

// SecretBind says where a value may be used from now on. It is a change of power: Signature is over SecretBindBody.
type SecretBind struct {
	Name      string          `json:"name"`
	Bindings  []SecretBinding `json:"bindings"`
	BaseHash  string          `json:"base_hash,omitempty"` // the BindingsHash that the author saw; other bindings in force are a conflict. Empty: they are not compared
	Signature *Signature      `json:"signature"`
	By        DecidedBy       `json:"by"`
}

// SecretDelete takes a value out of use for good, with the places where it could be used. It is signed although it gives no
// power: the owner cannot get the value back. Signature is over SecretDeleteBody.
type SecretDelete struct {
	Name      string     `json:"name"`
	Signature *Signature `json:"signature,omitempty"`
	By        DecidedBy  `json:"by"`
}

// SecretDeleted says that a secret is out of use.
type SecretDeleted struct {
	Name string `json:"name"`
}

// SecretAuditParams asks for one page of who touched what, newest first.
type SecretAuditParams struct {
	Name  string `json:"name,omitempty"`  // empty: every secret
	After int64  `json:"after,omitempty"` // N of the last item of the page before
	Limit int    `json:"limit,omitempty"` // 1 to 200; 0: 50
}

// SecretAuditItem is one access.
type SecretAuditItem struct {
	N       int64     `json:"n"`
	Time    time.Time `json:"time"`
	Name    string    `json:"name"`
	Version int       `json:"version"`
	Act     string    `json:"act"` // set, generate, rotate, rollback, bind, reveal, lease, use, seed, import, remove, rekey, refuse, source, fetch
	By      string    `json:"by"`  // a person, an agent, operator, agentd
	For     string    `json:"for"` // destination, reason or call id
}

// SecretAuditResult is one page.
type SecretAuditResult struct {
	Items []SecretAuditItem `json:"items"`
	Next  int64             `json:"next"` // 0 at the end
}

// Kinds of a signed change that concern secrets, for SignedChange of the approver keys.
const (
	ChangeSecretReveal ChangeKind = "secret.reveal" // body: SecretRevealBody
	ChangeSecretBind   ChangeKind = "secret.bind"   // body: SecretBindBody
	ChangeSecretDelete ChangeKind = "secret.delete" // body: SecretDeleteBody
)

// SecretRevealBody is what the signature of a reveal covers, before canonical JSON.
func SecretRevealBody(r SecretReveal) (json.RawMessage, error) {
	return json.Marshal(map[string]string{"name": r.Name, "nonce": r.Nonce, "reply_key": r.ReplyKey})
}

// SecretBindBody is what the signature of a binding covers, before canonical JSON: with BaseHash where there is one, so
// that nobody between takes it away.
func SecretBindBody(b SecretBind) (json.RawMessage, error) {
	body := map[string]any{"name": b.Name, "bindings": b.Bindings}
	if b.BaseHash != "" {
		body["base_hash"] = b.BaseHash
	}
	return json.Marshal(body)
}

// SecretDeleteBody is what the signature of a deletion covers, before canonical JSON.
func SecretDeleteBody(d SecretDelete) (json.RawMessage, error) {
	return json.Marshal(map[string]string{"name": d.Name})
}
