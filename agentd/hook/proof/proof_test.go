package proof_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"testing"
	"time"

	"gatehouse/agentd/hook/proof"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func sum(key, text string) []byte {
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(text))
	return m.Sum(nil)
}

func sent(body string, headers ...string) proof.Sent {
	s := proof.Sent{Headers: map[string]string{}, Body: []byte(body)}
	for i := 0; i < len(headers); i += 2 {
		s.Headers[headers[i]] = headers[i+1]
	}
	return s
}

func stamped(secret, body string, at time.Time) string {
	t := strconv.FormatInt(at.Unix(), 10)
	return "t=" + t + ",v1=" + hex.EncodeToString(sum(secret, t+"."+body))
}

const secret = "a secret of more than sixteen"

// TestToken: the token holds whose hash is kept, and no other.
func TestToken(t *testing.T) {
	t.Parallel()
	hash := proof.Hash([]byte(secret))
	for header, want := range map[string]string{
		"Bearer " + secret: "", "bearer " + secret: "",
		"":                       "The bearer token is missing.",
		"Bearer ":                "The bearer token is missing.",
		"Basic " + secret:        "The bearer token is missing.",
		"Bearer " + secret + "x": "The bearer token is not that of this hook.",
		"Bearer " + hash:         "The bearer token is not that of this hook.",
	} {
		marks, why := proof.Token(hash, sent("{}", "authorization", header))
		if why != want || (why == "") != (len(marks) > 0) {
			t.Errorf("%q: %q, %d marks", header, why, len(marks))
		}
	}
}

// TestSigned: what a sender signs in the ways that there are holds within its time; what is forged, old, cut or empty does not.
func TestSigned(t *testing.T) {
	t.Parallel()
	const body = `{"order":7}`
	stamp := strconv.FormatInt(noon.Unix(), 10)
	standard := base64.StdEncoding.EncodeToString(sum("raw key bytes 123", "msg_1."+stamp+"."+body))
	whsec := "whsec_" + base64.StdEncoding.EncodeToString([]byte("raw key bytes 123"))
	for what, c := range map[string]struct {
		secret string
		sent   proof.Sent
		want   string
	}{
		"time and sum": {secret, sent(body, "x-gatehouse-signature", stamped(secret, body, noon)), ""},
		"two sums, one fits": {
			secret, sent(body, "stripe-signature", stamped(secret, body, noon)+",v1=00ff"), "",
		},
		"four minutes old": {
			secret, sent(body, "x-signature", stamped(secret, body, noon.Add(-4*time.Minute))), "",
		},
		"six minutes old": {
			secret, sent(body, "x-signature", stamped(secret, body, noon.Add(-6*time.Minute))),
			"The time of the signature is more than 5 minutes off.",
		},
		"six minutes ahead": {
			secret, sent(body, "x-signature", stamped(secret, body, noon.Add(6*time.Minute))),
			"The time of the signature is more than 5 minutes off.",
		},
		"another body":   {secret, sent(body+" ", "x-signature", stamped(secret, body, noon)), "The signature does not fit what was sent."},
		"another secret": {secret, sent(body, "x-signature", stamped("x"+secret, body, noon)), "The signature does not fit what was sent."},
		"none":           {secret, sent(body), "The signature is missing."},
		"no time":        {secret, sent(body, "x-signature", "v1=00"), "The signature cannot be read."},
		"no sum":         {secret, sent(body, "x-signature", "t="+stamp), "The signature cannot be read."},
		"an empty sum":   {secret, sent(body, "x-signature", "t="+stamp+",v1="), "The signature does not fit what was sent."},
		"standard":       {whsec, sent(body, "webhook-id", "msg_1", "webhook-timestamp", stamp, "webhook-signature", "v1,"+standard), ""},
		"standard, another id": {
			whsec, sent(body, "webhook-id", "msg_2", "webhook-timestamp", stamp, "webhook-signature", "v1,"+standard),
			"The signature does not fit what was sent.",
		},
	} {
		marks, why := proof.Signed(c.secret, c.sent, noon)
		if why != c.want || (why == "") != (len(marks) > 0) {
			t.Errorf("%s: %q, %d marks", what, why, len(marks))
		}
	}
}

// TestBody: the way of GitHub and Gitea.
func TestBody(t *testing.T) {
	t.Parallel()
	const body = `{"ref":"main"}`
	fits := hex.EncodeToString(sum(secret, body))
	for what, c := range map[string]struct {
		sent proof.Sent
		want string
	}{
		"GitHub":   {sent(body, "x-hub-signature-256", "sha256="+fits), ""},
		"Gitea":    {sent(body, "x-gitea-signature", fits), ""},
		"none":     {sent(body), "The signature is missing."},
		"no hex":   {sent(body, "x-gitea-signature", "zz"), "The signature cannot be read."},
		"tampered": {sent(body+"!", "x-hub-signature-256", "sha256="+fits), "The signature does not fit what was sent."},
	} {
		if _, why := proof.Body(secret, c.sent); why != c.want {
			t.Errorf("%s: %q", what, why)
		}
	}
}

// TestMarks: a copy of a signed delivery is known again whatever the copier has changed beside what is signed, and a sender that
// tries again is known by its id.
func TestMarks(t *testing.T) {
	t.Parallel()
	const body = `{"order":7}`
	same := func(a, b []proof.Mark) bool {
		for _, x := range a {
			for _, y := range b {
				if x.Of == y.Of {
					return true
				}
			}
		}
		return false
	}
	signed := func(at time.Time, more ...string) []proof.Mark {
		marks, why := proof.Signed(secret, sent(body, append(more, "x-signature", stamped(secret, body, at))...), noon)
		if why != "" {
			t.Fatal(why)
		}
		return marks
	}
	first := signed(noon, "idempotency-key", "a")
	if !same(first, signed(noon, "idempotency-key", "b")) {
		t.Error("a copy with another id is taken for new")
	}
	if !same(first, signed(noon.Add(time.Minute), "idempotency-key", "a")) {
		t.Error("a sender that tries again is taken for new")
	}
	if same(first, signed(noon.Add(time.Minute), "idempotency-key", "b")) {
		t.Error("another delivery is taken for the same")
	}
	if !same(signed(noon), signed(noon.Add(time.Minute))) {
		t.Error("the same bytes without an id are taken for new")
	}
}
