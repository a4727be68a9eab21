package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/app/web/portal/portaltest"
)

// TestSnapshots: an owner reads what a snapshot is, agrees, and takes that back; the page says each time what is true now, and the
// record of changes has both.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of)
	b := h.Owner(t, of)
	says := func(want ...string) {
		t.Helper()
		page := b.Get("/app/server")
		portaltest.WantSound(t, "/app/server", page.Document)
		for _, w := range want {
			if text := page.Find("#snapshots").Text(); !strings.Contains(text, w) {
				t.Errorf("it says %q, not %q", text, w)
			}
		}
	}
	says("copy of the whole disk", "have not agreed", "Agree to snapshots")
	if res := b.Post("/app/server/snapshots/agree", url.Values{}); res.StatusCode != http.StatusSeeOther {
		t.Fatalf("to agree is answered with %d", res.StatusCode)
	}
	says("There is none yet", "Stop snapshots")
	b.Post("/app/server/snapshots/withdraw", url.Values{})
	says("have not agreed")
	var recorded int
	const count = "SELECT count(*) FROM audit_log WHERE action LIKE 'snapshots.%' AND by_kind = 'user'"
	err := h.DB.Pool.QueryRow(t.Context(), count).Scan(&recorded)
	if err != nil || recorded != 2 {
		t.Errorf("%d records, %v", recorded, err)
	}
}
