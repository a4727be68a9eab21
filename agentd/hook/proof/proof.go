package proof

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"gatehouse/agentd/wire"
)

// Sent is what came, with its headers by their lower-case names.
type Sent struct {
	Headers map[string]string
	Body    []byte
}

// Mark is by what a delivery is known again, and for how long.
type Mark struct {
	Of  string // hex SHA-256
	For time.Duration
}

// Why a proof does not hold, for the owner of the hook.
const (
	noToken     = "The bearer token is missing."
	otherToken  = "The bearer token is not that of this hook."
	noSignature = "The signature is missing."
	unreadable  = "The signature cannot be read."
	otherSum    = "The signature does not fit what was sent."
	offClock    = "The time of the signature is more than 5 minutes off."
)

// Token checks a bearer token against the hex SHA-256 of the secret. why is empty when it holds.
func Token(secretHash string, s Sent) (marks []Mark, why string) {
	scheme, token, _ := strings.Cut(s.Headers["authorization"], " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "bearer") || token == "" {
		return nil, noToken
	}
	if subtle.ConstantTimeCompare([]byte(Hash([]byte(token))), []byte(secretHash)) != 1 {
		return nil, otherToken
	}
	return s.marks(), ""
}

// Hash is hex SHA-256.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// key is what a secret is as the key of a signature: standardwebhooks.com writes it in base64 behind whsec_.
func key(secret string) []byte {
	if coded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if raw, err := base64.StdEncoding.DecodeString(coded); err == nil {
			return raw
		}
	}
	return []byte(secret)
}

func sum(secret string, parts ...[]byte) []byte {
	m := hmac.New(sha256.New, key(secret))
	for _, p := range parts {
		_, _ = m.Write(p) // a hash takes everything
	}
	return m.Sum(nil)
}

// Signed checks a signature over a time and the body.
func Signed(secret string, s Sent, now time.Time) (marks []Mark, why string) {
	at, text, sums, why := s.signature()
	if why != "" {
		return nil, why
	}
	want, holds := sum(secret, text), 0
	for _, got := range sums {
		holds |= subtle.ConstantTimeCompare(got, want)
	}
	if holds != 1 {
		return nil, otherSum
	}
	if d := now.Sub(at); d > wire.HookClock || d < -wire.HookClock {
		return nil, offClock
	}
	// Whoever has copied a delivery can change what is not signed. The signed text stays, for as long as its time holds.
	return append(s.marks(), Mark{Hash(append([]byte("signed\n"), text...)), 2 * wire.HookClock}), ""
}

// signature reads what the sender has signed, when, and what it says is the sum: several while it changes its key.
func (s Sent) signature() (at time.Time, text []byte, sums [][]byte, why string) {
	var stamp string
	if all := s.Headers["webhook-signature"]; all != "" {
		stamp = s.Headers["webhook-timestamp"]
		text = []byte(s.Headers["webhook-id"] + "." + stamp + ".")
		for _, one := range strings.Fields(all) {
			if coded, ok := strings.CutPrefix(one, "v1,"); ok {
				sums = append(sums, decoded(base64.StdEncoding.DecodeString(coded)))
			}
		}
	} else {
		all := first(s.Headers, "x-gatehouse-signature", "stripe-signature", "x-signature")
		if all == "" {
			return at, nil, nil, noSignature
		}
		for part := range strings.SplitSeq(all, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			switch name {
			case "t":
				stamp = value
			case "v1":
				sums = append(sums, decoded(hex.DecodeString(value)))
			}
		}
		text = []byte(stamp + ".")
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || len(sums) == 0 {
		return at, nil, nil, unreadable
	}
	return time.Unix(seconds, 0), append(text, s.Body...), sums, ""
}

// decoded is what can be read of a sum: nothing has none that fits.
func decoded(b []byte, err error) []byte {
	if err != nil {
		return nil
	}
	return b
}

// Body checks a signature over the body alone.
func Body(secret string, s Sent) (marks []Mark, why string) {
	got := first(s.Headers, "x-hub-signature-256", "x-gitea-signature", "x-cal-signature-256")
	if got == "" {
		return nil, noSignature
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(got, "sha256="))
	if err != nil {
		return nil, unreadable
	}
	if subtle.ConstantTimeCompare(raw, sum(secret, s.Body)) != 1 {
		return nil, otherSum
	}
	// No time is signed: the same bytes are the same delivery, however late somebody sends a copy.
	return append(s.marks(), Mark{Hash(append([]byte("signed\n"), s.Body...)), wire.HookSeen}), ""
}

// marks are by what a sender says that two deliveries are the same: an id of its own, and without one the very same bytes within
// a short time.
func (s Sent) marks() []Mark {
	for _, name := range []string{"webhook-id", "idempotency-key", "x-github-delivery", "x-gitea-delivery"} {
		if id := s.Headers[name]; id != "" {
			return []Mark{{Hash([]byte("id\n" + name + "\n" + id)), wire.HookSeen}}
		}
	}
	return []Mark{{Hash(append([]byte("body\n"), s.Body...)), wire.HookSame}}
}

func first(headers map[string]string, names ...string) string {
	for _, n := range names {
		if v := headers[n]; v != "" {
			return v
		}
	}
	return ""
}
