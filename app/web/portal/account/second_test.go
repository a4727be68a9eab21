package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/app/second"
	"gatehouse/app/web/portal/portaltest"
)

// TestSecond: the key is shown until a code proves that the app has it; the backup codes once. All of it takes a sign-in of the
// last ten minutes.
func TestSecond(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	const page, confirm = "/app/settings/sign-in/code", "/app/settings/sign-in/code/confirm"
	if got := b.Get(page); got.StatusCode != http.StatusSeeOther {
		t.Errorf("before it is begun: %d", got.StatusCode)
	}
	b.Post(page, url.Values{})
	shown := b.Get(page)
	portaltest.WantSound(t, page, shown.Document)
	secret := strings.ReplaceAll(shown.Find(".codeblock code").Text(), " ", "")
	if shown.Find("svg.qr").Length() != 1 || len(secret) != 32 {
		t.Fatalf("the page shows %q", secret)
	}
	got := b.Post(confirm, url.Values{"code": {"12345"}})
	if got.StatusCode != http.StatusUnprocessableEntity || got.Find("#f-code-error").Length() != 1 {
		t.Errorf("a wrong code: %d", got.StatusCode)
	}
	code, err := second.CodeAt(secret, time.Now())
	portaltest.Must(t, err)
	made := b.Post(confirm, url.Values{"code": {code}})
	portaltest.WantSound(t, confirm, made.Document)
	if n := made.Find("[data-codes] li").Length(); made.StatusCode != http.StatusOK || n != second.BackupCodes {
		t.Fatalf("the code: %d with %d backup codes", made.StatusCode, n)
	}
	first := made.Find("[data-codes] li").First().Text()
	for _, path := range []string{"/app/settings/sign-in", page} {
		if got := b.Get(path); strings.Contains(got.Source, first) || strings.Contains(got.Source, secret) {
			t.Errorf("%s shows the key or a backup code again", path)
		}
	}
	if text := b.Get("/app/settings/sign-in").Find("#code").Text(); !strings.Contains(text, "10 backup codes are left") {
		t.Errorf("the page says %q", text)
	}
	if got := b.Post("/app/settings/sign-in/backup-codes", url.Values{}); got.Find("[data-codes] li").First().Text() == first {
		t.Error("the new set is the old one")
	}
	_, err = h.DB.Pool.Exec(t.Context(), "UPDATE signins SET fresh_at = fresh_at - interval '11 minutes'")
	portaltest.Must(t, err)
	late := h.Owner(t, of)
	_, err = h.DB.Pool.Exec(t.Context(), "UPDATE signins SET fresh_at = fresh_at - interval '11 minutes'")
	portaltest.Must(t, err)
	for _, path := range []string{page, "/app/settings/sign-in/backup-codes", "/app/settings/sign-in/code-off"} {
		if got := late.Post(path, url.Values{}); !strings.HasSuffix(got.Header.Get("Location"), "again=1") {
			t.Errorf("%s from an old sign-in: %d to %s", path, got.StatusCode, got.Header.Get("Location"))
		}
	}
}
