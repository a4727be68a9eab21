package public_test

import (
	"net/http"
	"strings"
	"testing"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/work"
)

// TestInvite: the link shows who invites and what it allows, joins once, and leads in; what is wrong is said and keeps the
// link; a used one says whom to ask.
func TestInvite(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.browser(t).checkout("owner@example.com")
	owner, err := h.accounts.SignIn(t.Context(), "owner@example.com", password)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.db.Pool.Exec(t.Context(), "UPDATE users SET verified_at = now() WHERE id = $1", owner.ID); err != nil {
		t.Fatal(err)
	}
	i, err := h.accounts.Invite(t.Context(), owner.CustomerID, "baker@example.com", true, false,
		audit.Actor{Kind: audit.User, ID: string(owner.ID), Name: owner.Email})
	if err != nil {
		t.Fatal(err)
	}
	l, err := h.accounts.Letter(t.Context(), work.SendMail{Template: account.LetterInvite, Ref: i.ID})
	if err != nil {
		t.Fatal(err)
	}
	path := "/auth/invite/" + l.Token
	b := h.browser(t)
	page := b.get(path)
	text := page.doc(t).Find("main").Text()
	if page.StatusCode != http.StatusOK || !strings.Contains(text, owner.Email) || !strings.Contains(text, "talk with the team") {
		t.Errorf("%d %s", page.StatusCode, text)
	}
	got := b.fill(path, path, "name", "A baker", "password", "short")
	if got.StatusCode != http.StatusUnprocessableEntity || got.doc(t).Find("#f-name").AttrOr("value", "") != "A baker" {
		t.Errorf("a short password: %d", got.StatusCode)
	}
	if got := b.fill(path, path, "name", "A baker", "password", password); got.StatusCode != http.StatusSeeOther ||
		got.location() != "/app" {
		t.Errorf("joining: %d to %s", got.StatusCode, got.location())
	}
	if got := b.get("/app"); got.StatusCode != http.StatusOK {
		t.Errorf("who joined is not signed in: %d", got.StatusCode)
	}
	if got := b.get("/onboard"); got.StatusCode != http.StatusForbidden {
		t.Errorf("a member sees the order: %d", got.StatusCode)
	}
	for _, gone := range []string{path, "/auth/invite/unknown"} {
		got := h.browser(t).get(gone)
		if got.StatusCode != http.StatusGone || !strings.Contains(got.doc(t).Find("main").Text(), "Ask the person who invited you") {
			t.Errorf("%s: %d", gone, got.StatusCode)
		}
	}
}
