package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/app/web/portal/portaltest"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of)
	b := h.Owner(t, of)
	if got := b.Post("/app/settings/time-zone", url.Values{"zone": {"Mars/Olympus"}}); got.StatusCode != http.StatusUnprocessableEntity || got.Find("#f-zone").AttrOr("value", "") != "Mars/Olympus" {
		t.Errorf("an unknown zone: %d", got.StatusCode)
	}
	if got := b.Post("/app/settings/time-zone", url.Values{"zone": {"America/New_York"}}); got.StatusCode != http.StatusSeeOther {
		t.Errorf("a zone: %d", got.StatusCode)
	}
	if got := b.Get("/app/settings").Find("#f-zone").AttrOr("value", ""); got != "America/New_York" {
		t.Errorf("the next page shows %q", got)
	}
	old := h.Owner(t, of)
	_, err := h.DB.Pool.Exec(t.Context(), "UPDATE signins SET fresh_at = fresh_at - interval '11 minutes' WHERE id = (SELECT max(id::text)::uuid FROM signins)")
	portaltest.Must(t, err)
	if got := old.Post("/app/settings/tokens", url.Values{"name": {"script"}}); got.Header.Get("Location") != "/auth/sign-in?next=%2Fapp%2Fsettings&again=1" {
		t.Errorf("a token from an old sign-in: %d to %s", got.StatusCode, got.Header.Get("Location"))
	}
	made := b.Post("/app/settings/tokens", url.Values{"name": {"script"}})
	secret := made.Find(".codeblock code").Text()
	if !strings.HasPrefix(secret, "gth_") || strings.Contains(b.Get("/app/settings").Source, secret) {
		t.Error("a token is not shown, or shown again")
	}
	end := made.Find(".token form").AttrOr("action", "")
	if b.Post(end, url.Values{}); b.Get("/app/settings").Find(".token").Length() != 0 {
		t.Error("a token that was ended is listed")
	}
}
