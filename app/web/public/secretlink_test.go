package public_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/credential"
	"gatehouse/db"
)

// TestSecretLink: opening the address spoils nothing, a wrong token gets nothing, the right one gets the box once.
func TestSecretLink(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	var of string
	if err := h.db.Pool.QueryRow(t.Context(), "SELECT id::text FROM customers LIMIT 1").Scan(&of); err != nil {
		t.Fatal(err)
	}
	var token [32]byte
	_, _ = rand.Read(token[:]) // never fails
	hash := sha256.Sum256(token[:])
	now := h.clock().UTC().Truncate(time.Microsecond)
	l := credential.Link{
		ID: uuid.Must(uuid.NewV7()).String(), CustomerID: account.CustomerID(of), Kind: credential.LinkView, Name: "shop.api_key", Take: hash[:], Box: "contents-of-the-box",
		By: "owner@example.com", CreatedAt: now, ExpiresAt: now.Add(credential.LinkLife),
	}
	if err := (&db.SecretLinks{DB: h.db}).AddLink(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	stranger := h.browser(t)
	for range 3 {
		if a := stranger.get("/s/" + l.ID); a.StatusCode != 200 || !strings.Contains(a.text, "shop.api_key") || strings.Contains(a.text, "contents-of-the-box") {
			t.Fatalf("%d %s", a.StatusCode, a.text)
		}
	}
	take := base64.RawURLEncoding.EncodeToString(token[:])
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
