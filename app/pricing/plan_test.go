package pricing_test

import (
	"errors"
	"testing"

	"gatehouse/app/fault"
	"gatehouse/app/pricing"
)

func TestCents_String(t *testing.T) {
	t.Parallel()
	for c, want := range map[pricing.Cents]string{0: "€0", 29_00: "€29", 45_50: "€45.50", 5: "€0.05", -1_05: "-€1.05", 109_00: "€109"} {
		if got := c.String(); got != want {
			t.Errorf("%d cents: %q, want %q", int64(c), got, want)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for id, want := range map[pricing.PlanID]pricing.Plan{
		"lite":       {ID: "lite", Name: "Lite", Monthly: 29_00, Pool: 8_000_000},
		"build":      {ID: "build", Name: "Build", Monthly: 45_00, Pool: 15_000_000},
		"scale":      {ID: "scale", Name: "Scale", Monthly: 75_00, Pool: 25_000_000},
		"enterprise": {ID: "enterprise", Name: "Enterprise", Monthly: 109_00, Pool: 40_000_000},
	} {
		if got, err := pricing.Find(id); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", id, got, err, want)
		}
	}
	if _, err := pricing.Find("gold"); !errors.Is(err, pricing.ErrNoPlan) || fault.Of(err).Kind != fault.Invalid {
		t.Errorf("a plan that is none: %v", err)
	}
	pricing.Plans()[0].Monthly = 1
	if pricing.Plans()[0].Monthly != 29_00 {
		t.Error("a caller changed the prices of all")
	}
}
