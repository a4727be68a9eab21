package portaltest

import (
	"encoding/json"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/pricing"
)

// Month begins a billing period of a customer then, with a pool of so many tokens until a month later, and sells the model "large" as
// one that draws on it.
func (h *Hub) Month(t testing.TB, of Customer, began time.Time, pool int64) billing.Period {
	t.Helper()
	from := began.UTC().Truncate(time.Hour)
	Must(t, h.Bills.AddPrice(t.Context(), pricing.Entry{
		Kind: pricing.KindModel, Name: "large", Reason: "For the test.",
		Value: json.RawMessage(`{"input": 150000, "output": 600000, "class": "included"}`),
	}, audit.Itself))
	p := billing.Period{
		ID: billing.PeriodID(NewID()), CustomerID: of.ID, Number: 1, Anchor: from, From: from, To: from.AddDate(0, 1, 0),
		FullTo: from.AddDate(0, 1, 0), State: billing.Active, Multiplier: 1,
		Plans: []billing.Span{{Plan: pricing.Build, Name: "Build", Monthly: 45_00, Pool: pool, From: from}},
	}
	ok, err := h.Bills.Store.Begin(t.Context(), p)
	Must(t, err)
	if !ok {
		t.Fatal("the customer has a period already")
	}
	return p
}
