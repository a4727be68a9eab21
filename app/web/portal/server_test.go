package portal_test

import (
	"net/http"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
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

// TestServer_keyAlone: a server that answers, but does not give its key, is not away: the page says the one and the other,
// and what is pushed into it the same.
func TestServer_keyAlone(t *testing.T) {
	t.Parallel()
	h := start(t)
	for what, keep := range map[string]func(*peer){
		"left without an answer": func(p *peer) { p.hangsAt(wire.MethodSecretsOpen) },
		"refused":                func(p *peer) { p.fails(t, wire.MethodSecretsOpen, 100) },
	} {
		of := h.newCustomer(t)
		keep(h.link(t, of))
		b := h.owner(t, of)
		page := b.get("/app/server")
		if page.StatusCode != http.StatusOK || page.Find("#banner .offline").Length() != 0 {
			t.Fatalf("%s: %d, %s", what, page.StatusCode, page.Find("#banner").Text())
		}
		if state, key := page.Find(".server-state").Text(), page.Find("#seal-key").Text(); !strings.Contains(state, "Online") || !strings.Contains(key, "could not be read") {
			t.Errorf("%s: the page says %q and %q", what, state, key)
		}
		s := b.open(page.Find("#live").AttrOr("hx-sse:connect", ""), "")
		if got := part(s.until("server-state"), "#server").Find(".server-state").Text(); !strings.Contains(got, "Online") {
			t.Errorf("%s: the page is told %q", what, got)
		}
		wantSound(t, "/app/server", page.Document)
	}
}
