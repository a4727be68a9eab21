package public_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/second"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

func TestStaff_bothSteps(t *testing.T) {
	t.Parallel()
	h := start(t)
	_, second := h.member(t)
	b := h.browser(t)
	a := b.fill("/admin/auth/sign-in?next=/admin/orders", "/admin/auth/sign-in", "email", "clerk@example.com", "password", password)
	if a.location() != "/admin/auth/2fa?next=%2Fadmin%2Forders" {
		t.Fatalf("password: %d to %q", a.StatusCode, a.location())
	}
	if got := b.get("/admin"); got.StatusCode != 303 {
		t.Errorf("half-way into the console: %d", got.StatusCode)
	}
	page := a.location()
	in := b.get(page).doc(t).Find("input[name=code]")
	if in.AttrOr("inputmode", "") != "numeric" || in.AttrOr("autocomplete", "") != "one-time-code" {
		t.Error("the field does not ask for a one-time code")
	}
	if a := b.fill(page, "/admin/auth/2fa", "code", "000000"); a.StatusCode != 422 {
		t.Errorf("wrong code: %d", a.StatusCode)
	}
	a = b.fill(page, "/admin/auth/2fa", "code", h.code(t, second))
	if a.location() != "/admin/orders" || b.get("/admin").text != "inside as clerk@example.com" {
		t.Errorf("code: %d to %q", a.StatusCode, a.location())
	}
	if got := b.get("/admin/auth/2fa"); got.StatusCode != 303 {
		t.Errorf("the half-way sign-in is still there: %d", got.StatusCode)
	}
	if got := b.get("/app"); got.StatusCode != 303 {
		t.Errorf("staff in the portal: %d", got.StatusCode)
	}
	a = b.post("/admin/auth/sign-out", "csrf", b.get("/admin/token").text)
	if a.location() != "/admin/auth/signed-out" || b.get("/admin").StatusCode != 303 {
		t.Errorf("sign-out: %d to %q", a.StatusCode, a.location())
	}
}

