package account_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/app/web/portal/portaltest"
)

// TestSignIns: the page lists where the reader is signed in and nobody else; one that is ended loses its open pages at once.
func TestSignIns(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of, other := h.NewCustomer(t), h.NewCustomer(t)
	h.Link(t, of)
	stranger := h.Owner(t, other)
	here, phone, old := h.Owner(t, of), h.Owner(t, of), h.Owner(t, of)
	page := here.Get("/app/settings/sign-in")
	portaltest.WantSound(t, "/app/settings/sign-in", page.Document)
	if all, own := page.Find("[data-signin]"), page.Find("[data-signin] .badge"); all.Length() != 3 || own.Length() != 1 {
		t.Fatalf("%d sign-ins, %d of this browser", all.Length(), own.Length())
	}
	mine := phone.Get("/app/settings/sign-in").Find("[data-signin]:has(.badge)").AttrOr("data-signin", "")
	end := "/app/settings/sign-in/" + mine + "/end"
	if got := stranger.Post(end, url.Values{}); got.StatusCode != http.StatusNotFound {
		t.Errorf("somebody else ends it: %d", got.StatusCode)
	}
	stream := phone.Open(phone.Get("/app/server").Live(), "")
	if got := here.Post(end, url.Values{}); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("ending one: %d", got.StatusCode)
	}
	limit := time.After(time.Minute)
	for open := true; open; {
		select {
		case _, open = <-stream.Lines:
		case <-limit:
			t.Fatal("the page of the ended sign-in stays open")
		}
	}
	if got := phone.Get("/app"); !strings.HasPrefix(got.Header.Get("Location"), "/auth/sign-in") {
		t.Errorf("the ended one opens the portal: %d", got.StatusCode)
	}
	here.Post("/app/settings/sign-in/end-others", url.Values{})
	if got := old.Get("/app"); !strings.HasPrefix(got.Header.Get("Location"), "/auth/sign-in") {
		t.Errorf("another one opens the portal: %d", got.StatusCode)
	}
	if n := here.Get("/app/settings/sign-in").Find("[data-signin]").Length(); n != 1 {
		t.Errorf("%d sign-ins are left", n)
	}
	if got := stranger.Get("/app/settings/sign-in"); got.StatusCode != http.StatusOK {
		t.Errorf("somebody else: %d", got.StatusCode)
	}
	var n int
	const count = "SELECT count(*) FROM audit_log WHERE action = 'signin.end' AND customer_id = $1"
	portaltest.Must(t, h.DB.Pool.QueryRow(t.Context(), count, of.ID).Scan(&n))
	if n != 2 {
		t.Errorf("%d records", n)
	}
}
