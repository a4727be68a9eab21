package wire

import (
	"crypto/ed25519"
	"errors"
	"os"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

func TestVerify_bindsEverything(t *testing.T) {
	t.Parallel()
	pub, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := NewChallenge("https://hub.example.com", noon)
	good := Auth{ServerID: "s1", KeyID: KeyID(pub), Signature: Sign(c, "s1", key)}
	if err := Verify(c, good, pub); err != nil {
		t.Fatalf("the right answer: %v", err)
	}
	other, later := c, c
	other.Hub = "https://evil.example.com"
	later.Time = later.Time.Add(time.Nanosecond)
	fresh := NewChallenge(c.Hub, noon)
	stranger := good
	stranger.ServerID = "s2"
	broken := good
	broken.Signature = "!"
	for name, v := range map[string]struct {
		c Challenge
		a Auth
	}{
		"another hub": {other, good}, "another time": {later, good}, "another nonce": {fresh, good},
		"another server": {c, stranger}, "no base64": {c, broken}, "no signature": {c, Auth{ServerID: "s1"}},
	} {
		if err := Verify(v.c, v.a, pub); !errors.Is(err, ErrSignature) {
			t.Errorf("%s: %v, want ErrSignature", name, err)
		}
	}
}

func TestNewChallenge_noncesDiffer(t *testing.T) {
	t.Parallel()
	n, seen := 1000, map[string]bool{}
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		n = 1_000_000
	}
	for range n {
		n := NewChallenge("h", noon).Nonce
		if len(n) != 43 || seen[n] {
			t.Fatalf("nonce %q is short or came twice", n)
		}
		seen[n] = true
	}
}
