package public_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/credential"
	"gatehouse/db"
)

// TestSecretLink: opening the address spoils nothing, a wrong token gets nothing, the right one gets the box once.
func TestSecretLink(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	l, take := h.link(t, credential.LinkView)
	stranger := h.browser(t)
	if n := b.get("/s/" + l.ID).doc(t).Find("form[action='/auth/sign-out']").Length(); n != 1 {
		t.Errorf("%d ways out for whoever is signed in", n)
	}
	for range 3 {
		if a := stranger.get("/s/" + l.ID); a.StatusCode != 200 || !strings.Contains(a.text, "shop.api_key") || strings.Contains(a.text, "contents-of-the-box") {
			t.Fatalf("%d %s", a.StatusCode, a.text)
		}
	}
	if a := stranger.post("/s/"+l.ID+"/take", "take", base64.RawURLEncoding.EncodeToString(make([]byte, 32))); a.StatusCode != 410 {
		t.Errorf("a wrong token: %d", a.StatusCode)
	}
	if a := stranger.post("/s/"+l.ID+"/take", "take", take); a.StatusCode != 200 || !strings.Contains(a.text, `"box":"contents-of-the-box"`) {
		t.Errorf("the right one: %d %s", a.StatusCode, a.text)
	}
	if a := stranger.post("/s/"+l.ID+"/take", "take", take); a.StatusCode != 410 {
		t.Errorf("again: %d", a.StatusCode)
	}
	for _, id := range []string{l.ID, "nothing", uuid.NewString()} {
		if a := stranger.get("/s/" + id); a.StatusCode != 410 {
			t.Errorf("%s: %d", id, a.StatusCode)
		}
	}
}

// link makes a one-time link of the only customer; take is what its fragment holds.
func (h *hub) link(t *testing.T, kind credential.LinkKind) (l credential.Link, take string) {
	t.Helper()
	var token [32]byte
	_, _ = rand.Read(token[:]) // never fails
	hash, now := sha256.Sum256(token[:]), h.clock().UTC().Truncate(time.Microsecond)
	l = credential.Link{
		ID: uuid.Must(uuid.NewV7()).String(), CustomerID: h.customer(t), Kind: kind, Name: "shop.api_key", Take: hash[:],
		By: "owner@example.com", CreatedAt: now, ExpiresAt: now.Add(credential.LinkLife),
	}
	if kind == credential.LinkView {
		l.Box = "contents-of-the-box"
	}
	if err := (&db.SecretLinks{DB: h.db}).AddLink(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	return l, base64.RawURLEncoding.EncodeToString(token[:])
}
