package public_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/regain"
	"gatehouse/app/work"
	"gatehouse/db"
)

// TestRegain_stopped: the link of the mail shows what it stops and uses nothing up; the button stops it, signed in or not; another
// link stops nothing.
func TestRegain_stopped(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.browser(t).checkout("owner@example.com")
	cases := &regain.Service{Store: &db.Regain{DB: h.db, Jobs: h}, Owners: h.accounts, Now: h.clock}
	var staff [2]audit.Actor
	for i, email := range []string{"one@example.net", "other@example.net"} {
		staff[i] = audit.Actor{Kind: audit.Staff, ID: uuid.NewString(), Name: email, Role: "MANAGER"}
		_, err := h.db.Pool.Exec(t.Context(),
			`INSERT INTO staff (id, email, email_folded, name, role, password_hash, totp_secret, created_at)
			VALUES ($1, $2, $2, 'Staff', 'MANAGER', '$argon2id$', 'x', $3)`, staff[i].ID, email, h.clock().AddDate(0, 0, -8))
		must(t, err)
	}
	of := h.customer(t)
	c, err := cases.Open(t.Context(), of, regain.Request{
		UserID: account.UserID(h.user(t)), Email: "new@example.com", Reason: "The office burned down.", Checked: "Called back.",
	}, staff[0])
	must(t, err)
	_, err = cases.Confirm(t.Context(), of, c.ID, staff[1])
	must(t, err)
	letter, err := cases.Letter(t.Context(), work.SendMail{Template: regain.LetterTold, Ref: c.ID + " owner@example.com"})
	must(t, err)
	b, page := h.browser(t), "/auth/regain/"+letter.Token
	if a := b.get(page + "x"); a.StatusCode != http.StatusGone || !strings.Contains(a.text, "stops nothing any more") {
		t.Errorf("another link: %d", a.StatusCode)
	}
	for range 2 {
		if a := b.get(page); a.StatusCode != http.StatusOK || !strings.Contains(a.text, "Stop it") {
			t.Fatalf("the link: %d", a.StatusCode)
		}
	}
	if a := b.fill(page, page); a.StatusCode != http.StatusOK || !strings.Contains(a.text, "It was stopped") {
		t.Errorf("stopped: %d", a.StatusCode)
	}
	if all, err := cases.Of(t.Context(), of); err != nil || all[0].State != regain.Stopped || all[0].EndedBy != "owner@example.com" {
		t.Errorf("cases: %+v, %v", all, err)
	}
	if a := b.get(page); a.StatusCode != http.StatusGone {
		t.Errorf("the link again: %d", a.StatusCode)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
