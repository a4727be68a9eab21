package billing

import (
	"encoding/json"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
)

// TestRunCost: an answer draws on what is left of the pool, and only what the owner chose to pay for beyond it, and premium models,
// are charged.
func TestRunCost(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	hour := from.Add(5 * 24 * time.Hour)
	entry := func(kind pricing.Kind, name, value string) pricing.Entry {
		return pricing.Entry{
			ID: string(kind) + name, Kind: kind, Name: name, Value: json.RawMessage(value), ValidFrom: from.AddDate(0, -1, 0),
		}
	}
	entries := []pricing.Entry{
		entry(pricing.KindModel, "small", `{"input": 150000, "output": 600000, "cache_read": 15000,
			"cache_write": 150000, "class": "included"}`),
		entry(pricing.KindModel, "large", `{"input": 3000000, "output": 15000000, "class": "premium"}`),
		entry(pricing.KindWeights, "", `{"input": 1000, "output": 1000, "cache_read": 100, "cache_write": 1000,
			"search": 2000, "fetch": 1000}`),
		entry(pricing.KindMarkups, "", `{"premium": [{"to": 0, "percent": 10}], "overage": [{"to": 0, "percent": 35}]}`),
	}
	rate := entry(pricing.KindRate, "USD", "920000")
	rate.ValidFrom = hour.Truncate(24 * time.Hour)
	period := Period{
		ID: "p", From: from, To: from.AddDate(0, 1, 0), FullTo: from.AddDate(0, 1, 0), State: Active, Multiplier: 1,
		Plans: []Span{{Plan: "build", Name: "Build", Monthly: 45_00, Pool: 1_000_000, From: from}},
	}
	use := func(model, key string, input, output, read int64) wire.RunUse {
		return wire.RunUse{Hour: hour, Agent: "a", Model: model, Key: key, UsageCounts: wire.UsageCounts{
			Requests: 1, Input: input, Output: output, CacheRead: read,
		}}
	}
	before := []usage.Bucket{{Hour: from, Model: "small", Key: usage.House, Counts: usage.Counts{Input: 900_000}}}
	on := []Choice{{Overage: true, At: from}}
	all := func(used ...wire.RunUse) []wire.RunUse { return used }
	for situation, c := range map[string]struct {
		used    []wire.RunUse
		choices []Choice
		state   PeriodState
		noRate  bool

		drawn   int64
		net     pricing.Cents
		charged bool
		held    bool
		about   bool
	}{
		"within the pool": {
			used:    all(use("small", "house", 50_000, 10_000, 50_000)),
			choices: on, drawn: 65_000, about: true,
		},
		"beyond the pool, paid": {
			used:    all(use("small", "house", 400_000, 0, 0)),
			choices: on, drawn: 400_000, net: 6, charged: true, about: true,
		},
		"beyond the pool, invoiced": {
			used:    all(use("small", "house", 400_000, 0, 0)),
			choices: on, state: Billed, drawn: 400_000, net: 6, charged: true,
		},
		"beyond the pool, by two": {
			used:    all(use("small", "house", 100_000, 0, 0), use("small", "house", 300_000, 0, 0)),
			choices: on, drawn: 400_000, net: 6, charged: true, about: true,
		},
		"beyond the pool, never chosen": {
			used:  all(use("small", "house", 400_000, 0, 0)),
			drawn: 400_000, about: true,
		},
		"premium": {
			used: all(use("large", "house", 100_000, 20_000, 0)),
			net:  61, charged: true, about: true,
		},
		"premium, with their own key": {
			used:  all(use("large", "own", 100_000, 20_000, 0)),
			about: true,
		},
		"a model that has no price": {
			used: all(use("new", "house", 100_000, 20_000, 0)),
			held: true, about: true,
		},
		"no exchange rate": {
			used:   all(use("large", "house", 100_000, 20_000, 0)),
			noRate: true, held: true, about: true,
		},
		"less than a cent": {
			used:    all(use("large", "house", 100, 0, 0)),
			charged: true, about: true,
		},
	} {
		known := entries
		if !c.noRate {
			known = append(known[:len(known):len(known)], rate)
		}
		p := period
		if c.state != "" {
			p.State = c.state
		}
		got, err := runCost(pricing.NewBook(known), p, before, c.choices, c.used, hour)
		sum := got.Drawn == c.drawn && got.Net() == c.net
		if err != nil || !sum || got.Charged() != c.charged || got.Held != c.held || got.About != c.about {
			t.Errorf("%s: %+v, %v", situation, got, err)
		}
	}
	got, err := runCost(pricing.NewBook(append(entries, rate)), period, before, on, all(
		use("small", "house", 10_000, 0, 0), use("small", "house", 20_000, 0, 0), use("large", "house", 100_000, 20_000, 0),
		use("small", "own", 5, 0, 0),
	), hour)
	if err != nil || len(got.Models) != 3 {
		t.Fatalf("by model: %+v, %v", got, err)
	}
	large, small, own := got.Models[0], got.Models[1], got.Models[2]
	if large.Model != "large" || !large.Premium || large.Net != 61 || large.Drawn != 0 {
		t.Errorf("the premium model: %+v", large)
	}
	if small.Drawn != 30_000 || small.Input != 30_000 || small.Charged {
		t.Errorf("the one of the plan: %+v", small)
	}
	if own.Key != usage.Own || own.Drawn != 0 || own.Unknown {
		t.Errorf("with their own key: %+v", own)
	}
}

// TestPaysBeyond: an answer in the hour within which the owner chose to go on is charged like the invoice will charge it.
func TestPaysBeyond(t *testing.T) {
	t.Parallel()
	hour := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	for situation, c := range map[string]struct {
		choices []Choice
		pays    bool
	}{
		"never chosen":             {nil, false},
		"chosen before":            {[]Choice{{Overage: true, At: hour.Add(-time.Hour)}}, true},
		"chosen within the hour":   {[]Choice{{Overage: true, At: hour.Add(time.Minute)}}, true},
		"chosen for some minutes":  {[]Choice{{Overage: true, At: hour.Add(time.Minute)}, {At: hour.Add(time.Hour - time.Minute)}}, true},
		"taken back before":        {[]Choice{{Overage: true, At: hour.Add(-2 * time.Hour)}, {At: hour.Add(-time.Minute)}}, false},
		"chosen in the hour after": {[]Choice{{Overage: true, At: hour.Add(time.Hour)}}, false},
	} {
		if got := paysBeyond(c.choices, []wire.RunUse{{Hour: hour}}); got != c.pays {
			t.Errorf("%s: %t", situation, got)
		}
	}
}
