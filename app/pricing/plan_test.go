package pricing_test

import (
	"errors"
	"testing"

	"gatehouse/app/fault"
	"gatehouse/app/pricing"
)

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
