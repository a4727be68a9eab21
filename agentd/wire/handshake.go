package wire

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Challenge is the first frame of a connection, sent by the hub.
type Challenge struct {
	Nonce string    `json:"nonce"` // 32 random bytes, base64url without padding; good for one connection and 60 s
	Time  time.Time `json:"time"`
	Hub   string    `json:"hub"` // the hub's public origin, as in its configuration
}

// NewChallenge makes a challenge for the hub of that public origin at the given time.
func NewChallenge(origin string, now time.Time) Challenge {
	var b [32]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never fails: it ends the program instead
	return Challenge{Nonce: base64.RawURLEncoding.EncodeToString(b[:]), Time: now.UTC(), Hub: origin}
}

// Auth answers a Challenge.
type Auth struct {
	ServerID      string `json:"server_id"`
	KeyID         string `json:"key_id"`    // KeyID of the public key that signed
	Signature     string `json:"signature"` // base64url over SignedText
	AgentdVersion string `json:"agentd_version"`
	ConfigVersion int64  `json:"config_version"`
	Resume        Resume `json:"resume"`
}

// Resume tells the hub where to go on.
type Resume struct {
	LastSeq int64 `json:"last_seq"` // highest reliable Seq from the hub that agentd has applied
}

// Welcome ends the handshake. From here on both sides send any frame.
type Welcome struct {
	LastSeq int64     `json:"last_seq"` // highest reliable Seq from agentd that the hub has applied
	Time    time.Time `json:"time"`     // the hub's clock

	// CommandKey is the key that signs the hub's commands: Ed25519, base64url; since version 3. A server that has pinned none
	// pins this one; one that has pinned another takes no command signed by it.
	CommandKey string `json:"command_key,omitempty"`
}

// Close reasons the hub gives in the websocket close frame, so that agentd can tell a passing state from a final one.
const (
	CloseReplaced = "replaced" // a newer connection of the same server took over
	CloseRevoked  = "revoked"  // the server is no longer known: do not come back
	CloseAuth     = "auth"     // the handshake did not verify
)

// SignedText is what agentd signs with its Ed25519 key to open a link: it binds the hub's nonce and origin and the
// server's own id, so that a signature is of no use to another hub, server or connection.
func SignedText(c Challenge, serverID string) []byte {
	return []byte(strings.Join([]string{"gatehouse-link-v1", c.Nonce, c.Time.UTC().Format(time.RFC3339Nano), serverID, c.Hub}, "\n"))
}

// Sign makes the Auth signature for c with key.
func Sign(c Challenge, serverID string, key ed25519.PrivateKey) string {
	return base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, SignedText(c, serverID)))
}

// ErrSignature says that an Auth does not answer its Challenge with the server's key.
var ErrSignature = errors.New("link signature does not verify")

// Verify checks that a answers c with the key pub.
func Verify(c Challenge, a Auth, pub ed25519.PublicKey) error {
	sig, err := base64.RawURLEncoding.DecodeString(a.Signature)
	if err != nil || !ed25519.Verify(pub, SignedText(c, a.ServerID), sig) {
		return fmt.Errorf("server %s: %w", a.ServerID, ErrSignature)
	}
	return nil
}
