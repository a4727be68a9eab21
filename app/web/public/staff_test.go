package public_test

import (
	"net/http"
	"sync"
	"testing"
	"time"
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
