package main

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
	"gatehouse/app/web"
	"gatehouse/db"
)

// TestAPI_pool: a program of a customer reads how much of the month's tokens is used, and how the month will end.
func TestAPI_pool(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	type answer struct {
		Pool *struct {
			Pool     int64 `json:"pool_tokens"`
			Drawn    int64 `json:"drawn_tokens"`
			Beyond   int64 `json:"beyond_tokens"`
			Forecast *struct {
				Total int64      `json:"total_tokens"`
				Ends  *time.Time `json:"pool_ends_at"`
			}
		}
	}
	read := func(token string) (v answer) {
		t.Helper()
		status, text := w.call(web.Route{Method: http.MethodGet, Path: "/api/v1/customer/usage"}, apiCase{}, token)
		if status != http.StatusOK {
			t.Fatalf("%d: %s", status, text)
		}
		ok(t, json.Unmarshal([]byte(text), &v))
		return v
	}
	if v := read(w.mine.token); v.Pool != nil {
		t.Fatalf("before a month runs: %+v", v.Pool)
	}
	now := time.Now().UTC().Truncate(time.Hour)
	w.priced("large", `{"input": 150000, "output": 600000, "class": "included"}`)
	w.begin(w.mine, now.AddDate(0, 0, -6))
	w.begin(w.other, now.AddDate(0, 0, -1))
	_, err := (&db.Usage{DB: w.db}).Keep(t.Context(), w.mine.server, []usage.Bucket{{
		Epoch: "e", Hour: now.Add(-time.Hour), Agent: "a", Model: "large", Profile: "main", Key: usage.House, Revision: 1,
		Counts: usage.Counts{Requests: 1, Input: 3_000_000},
	}})
	ok(t, err)
	p := read(w.mine.token).Pool
	if p == nil || p.Pool != 9_000_000 || p.Drawn != 3_000_000 || p.Beyond != 0 || p.Forecast == nil {
		t.Fatalf("the pool: %+v", p)
	}
	// Half a million a day: a little less, as a part of an hour has passed since.
	ends, want := p.Forecast.Ends, now.AddDate(0, 0, 12)
	if p.Forecast.Total < 14_800_000 || p.Forecast.Total > 15_000_000 || ends == nil || ends.Sub(want).Abs() > 6*time.Hour {
		t.Errorf("it ends with %d, used up at %v, want 15 million and %s", p.Forecast.Total, ends, want)
	}
	if p := read(w.other.token).Pool; p == nil || p.Drawn != 0 || p.Forecast != nil {
		t.Errorf("too early: %+v", p)
	}
}

// priced adds the price of a model to the book.
func (w *apiWorld) priced(model, value string) {
	w.t.Helper()
	bills := &billing.Service{Store: &db.Billing{DB: w.db, Jobs: noJobs{}}, Now: time.Now}
	ok(w.t, bills.AddPrice(w.t.Context(), pricing.Entry{
		Kind: pricing.KindModel, Name: model, Reason: "For the test.", Value: json.RawMessage(value),
	}, audit.Itself))
}

// begin has a customer's first month of Build, with 30 days and 9 million tokens, run since then.
func (w *apiWorld) begin(of tenant, from time.Time) {
	w.t.Helper()
	began, err := (&db.Billing{DB: w.db, Jobs: noJobs{}}).Begin(w.t.Context(), billing.Period{
		ID: billing.PeriodID(uuid.NewString()), CustomerID: of.id, Number: 1, Anchor: from, From: from, To: from.AddDate(0, 0, 30),
		FullTo: from.AddDate(0, 0, 30), State: billing.Active, Multiplier: 1,
		Plans: []billing.Span{{Plan: pricing.Build, Name: "Build", Monthly: 45_00, Pool: 9_000_000, From: from}},
	})
	ok(w.t, err)
	if !began {
		w.t.Fatal("the customer has a period already")
	}
}
