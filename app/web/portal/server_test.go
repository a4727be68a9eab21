package portal_test

import (
	"strings"
	"testing"
)

// TestServer_sealKey: the page shows what to compare with the form that seals a value, and shows the rest of itself while
// the server does not answer.
func TestServer_sealKey(t *testing.T) {
	t.Parallel()
	h := start(t)
	linked, away := h.newCustomer(t), h.newCustomer(t)
	h.link(t, linked)
	for of, want := range map[customer]string{linked: "1f2e 3d4c", away: "does not answer"} {
		page := h.owner(t, of).get("/app/server")
		if text := page.Find("#seal-key").Text(); !strings.Contains(text, want) {
			t.Errorf("it says %q, want %q", text, want)
		}
		wantSound(t, "/app/server", page.Document)
	}
}
