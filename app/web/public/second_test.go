package public_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/second"
	"gatehouse/app/work"
)

// newSecond makes a customer who is asked for a code at sign-in; now gives the code of the moment.
func (h *hub) newSecond(t *testing.T, email string) (u account.User, now func() string, backup []string) {
	t.Helper()
	h.browser(t).checkout(email)
	u, err := h.accounts.SignIn(t.Context(), email, password)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.seconds.Begin(t.Context(), u.CustomerID, u.ID, u.Email); err != nil {
		t.Fatal(err)
	}
	step, err := h.seconds.Of(t.Context(), u.CustomerID, u.ID)
	if err != nil || step.On() {
		t.Fatalf("begun: %+v, %v", step, err)
	}
	now = func() string { return h.code(t, step.Factor) }
	if backup, err = h.seconds.Confirm(t.Context(), u.CustomerID, u.ID, now(), audit.Itself); err != nil {
		t.Fatal(err)
	}
	h.pass(30 * time.Second) // that code is used
	return u, now, backup
}

// TestSecond: neither password nor link lets in who has a second step; the code does, once, or a backup code, once.
func TestSecond(t *testing.T) {
	t.Parallel()
	h := start(t)
	u, now, backup := h.newSecond(t, "owner@example.com")
	told, ok := h.asked[len(h.asked)-1].(work.SendMail)
	if !ok || told.Template != "second_on" || told.UserID != string(u.ID) {
		t.Errorf("told %+v", told)
	}
	half := func() *browser {
		b := h.browser(t)
		a := b.post("/auth/sign-in", "email", "owner@example.com", "password", password, "next", "/app/chat")
		if a.location() != "/auth/second?next=%2Fapp%2Fchat" || b.get("/app").StatusCode == http.StatusOK {
			t.Fatalf("the password: %d to %q", a.StatusCode, a.location())
		}
		return b
	}
	b := half()
	a := b.fill("/auth/second", "/auth/second", "code", "000000x")
	if a.StatusCode != http.StatusUnprocessableEntity || b.get("/app").StatusCode == http.StatusOK {
		t.Errorf("a wrong code: %d", a.StatusCode)
	}
	code := now()
	a = b.fill("/auth/second?next=/app/chat", "/auth/second", "code", code)
	if a.location() != "/app/chat" || b.get("/app").StatusCode != http.StatusOK {
		t.Errorf("the code: %d to %q", a.StatusCode, a.location())
	}
	if a := half().fill("/auth/second", "/auth/second", "code", code); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("the same code: %d", a.StatusCode)
	}
	link := h.linkFor(t, "owner@example.com")
	b = h.browser(t)
	if a := b.fill(link, link); !strings.HasPrefix(a.location(), "/auth/second") || b.get("/app").StatusCode == http.StatusOK {
		t.Errorf("the link: %d to %q", a.StatusCode, a.location())
	}
	if a := b.fill("/auth/second", "/auth/second", "code", strings.ToUpper(backup[0])); a.location() != "/app" {
		t.Errorf("a backup code: %d to %q", a.StatusCode, a.location())
	}
	if a := half().fill("/auth/second", "/auth/second", "code", backup[0]); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("the same backup code: %d", a.StatusCode)
	}
	b = half()
	a = b.fill("/auth/second", "/auth/second/sign-out")
	if a.location() != "/auth/signed-out" || b.get("/auth/second").StatusCode == http.StatusOK {
		t.Errorf("giving up: %d to %q", a.StatusCode, a.location())
	}
}

// TestSecond_changes: a new set voids the old one; what was switched off is asked for no more; others reach nothing.
func TestSecond_changes(t *testing.T) {
	t.Parallel()
	h := start(t)
	u, now, old := h.newSecond(t, "owner@example.com")
	if err := h.seconds.Begin(t.Context(), u.CustomerID, u.ID, u.Email); !errors.Is(err, account.ErrSecondOn) {
		t.Errorf("beginning again: %v", err)
	}
	fresh, err := h.seconds.Renew(t.Context(), u.CustomerID, u.ID, audit.Itself)
	if err != nil || len(fresh) != second.BackupCodes || slices.Contains(fresh, old[0]) {
		t.Fatalf("a new set: %d, %v", len(fresh), err)
	}
	if _, _, err := h.seconds.Check(t.Context(), u.CustomerID, u.ID, old[0]); !errors.Is(err, second.ErrCode) {
		t.Errorf("a code of the old set: %v", err)
	}
	left, backup, err := h.seconds.Check(t.Context(), u.CustomerID, u.ID, fresh[0])
	if err != nil || !backup || left != second.BackupCodes-1 {
		t.Errorf("one of the new set: %d left, %v, %v", left, backup, err)
	}
	stranger, _, _ := h.newSecond(t, "other@example.com")
	if err := h.seconds.Off(t.Context(), stranger.CustomerID, u.ID, audit.Itself); !errors.Is(err, account.ErrSecondOff) {
		t.Errorf("switched off by another customer: %v", err)
	}
	if _, _, err := h.seconds.Check(t.Context(), u.CustomerID, u.ID, now()); err != nil {
		t.Errorf("after that, its code: %v", err)
	}
	if err := h.seconds.Off(t.Context(), u.CustomerID, u.ID, audit.Itself); err != nil {
		t.Fatal(err)
	}
	if a := h.browser(t).post("/auth/sign-in", "email", "owner@example.com", "password", password); a.location() != "/app" {
		t.Errorf("switched off: %d to %q", a.StatusCode, a.location())
	}
	var n int
	const count = "SELECT count(*) FROM audit_log WHERE action IN ('second.on', 'second.backup', 'second.off') AND target = $1"
	if err := h.db.Pool.QueryRow(t.Context(), count, string(u.ID)).Scan(&n); err != nil || n != 3 {
		t.Errorf("%d records, %v", n, err)
	}
}
