package public_test

import (
	"net/http"
	"strconv"
	"testing"
)

// TestSignOut_everywhere: whoever is signed in finds the way out on pages that are no part of the portal or the console,
// too: on errors, and on a link that has run out. Nobody else is shown one.
func TestSignOut_everywhere(t *testing.T) {
	t.Parallel()
	h := start(t)
	_, second := h.member(t)
	owner, clerk, nobody := h.browser(t), h.browser(t), h.browser(t)
	owner.checkout("owner@example.com")
	clerk.post("/admin/auth/sign-in", "email", "clerk@example.com", "password", password)
	clerk.fill("/admin/auth/2fa", "/admin/auth/2fa", "code", h.code(t, second))
	for _, c := range []struct {
		b          *browser
		path, want string
	}{
		{owner, "/no/such/page", "/auth/sign-out"},
		{owner, "/app/no/such/page", "/auth/sign-out"},
		{owner, "/auth/verify/gone", "/auth/sign-out"},
		{owner, "/admin/no/such/page", ""},
		{clerk, "/admin/no/such/page", "/admin/auth/sign-out"},
		{clerk, "/app/no/such/page", "/admin/auth/sign-out"},
		{clerk, "/", "/admin/auth/sign-out"},
		{clerk, "/status", "/admin/auth/sign-out"},
		{clerk, "/auth/verify/gone", "/admin/auth/sign-out"},
		{nobody, "/no/such/page", ""},
		{nobody, "/auth/verify/gone", ""},
	} {
		form := c.b.get(c.path).doc(t).Find("form[method=post][action$='/sign-out']")
		if form.AttrOr("action", "") != c.want {
			t.Errorf("%s: %s leads to %q", c.path, strconv.Quote(c.want), form.AttrOr("action", ""))
		}
	}
	for _, c := range []struct {
		b          *browser
		from, page string
	}{{owner, "/no/such/page", "/app"}, {clerk, "/pricing", "/admin"}} {
		c.b.signOut(c.from)
		if got := c.b.get(c.page); got.StatusCode != http.StatusSeeOther {
			t.Errorf("after signing out on %s: %d", c.from, got.StatusCode)
		}
	}
}

// signOut sends the form of a page that signs out.
func (b *browser) signOut(page string) answer {
	b.t.Helper()
	form := b.get(page).doc(b.t).Find("form[method=post][action$='/sign-out']")
	return b.post(form.AttrOr("action", "/"), "csrf", form.Find("[name=csrf]").AttrOr("value", ""))
}

// TestSignOut_halfWay: between password and code one can give up, and the password alone is worth nothing after that.
func TestSignOut_halfWay(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.member(t)
	b := h.browser(t)
	b.post("/admin/auth/sign-in", "email", "clerk@example.com", "password", password)
	if a := b.signOut("/admin/auth/2fa"); a.location() != "/admin/auth/signed-out" {
		t.Errorf("giving up: %d to %q", a.StatusCode, a.location())
	}
	if a := b.get("/admin/auth/2fa"); a.StatusCode != http.StatusSeeOther {
		t.Errorf("the second step after that: %d", a.StatusCode)
	}
}

// TestPages_wayBack: a public page leads whoever is signed in back to their own pages, and takes no one of the staff for a
// customer.
func TestPages_wayBack(t *testing.T) {
	t.Parallel()
	h := start(t)
	roles := h.roles(t)
	for who, want := range map[string]string{"customer": "/app", "staff": "/admin", "half-way staff": "", "stranger": ""} {
		page := roles[who].get("/").doc(t)
		if got := page.Find(".top-end a.btn[href='/app'], .top-end a.btn[href='/admin']").AttrOr("href", ""); got != want {
			t.Errorf("%s is led to %q, want %q", who, got, want)
		}
		if n := page.Find(".top-end a[href='/auth/sign-in']").Length(); (n == 0) != (want != "") {
			t.Errorf("%s is asked %d times to sign in", who, n)
		}
	}
	if n := roles["staff"].get("/checkout?plan=build").doc(t).Find("form[action='/checkout'] [name=email]").Length(); n != 1 {
		t.Error("one of the staff orders as a customer who is signed in")
	}
}
