package public_test

import (
	"net/http"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/work"
)

// letter is what the mail that was asked for last says; nobody's is none.
func (h *hub) letter(t *testing.T, template string) (account.Letter, error) {
	t.Helper()
	h.mu.Lock()
	mail, ok := h.asked[len(h.asked)-1].(work.SendMail)
	h.mu.Unlock()
	if !ok || mail.Template != template {
		t.Fatalf("asked for %+v, want a letter %s", mail, template)
	}
	return h.accounts.Letter(t.Context(), mail)
}

func (h *hub) linkFor(t *testing.T, email string) string {
	t.Helper()
	if a := h.browser(t).fill("/auth/sign-in", "/auth/sign-in", "email", email); a.StatusCode != http.StatusUnprocessableEntity {
		t.Fatalf("no password: %d", a.StatusCode)
	}
	if a := h.browser(t).post("/auth/link", "email", email); a.location() != "/auth/link" {
		t.Fatalf("asking for a link: %d to %q", a.StatusCode, a.location())
	}
	l, err := h.letter(t, "sign_in")
	if err != nil {
		t.Fatal(err)
	}
	return "/auth/link/" + l.Token
}

// TestSignInLink: opening the link, however often, uses nothing up; the button signs in, once. Another link that waits is void
// then, and so are all after half an hour or a new password.
func TestSignInLink(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.browser(t).checkout("owner@example.com")
	older, link := h.linkFor(t, "owner@example.com"), h.linkFor(t, "Owner@Example.com")
	b := h.browser(t)
	for range 3 {
		if a := b.get(link); a.StatusCode != http.StatusOK || b.get("/app").StatusCode == http.StatusOK {
			t.Fatalf("opening it: %d, or it signs in", a.StatusCode)
		}
	}
	if a := b.fill(link, link); a.location() != "/app" || b.get("/app").StatusCode != http.StatusOK {
		t.Fatalf("the button: %d to %q", a.StatusCode, a.location())
	}
	for name, path := range map[string]string{"used": link, "older": older, "unknown": "/auth/link/x"} {
		stranger := h.browser(t)
		if got, sent := stranger.get(path).StatusCode, stranger.post(path).StatusCode; got != http.StatusGone || sent != http.StatusGone {
			t.Errorf("%s: %d, %d", name, got, sent)
		}
	}
	late := h.linkFor(t, "owner@example.com")
	h.pass(30 * time.Minute)
	if a := h.browser(t).post(late); a.StatusCode != http.StatusGone {
		t.Errorf("after half an hour: %d", a.StatusCode)
	}
	before := h.linkFor(t, "owner@example.com")
	reset, err := h.accounts.Letter(t.Context(), work.SendMail{Template: "reset", UserID: h.user(t)})
	if err != nil {
		t.Fatal(err)
	}
	h.browser(t).post("/auth/reset/"+reset.Token, "password", "a new and longer one 1")
	if a := h.browser(t).post(before); a.StatusCode != http.StatusGone {
		t.Errorf("after a new password: %d", a.StatusCode)
	}
	if told, err := h.letter(t, "password_new"); err != nil || told.To != "owner@example.com" || told.Token != "" {
		t.Errorf("told of the new password: %+v, %v", told, err)
	}
}

// TestSignInLink_nobody: an address that nobody has leads to the same queued work, and to no mail.
func TestSignInLink_nobody(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.browser(t).post("/auth/link", "email", "nobody@example.com")
	if l, err := h.letter(t, "sign_in"); err == nil {
		t.Errorf("a letter to %q", l.To)
	}
	if a := h.browser(t).post("/auth/link", "email", "no address"); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("what is no address: %d", a.StatusCode)
	}
	var last answer
	for range 11 {
		last = h.browser(t).post("/auth/link", "email", "nobody@example.com")
	}
	if last.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the eleventh within a minute: %d", last.StatusCode)
	}
}
