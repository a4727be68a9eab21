package pricing_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"gatehouse/app/pricing"
)

func entry(id string, kind pricing.Kind, name, value string, from, at time.Time) pricing.Entry {
	return pricing.Entry{ID: id, Kind: kind, Name: name, Value: json.RawMessage(value), ValidFrom: from, At: at}
}

// TestBook: the price of a moment is the one that is valid from the latest moment until then, and an amount that is computed again
// later finds the same.
func TestBook(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	b := pricing.NewBook([]pricing.Entry{
		entry("1", pricing.KindModel, "m", `{"input": 1, "class": "premium"}`, day(1), day(1)),
		entry("2", pricing.KindModel, "m", `{"input": 2, "class": "premium"}`, day(10), day(2)),
		entry("3", pricing.KindModel, "m", `{"input": 3, "class": "premium"}`, day(10), day(20)), // corrected later
		entry("4", pricing.KindModel, "late", `{"input": 4, "class": "included"}`, day(1), day(20)),
		entry("5", pricing.KindModel, "late", `{"input": 5, "class": "included"}`, day(1), day(21)),
		entry("6", pricing.KindModel, "hidden", `{"class": "unlisted"}`, day(1), day(1)),
		entry("7", pricing.KindRate, "USD", `920000`, day(5), day(5)),
	})
	for _, c := range []struct {
		model string
		at    time.Time
		known time.Time
		want  int64 // 0: none
	}{
		{"m", day(1).Add(-1), time.Time{}, 0},
		{"m", day(9), time.Time{}, 1},
		{"m", day(10), time.Time{}, 3},
		{"m", day(10), day(15), 2},
		{"m", day(9), day(1), 1},
		{"late", day(3), day(15), 4},
		{"late", day(3), time.Time{}, 5},
		{"hidden", day(3), time.Time{}, 0},
		{"unheard of", day(3), time.Time{}, 0},
	} {
		p, err := b.AsKnown(c.known).Model(c.model, c.at)
		if (c.want == 0) != errors.Is(err, pricing.ErrNoPrice) || c.want != 0 && p.Input != c.want {
			t.Errorf("%s at %s as known at %s: %+v, %v", c.model, c.at, c.known, p, err)
		}
	}
	if r, of, err := b.Rate(day(12)); r != 920_000 || !of.Equal(day(5)) || err != nil {
		t.Errorf("%d of %s, %v", r, of, err)
	}
	if r, of, err := b.Rate(day(4)); r != 920_000 || !of.Equal(day(5)) || err != nil { // none before: the first that follows
		t.Errorf("%d of %s, %v", r, of, err)
	}
	if _, _, err := b.Rate(day(12).Add(time.Hour)); !errors.Is(err, pricing.ErrNoPrice) {
		t.Errorf("a rate that is older than a week: %v", err)
	}
	more := b.With(entry("8", pricing.KindModel, "m", `{"input": 8, "class": "premium"}`, day(2), day(22)))
	if p, _ := more.Model("m", day(3)); p.Input != 8 {
		t.Errorf("%+v", p)
	}
	if p, _ := b.Model("m", day(3)); p.Input != 1 {
		t.Errorf("what would be has changed what is: %+v", p)
	}
}

// TestEntry_Check: what can be added, and what is a slip of the finger.
func TestEntry_Check(t *testing.T) {
	t.Parallel()
	markups, _ := json.Marshal(pricing.FirstMarkups())
	weights, _ := json.Marshal(pricing.FirstWeights())
	good := []pricing.Entry{
		{Kind: pricing.KindPlan, Name: "lite", Value: json.RawMessage(`{"name": "Lite", "monthly": 3100, "pool": 1}`)},
		{Kind: pricing.KindModel, Name: "m", Value: json.RawMessage(`{"input": 1, "output": 2, "cache_read": 0, "class": "included"}`)},
		{Kind: pricing.KindMarkups, Value: markups},
		{Kind: pricing.KindWeights, Value: weights},
		{Kind: pricing.KindRate, Name: "USD", Value: json.RawMessage("912345")},
	}
	for _, e := range good {
		if err := e.Check(); err != nil {
			t.Errorf("%s: %v", e.Kind, err)
		}
	}
	for _, e := range []pricing.Entry{
		{Kind: pricing.KindPlan, Name: "gold", Value: good[0].Value},
		{Kind: pricing.KindPlan, Value: good[0].Value},
		{Kind: pricing.KindPlan, Name: "lite", Value: json.RawMessage(`{"name": "Lite", "monthly": -1, "pool": 1}`)},
		{Kind: pricing.KindModel, Name: "m", Value: json.RawMessage(`{"input": 1}`)},
		{Kind: pricing.KindModel, Name: "m", Value: json.RawMessage(`{"input": 1, "class": "included", "inptu": 1}`)},
		{Kind: pricing.KindModel, Name: " m", Value: good[1].Value},
		{Kind: pricing.KindMarkups, Name: "x", Value: markups},
		{Kind: pricing.KindMarkups, Value: json.RawMessage("{}")},
		{Kind: pricing.KindRate, Name: "USD", Value: json.RawMessage("0")},
		{Kind: pricing.KindRate, Name: "GBP", Value: json.RawMessage("1")},
		{Kind: "else", Name: "x", Value: json.RawMessage("1")},
	} {
		if e.Check() == nil {
			t.Errorf("let through: %s %s %s", e.Kind, e.Name, e.Value)
		}
	}
}
