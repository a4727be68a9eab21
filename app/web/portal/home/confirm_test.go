package home_test

import (
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/labstack/echo/v4"

	"gatehouse/app/web"
	"gatehouse/app/web/portal/portaltest"
)

// TestHome_unconfirmed: readers who have not confirmed their address are told what they miss and can have the link sent again,
// here and on the settings.
func TestHome_unconfirmed(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	const form = "main form[action='/auth/verify']"
	for _, path := range []string{"/app", "/app/settings"} {
		page := b.Get(path)
		if next := page.Find(form+" [name=next]").AttrOr("value", ""); next != path || page.Find(form+" [name=csrf]").Length() != 1 {
			t.Errorf("%s: the form leads back to %q", path, next)
		}
		portaltest.WantSound(t, path, page.Document)
	}
	_, err := h.DB.Pool.Exec(t.Context(), "UPDATE users SET verified_at = now() WHERE customer_id = $1", string(of.ID))
	portaltest.Must(t, err)
	for _, path := range []string{"/app", "/app/settings"} {
		if page := b.Get(path); page.Find(form).Length() != 0 {
			t.Errorf("%s asks to confirm what is confirmed", path)
		}
	}
}

// TestHome_saysWhatWasDone: what the page before left to be said is on the next page of the portal, once.
func TestHome_saysWhatWasDone(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	b := h.Owner(t, h.NewCustomer(t))
	left := httptest.NewRecorder()
	web.Flash(echo.New().NewContext(httptest.NewRequest("GET", "/", nil), left), "ok", "A new link is on its way.")
	at, err := url.Parse(h.URL)
	portaltest.Must(t, err)
	b.Jar.SetCookies(at, left.Result().Cookies())
	const said = "noscript"
	for visit, want := range []bool{true, false} {
		if got := b.Get("/app").Find(said+":contains('A new link is on its way.')").Length() > 0; got != want {
			t.Errorf("visit %d: it is said %v", visit, got)
		}
	}
}
