package server_test

import (
	"net/http"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestServer_sealKey: the page shows what to compare with the form that seals a value, and shows the rest of itself while
// the server does not answer.
func TestServer_sealKey(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	linked, away := h.NewCustomer(t), h.NewCustomer(t)
	h.Link(t, linked)
	for of, want := range map[portaltest.Customer]string{linked: "1f2e 3d4c", away: "does not answer"} {
		page := h.Owner(t, of).Get("/app/server")
		if text := page.Find("#seal-key").Text(); !strings.Contains(text, want) {
			t.Errorf("it says %q, want %q", text, want)
		}
		portaltest.WantSound(t, "/app/server", page.Document)
	}
}

// TestServer_saysWhatAnswers: the page, and what is pushed into it, says how the server is and not how its link is.
func TestServer_saysWhatAnswers(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	p.Hang(true)
	b := h.Owner(t, of)
	s := b.Open(b.Get("/app/server").Find("#live").AttrOr("hx-sse:connect", ""), "")
	if got := portaltest.Part(s.Until("server-state"), "#server").Find(".server-state").Text(); !strings.Contains(got, "Not connected") {
		t.Errorf("while nobody answers the page is told %q", got)
	}
	p.Hang(false)
	if got := portaltest.Part(s.Until("Online"), "#server").Find(".server-state").Text(); !strings.Contains(got, "Online") {
		t.Errorf("when it answers again the page is told %q", got)
	}
}

// TestServer_keyAlone: a server that answers, but does not give its key, is not away: the page says the one and the other,
// and what is pushed into it the same.
func TestServer_keyAlone(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	for what, keep := range map[string]func(*portaltest.Peer){
		"left without an answer": func(p *portaltest.Peer) { p.HangAt(wire.MethodSecretsOpen) },
		"refused":                func(p *portaltest.Peer) { p.Fail(t, wire.MethodSecretsOpen, 100) },
	} {
		of := h.NewCustomer(t)
		keep(h.Link(t, of))
		b := h.Owner(t, of)
		page := b.Get("/app/server")
		if page.StatusCode != http.StatusOK || page.Find("#banner .offline").Length() != 0 {
			t.Fatalf("%s: %d, %s", what, page.StatusCode, page.Find("#banner").Text())
		}
		if state, key := page.Find(".server-state").Text(), page.Find("#seal-key").Text(); !strings.Contains(state, "Online") || !strings.Contains(key, "could not show this") {
			t.Errorf("%s: the page says %q and %q", what, state, key)
		}
		s := b.Open(page.Find("#live").AttrOr("hx-sse:connect", ""), "")
		if got := portaltest.Part(s.Until("server-state"), "#server").Find(".server-state").Text(); !strings.Contains(got, "Online") {
			t.Errorf("%s: the page is told %q", what, got)
		}
		portaltest.WantSound(t, "/app/server", page.Document)
	}
}
