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

// TestServer_saysWhatAnswers: the page, and what is pushed into it, says how the server is and not how its link is.
func TestServer_saysWhatAnswers(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	p.hangs(true)
	b := h.owner(t, of)
	s := b.open(b.get("/app/server").Find("#live").AttrOr("hx-sse:connect", ""), "")
	if got := part(s.until("server-state"), "#server").Find(".server-state").Text(); !strings.Contains(got, "Not connected") {
		t.Errorf("while nobody answers the page is told %q", got)
	}
	p.hangs(false)
	if got := part(s.until("Online"), "#server").Find(".server-state").Text(); !strings.Contains(got, "Online") {
		t.Errorf("when it answers again the page is told %q", got)
	}
}
