package activity_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/pricing"
	"gatehouse/app/relay"
	"gatehouse/app/web/portal/portaltest"
)

// TestRun_cost: the page of a run says what it used of each model, how much of the pool that was, and what it costs beyond the plan;
// prices are for who may see the bills. It is told of what the server counts later.
func TestRun_cost(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, run := h.Demo(t, of)
	b, path := h.Owner(t, of), "/app/runs/"+run
	if b.Get(path).Find("#run-cost").Length() != 0 {
		t.Error("a server that does not say what a run used has a panel about it")
	}
	now := time.Now().UTC()
	h.Month(t, of, now.Add(-3*24*time.Hour), 15_000_000)
	price := func(kind pricing.Kind, name, value string, from time.Time) {
		t.Helper()
		e := pricing.Entry{
			ID: portaltest.NewID(), Kind: kind, Name: name, At: now, ByName: "test", Reason: "For the test.", ValidFrom: from,
			Value: json.RawMessage(value),
		}
		record := audit.Entry{ID: portaltest.NewID(), At: now, By: audit.Itself, Action: "price.add", Target: name}
		portaltest.Must(t, h.Bills.Store.AddPrice(t.Context(), func() (pricing.Entry, audit.Entry) { return e, record }))
	}
	price(pricing.KindModel, "best", `{"input": 3000000, "output": 15000000, "class": "premium"}`, now.AddDate(0, -1, 0))
	price(pricing.KindRate, "USD", "920000", now.Truncate(24*time.Hour))
	use := func(model, key string, c wire.UsageCounts) wire.RunUse {
		return wire.RunUse{Hour: now.Truncate(time.Hour), Agent: "secretary", Model: model, Key: key, UsageCounts: c}
	}
	set := func(used ...wire.RunUse) {
		p.Lock()
		defer p.Unlock()
		r := p.Runs[run]
		r.State, r.Used = wire.RunRunning, used
		p.Runs[run] = r
	}
	set(
		use("large", wire.KeyHouse, wire.UsageCounts{
			Requests: 2, Estimated: 1, Input: 30_000, CacheRead: 50_000, Output: 2_000, EstOutput: 2_000,
		}),
		use("best", wire.KeyHouse, wire.UsageCounts{Requests: 1, Input: 100_000, Output: 20_000}),
		use("small", wire.KeyOwn, wire.UsageCounts{Requests: 1, Input: 7}),
	)
	page := b.Get(path)
	portaltest.WantSound(t, path, page.Document)
	said := func(text string, words ...string) {
		t.Helper()
		text = strings.Join(strings.Fields(text), " ")
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("the page does not say %q: %s", w, text)
			}
		}
	}
	// 0.6 dollars, with 10 % added, at 0.92 euros a dollar; 30,000 + 2,000 + a tenth of 50,000 tokens of the pool.
	said(page.Find("#run-cost").Text(), "202,007 tokens", "37,000 were drawn", "about 0.61 €", "Premium model", "In your plan",
		"Your own key", "2,000 estimated in this row", "2,000 of these tokens are estimated", "50,000", "without tax")
	member := h.As(t, h.Member(t, of, "Some Body", account.Rights{Role: account.Member, Chat: true}))
	text := member.Get(path).Find("#run-cost").Text()
	if strings.Contains(text, "€") || !strings.Contains(text, "Charged beyond the plan") {
		t.Errorf("who may not see the bills is told %s", text)
	}
	s := b.Open(page.Live(), "")
	s.Until("202,007 tokens")
	set(use("large", wire.KeyHouse, wire.UsageCounts{Requests: 1, Input: 1_234}))
	portaltest.Must(t, h.Relay.Notify(relay.Notice{Kind: relay.KindUsage, CustomerID: string(of.ID), ID: string(of.Server)}))
	s.Until("1,234 tokens")
}