func TestStaff_aCodeIsGoodOnce(t *testing.T) {
	t.Parallel()
	h := start(t)
	_, second := h.member(t)
	code := h.code(t, second)
	var wg sync.WaitGroup
	var mu sync.Mutex
	in := 0
	for range 3 { // fewer than would use up the tries
		b := h.browser(t)
		b.post("/admin/auth/sign-in", "email", "clerk@example.com", "password", password)
		token := b.get("/admin/auth/2fa").doc(t).Find("input[name=csrf]").AttrOr("value", "")
		wg.Go(func() {
			if b.post("/admin/auth/2fa", "csrf", token, "code", code).StatusCode == http.StatusSeeOther {
				mu.Lock()
				in++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if in != 1 {
		t.Errorf("one code let %d in", in)
	}
}

func TestStaff_sixthCodeIsRefusedEvenIfRight(t *testing.T) {
	t.Parallel()
	h := start(t)
	_, second := h.member(t)
	b := h.browser(t)
	b.post("/admin/auth/sign-in", "email", "clerk@example.com", "password", password)
	for range 5 {
		b.fill("/admin/auth/2fa", "/admin/auth/2fa", "code", "000000")
	}
	if a := b.fill("/admin/auth/2fa", "/admin/auth/2fa", "code", h.code(t, second)); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("sixth: %d", a.StatusCode)
	}
	h.pass(15 * time.Minute)
	b.post("/admin/auth/sign-in", "email", "clerk@example.com", "password", password)
	if a := b.fill("/admin/auth/2fa", "/admin/auth/2fa", "code", h.code(t, second)); a.StatusCode != http.StatusSeeOther {
		t.Errorf("a quarter of an hour later: %d", a.StatusCode)
	}
}

// mailed is the secret of the link in the mail to staff that was asked for last.
func (h *hub) mailed(t *testing.T) string {
	t.Helper()
	h.mu.Lock()
	item := h.asked[len(h.asked)-1]
	h.mu.Unlock()
	l, err := h.staff.Letter(t.Context(), item.(work.SendMail))
	if err != nil {
		t.Fatal(err)
	}
	return l.Token
}

// shown is the code of the app that learns what the page shows.
func (h *hub) shown(t *testing.T, page answer) string {
	t.Helper()
	return h.code(t, second.Factor{Secret: strings.ReplaceAll(page.doc(t).Find("#app-key").Text(), " ", "")})
}

// backupCodes are those that a page shows.
func backupCodes(t *testing.T, page answer) (codes []string) {
	t.Helper()
	for _, li := range page.doc(t).Find(".backup-codes li").EachIter() {
		codes = append(codes, strings.TrimSpace(li.Text()))
	}
	return codes
}

// TestStaff_joins: an invitation leads into the console, once; afterwards its link says what to do.
func TestStaff_joins(t *testing.T) {
	t.Parallel()
	h := start(t)
	owner, _ := h.member(t)
	by := audit.Actor{Kind: audit.Staff, ID: string(owner.ID), Name: owner.Email, Role: string(owner.Role)}
	if _, err := h.staff.Invite(t.Context(), "new@example.com", staff.Support, "en", by); err != nil {
		t.Fatal(err)
	}
	path := "/admin/auth/invite/" + h.mailed(t)
	b := h.browser(t)
	page := b.get(path)
	for _, want := range []string{"clerk@example.com invites you", "Support", "new@example.com", `role="img"`} {
		if !strings.Contains(page.text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	a := b.fill(path, path, "name", "Some Body", "password", password, "code", "000000")
	if a.StatusCode != 422 || !strings.Contains(a.text, `value="Some Body"`) {
		t.Errorf("a wrong code: %d", a.StatusCode)
	}
	a = b.fill(path, path, "name", "Some Body", "password", password, "code", h.shown(t, page))
	codes := backupCodes(t, a)
	if a.StatusCode != 200 || len(codes) != second.BackupCodes || b.get("/admin").text != "inside as new@example.com" {
		t.Fatalf("joined: %d, %d codes", a.StatusCode, len(codes))
	}
	for _, c := range []*browser{b, h.browser(t)} {
		if a := c.get(path); a.StatusCode != http.StatusGone || !strings.Contains(a.text, "was used already") {
			t.Errorf("the link once more: %d", a.StatusCode)
		}
	}
	if a := b.get("/admin/auth/invite/x"); a.StatusCode != http.StatusGone || !strings.Contains(a.text, "Ask the person who invited you") {
		t.Errorf("an unknown link: %d", a.StatusCode)
	}
	h.backupSignIn(t, codes[0])
}

// backupSignIn signs the new member in with a backup code, which works once.
func (h *hub) backupSignIn(t *testing.T, code string) {
	t.Helper()
	for _, want := range []int{http.StatusSeeOther, http.StatusUnprocessableEntity} {
		b := h.browser(t)
		b.post("/admin/auth/sign-in", "email", "new@example.com", "password", password)
		if b.get("/admin/auth/2fa").doc(t).Find("a[href^='/admin/auth/2fa/backup']").Length() != 1 {
			t.Error("no way to the backup codes")
		}
		a := b.fill("/admin/auth/2fa/backup", "/admin/auth/2fa/backup", "code", code)
		if a.StatusCode != want {
			t.Errorf("a backup code: %d, want %d", a.StatusCode, want)
		}
		if in := b.get("/admin").StatusCode == http.StatusOK; in != (want == http.StatusSeeOther) {
			t.Errorf("inside: %t", in)
		}
	}
}

// setUpLink is where one of our staff sets up a new app, whose former one another of them has taken away.
func (h *hub) setUpLink(t *testing.T) string {
	t.Helper()
	var all [2]staff.Member
	for i, email := range []string{"other@example.com", "resets@example.com"} {
		m, _, err := h.staff.Create(t.Context(), staff.NewMember{Email: email, Role: staff.Owner, Password: password}, audit.Itself)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = m
	}
	by := audit.Actor{Kind: audit.Staff, ID: string(all[1].ID), Name: all[1].Email, Role: string(all[1].Role)}
	if _, err := h.staff.ResetSecond(t.Context(), all[0].ID, by); err != nil {
		t.Fatal(err)
	}
	return "/admin/auth/second/" + h.mailed(t)
}

// TestStaff_setsUpAgain: after a reset the password alone opens nothing; the mailed link does, with the password, once.
func TestStaff_setsUpAgain(t *testing.T) {
	t.Parallel()
	h := start(t)
	path := h.setUpLink(t)
	b := h.browser(t)
	a := b.post("/admin/auth/sign-in", "email", "other@example.com", "password", password)
	if a.StatusCode != 422 || !strings.Contains(a.text, "link in our email") {
		t.Errorf("password alone: %d", a.StatusCode)
	}
	code := h.shown(t, b.get(path))
	if a := b.fill(path, path, "password", "not the password", "code", code); a.StatusCode != 422 {
		t.Errorf("a wrong password: %d", a.StatusCode)
	}
	if a := b.fill(path, path, "password", password, "code", code); a.StatusCode != 200 || len(backupCodes(t, a)) != 10 {
		t.Errorf("set up: %d", a.StatusCode)
	}
	if b.get("/admin").StatusCode != 200 || b.get(path).StatusCode != http.StatusGone {
		t.Error("not inside, or the link works on")
	}
}
