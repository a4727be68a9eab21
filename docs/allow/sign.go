package main

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/ed25519"
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

	Action      string            `json:"action"`
	WhyAsked    string            `json:"why_asked"`
	Locales     json.RawMessage   `json:"locales"` // the same in other languages
	Destination string            `json:"destination"`
	Facts       []json.RawMessage `json:"facts"`
	Diff        json.RawMessage   `json:"diff"`
	Guardian    *guardian         `json:"guardian"`
	Rule        *rule             `json:"rule"`
	Taint       []source          `json:"taint"`
	Vouched     struct {
		Sig string `json:"sig"`
	} `json:"vouched"` // by the server, of what it says of the call
}

// guardian is what the second look said, rule what could be allowed from now on, source where content from outside came
// from: of each, what the server signs.
type guardian struct {
	Failed  bool   `json:"failed"`
	Model   string `json:"model"`
	Reason  string `json:"reason"`
	Verdict string `json:"verdict"`
}

type rule struct {
	Diff string `json:"diff"`
	Text string `json:"text"`
}

type source struct {
	Source string `json:"source"`
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

// vouched says whether the server has signed what a person is about to read of the call, with the key that it proved when
// this program's own key was enrolled.
func (a asked) vouched(cardKey string) error {
	says := map[string]any{"action": a.Action, "destination": a.Destination, "reason": a.Reason, "summary": a.Summary, "why_asked": a.WhyAsked}
	if len(a.Facts) > 0 {
		says["facts"] = a.Facts
	}
	if len(a.Diff) > 0 && string(a.Diff) != "null" {
		says["diff"] = a.Diff
	}
	if len(a.Locales) > 0 {
		says["locales"] = a.Locales
	}
	if a.Guardian != nil {
		says["guardian"] = a.Guardian
	}
	if a.Rule != nil {
		says["rule"] = a.Rule
	}
	if len(a.Taint) > 0 {
		from := make([]string, 0, len(a.Taint))
		for _, s := range a.Taint {
			from = append(from, s.Source)
		}
		says["taint"] = from
	}
	raw, err := json.Marshal(says)
	if err != nil {
		return err
	}
	digest, err := a.digest()
	if err != nil {
		return err
	}
	text, err := plain(raw)
	if err != nil {
		return err
	}
	key, err1 := hex.DecodeString(cardKey)
	sig, err2 := hex.DecodeString(a.Vouched.Sig)
	if err1 != nil || err2 != nil || len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, lines("gatehouse-card-v1", a.ID, digest, hash(text)), sig) {
		return errors.New("what the request says is not what the server signed")
	}
	return nil
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
