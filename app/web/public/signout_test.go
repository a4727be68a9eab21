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
	if n := clerk.get("/admin/auth/2fa").doc(t).Find("form[action$='/sign-out']").Length(); n != 0 {
		t.Error("half-way in there is a way out")
	}
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
		{clerk, "/app/no/such/page", ""},
		{nobody, "/no/such/page", ""},
		{nobody, "/auth/verify/gone", ""},
	} {
		form := c.b.get(c.path).doc(t).Find("form[method=post][action$='/sign-out']")
		if form.AttrOr("action", "") != c.want {
			t.Errorf("%s: %s leads to %q", c.path, strconv.Quote(c.want), form.AttrOr("action", ""))
		}
	}
	form := owner.get("/no/such/page").doc(t).Find("form[action$='/sign-out']")
	owner.post(form.AttrOr("action", "/"), "csrf", form.Find("[name=csrf]").AttrOr("value", ""))
	if got := owner.get("/app"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("after signing out on an error page: %d", got.StatusCode)
	}
}
