package main

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"
)

// asked is an approval, as GET approvals lists it.
type asked struct {
	ID        string          `json:"id"`
	ServerID  string          `json:"server_id"`
	RunID     string          `json:"run_id"`
	CallID    string          `json:"call_id"`
	Agent     string          `json:"agent"`
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"`
	ArgsHash  string          `json:"args_hash"`
	ShownHash string          `json:"shown_hash"` // of args, where secrets in them are masked
	Tier      string          `json:"tier"`
	Policy    json.Number     `json:"policy_version"`
	Staged    string          `json:"staged_hash"`
	ExpiresAt string          `json:"expires_at"`
	Summary   string          `json:"summary"`
	Reason    string          `json:"reason"`
}

// signature is what a decision that allows carries.
type signature struct {
	KeyID string `json:"key_id"`
	Time  string `json:"time"`
	Sig   string `json:"sig"`
}

// signer is a software key that is enrolled on the server.
type signer struct {
	id  string
	key *ecdsa.PrivateKey
}

func newSigner(id, text string) (signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return signer{}, errors.New("the key is no PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return signer{}, fmt.Errorf("read key: %w", err)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return signer{}, errors.New("the key is not one for ECDSA")
	}
	return signer{id, key}, nil
}

// allowOnce signs that exactly the call that a person has read may run, once.
func (s signer) allowOnce(a asked, now time.Time) (signature, error) {
	digest, err := a.digest()
	if err != nil {
		return signature{}, err
	}
	at := now.UTC().Format("2006-01-02T15:04:05Z")
	// After the decision: minutes of a window, then the hashes of a scope and of edited arguments, of which there are none.
	sum := sha256.Sum256(lines("gatehouse-approval-v1", digest, "allow_once", "0", "-", "-", at))
	r, t, err := ecdsa.Sign(rand.Reader, s.key, sum[:])
	if err != nil {
		return signature{}, fmt.Errorf("sign: %w", err)
	}
	sig := make([]byte, 64)
	r.FillBytes(sig[:32])
	t.FillBytes(sig[32:])
	return signature{s.id, at, base64.RawURLEncoding.EncodeToString(sig)}, nil
}

// digest names the call. It is computed from what is shown and not taken from the hub: whoever signs what they were
// handed has not seen what they allow.
func (a asked) digest() (string, error) {
	args, err := plain(a.Args)
	if err != nil {
		return "", err
	}
	if hash(args) != cmp.Or(a.ShownHash, a.ArgsHash) {
		return "", errors.New("the arguments are not those that the request is bound to")
	}
	all := []string{"gatehouse-call-v1", a.ServerID, a.ID, a.RunID, a.CallID, a.Agent, a.Tool, a.ArgsHash, a.Tier, a.Policy.String(), cmp.Or(a.Staged, "-"), a.ExpiresAt}
	if a.ShownHash != "" {
		all[0] = "gatehouse-call-v2"
		all = append(all, a.ShownHash)
	}
	return hash(lines(all...)), nil
}

// plain is RFC 8785 for what arguments are made of: sorted keys, no spaces, nothing escaped that need not be. What
// it writes in another way than the server has another hash, and is not signed.
func plain(raw json.RawMessage) ([]byte, error) {
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	var v any
	if err := in.Decode(&v); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		return nil, fmt.Errorf("write arguments: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func lines(all ...string) []byte { return []byte(strings.Join(all, "\n")) }

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
