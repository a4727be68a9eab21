package team_test

import (
	"net/url"
	"strings"
	"testing"

	"gatehouse/app/web/portal/portaltest"
)

// TestColleagues: the page of a specialist offers whom it may ask, with what is signed; the front desk may ask all, so nothing is
// chosen there. Without a signature nobody is let ask.
func TestColleagues(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Demo(t, of)
	b := h.Owner(t, of)
	form := b.Get("/app/agents/secretary").Find("#colleagues form")
	signs, _ := form.Attr("data-kind")
	html, _ := form.First().Parent().Html()
	if form.Length() == 0 || !strings.Contains(html, "agent.ask") {
		t.Fatalf("%q, %s", signs, html)
	}
	if b.Get("/app/agents/dispatcher").Find("#colleagues").Length() != 0 {
		t.Error("the front desk is asked for what it may do anyway")
	}
	got := b.Post("/app/agents/secretary/colleagues", url.Values{"colleague": {"it-admin"}, "may": {"1"}})
	if got.StatusCode < 400 {
		t.Errorf("%d without a signature", got.StatusCode)
	}
}
