package activity_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

func TestRun_showsStepsReceiptsAndDecider(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	_, _, run := h.Demo(t, of)
	page := h.Owner(t, of).Get("/app/runs/" + run)
	text := strings.Join(strings.Fields(page.Find("main").Text()), " ")
	for _, want := range []string{"Proven", "Deleted 3 files", "They are gone.", "owner@example.com, in the portal", "Receipt 7", "Receipts checked: unchanged.", "3 files <b>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q: %s", want, text)
		}
	}
	if page.Find("main em").Text() != "gone" || page.Find("main pre b").Length() != 0 {
		t.Error("an agent's text is not rendered, or a tool's result is")
	}
}

func TestRun_brokenChainIsSaidLoudly(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, run := h.Demo(t, of)
	p.Receipts[run] = wire.ReceiptsResult{Items: p.Receipts[run].Items, Problem: "Receipt 7 was changed."}
	got := h.Owner(t, of).Get("/app/runs/" + run).Find(".chain[role=alert]").Text()
	if !strings.Contains(got, "Receipt 7 was changed.") {
		t.Errorf("the page says %q", got)
	}
}
