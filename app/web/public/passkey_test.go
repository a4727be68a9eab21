package public_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"gatehouse/app/audit"
	"gatehouse/app/passkey"
	"gatehouse/app/passkey/passkeytest"
)

// phone adds a passkey of a new authenticator.
func (h *hub) phone(t *testing.T, who passkey.Owner) *passkeytest.Authenticator {
	t.Helper()
	a := passkeytest.New(t, origin, "localhost")
	q, err := h.passkeys.BeginAdd(t.Context(), who)
	if err == nil {
		_, err = h.passkeys.FinishAdd(t.Context(), who, q.Challenge, "Phone", a.Make(q), audit.Itself)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// enters signs in with an authenticator at a sign-in page.
func (b *browser) enters(page, at string, a *passkeytest.Authenticator) answer {
	b.t.Helper()
	var q passkey.Asked
	begun := b.post(at + "/begin")
	if err := json.Unmarshal([]byte(begun.text), &q); err != nil {
		b.t.Fatalf("%d %s", begun.StatusCode, begun.text)
	}
	return b.fill(page, at, "challenge", q.Challenge, "answer", a.Sign(q))
}

// TestPasskey_staff: a passkey signs one of our staff in at once, where they wanted to go; a customer's does not, and says why.
func TestPasskey_staff(t *testing.T) {
	t.Parallel()
	h := start(t)
	m, _ := h.member(t)
	ours := h.phone(t, passkey.Owner{Kind: passkey.Staff, ID: string(m.ID), Email: m.Email})
	shop := h.browser(t)
	shop.checkout("owner@example.com")
	var id string
	if err := h.db.Pool.QueryRow(t.Context(), "SELECT id FROM users").Scan(&id); err != nil {
		t.Fatal(err)
	}
	theirs := h.phone(t, passkey.Owner{Kind: passkey.User, ID: id, CustomerID: string(h.customer(t)), Email: "owner@example.com"})

	b := h.browser(t)
	a := b.enters("/admin/auth/sign-in", "/admin/auth/passkey", theirs)
	if a.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(a.text, "This passkey does not sign in here") {
		t.Errorf("a customer's: %d %.300s", a.StatusCode, a.text)
	}
	a = b.enters("/admin/auth/sign-in?next=/admin/orders", "/admin/auth/passkey", ours)
	if a.location() != "/admin/orders" || b.get("/admin").text != "inside as clerk@example.com" {
		t.Errorf("ours: %d to %q", a.StatusCode, a.location())
	}

	c := h.browser(t)
	if a := c.enters("/auth/sign-in", "/auth/passkey", ours); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("one of our staff in the portal: %d", a.StatusCode)
	}
	if a := c.enters("/auth/sign-in", "/auth/passkey", theirs); a.location() != "/app" || c.get("/app").StatusCode != http.StatusOK {
		t.Errorf("theirs: %d to %q", a.StatusCode, a.location())
	}
	if a := c.post("/auth/passkey", "challenge", "x", "answer", "{}"); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("of no challenge: %d", a.StatusCode)
	}
	if _, err := h.db.Pool.Exec(t.Context(), "UPDATE users SET password_hash = password_hash || 'x'"); err != nil {
		t.Fatal(err)
	}
	if a := c.enters("/auth/sign-in?again=1", "/auth/passkey", theirs); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("after a new password: %d", a.StatusCode)
	}
}
