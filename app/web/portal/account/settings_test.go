package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/app/web/portal/portaltest"
	"gatehouse/views/i18n"
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

// TestSettings_language: what is chosen holds for this browser at once and is kept with the person; a language that is not
// offered changes nothing.
func TestSettings_language(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	b := h.Owner(t, h.NewCustomer(t))
	got := b.Post("/app/settings/language", url.Values{"language": {"xx"}})
	if got.StatusCode != http.StatusUnprocessableEntity || got.Find("#f-language-error").Length() != 1 {
		t.Errorf("an unknown language: %d", got.StatusCode)
	}
	for _, l := range i18n.Languages {
		if got := b.Post("/app/settings/language", url.Values{"language": {l.Locale}}); got.StatusCode != http.StatusSeeOther {
			t.Fatalf("choosing %s: %d", l.Name, got.StatusCode)
		}
		page := b.Get("/app/settings")
		want := i18n.T(i18n.With(t.Context(), l.Locale), "portal.settings.language_saved")
		lang, said := page.Find("html").AttrOr("lang", ""), page.Find(".toast").Text()
		if lang != l.Locale || !strings.Contains(said, want) {
			t.Errorf("after choosing %s the page is in %q and says %q", l.Name, lang, said)
		}
	}
}
