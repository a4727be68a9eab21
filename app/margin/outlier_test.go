package margin_test

import (
	"testing"

	"gatehouse/app/margin"
)

// TestOutliers: an agent stands out when each request costs four times the median, it asked often, and a euro or more came of it.
func TestOutliers(t *testing.T) {
	t.Parallel()
	use := func(customer, agent string, requests, tokens int64, cost margin.Micros) margin.Use {
		return margin.Use{Customer: customer, Name: "Its name", Agent: agent, Model: "m", Requests: requests, Tokens: tokens, Cost: cost}
	}
	usual := []margin.Use{use("c1", "a", 100, 1000, 1_000_000), use("c2", "a", 100, 1000, 1_000_000), use("c3", "a", 100, 1000, 1_000_000)}
	for situation, c := range map[string]struct {
		use   margin.Use
		found bool
	}{
		"four times the median":   {use("c1", "b", 100, 3000, 4_000_000), true},
		"a little less than that": {use("c1", "b", 100, 3000, 3_999_900), false},
		"too few requests":        {use("c1", "b", 19, 3000, 4_000_000), false},
		"enough of them":          {use("c1", "b", 20, 3000, 4_000_000), true},
		"less than a euro":        {use("c1", "b", 20, 3000, 999_999), false},
		"no request at all":       {use("c1", "b", 0, 3000, 4_000_000), false},
	} {
		got := margin.Outliers(append(append([]margin.Use{}, usual...), c.use))
		if (len(got) == 1) != c.found {
			t.Errorf("%s: %+v", situation, got)
		}
		for _, o := range got {
			if o.Agent != "b" || o.Median != 10_000 || o.Share != 75 || o.Each*margin.Micros(o.Requests) != o.Cost {
				t.Errorf("%s: %+v", situation, o)
			}
		}
	}
	if got := margin.Outliers(nil); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
	split := append(append([]margin.Use{}, usual...), use("c2", "b", 50, 10, 2_000_000), use("c2", "b", 50, 10, 2_000_000))
	if got := margin.Outliers(split); len(got) != 1 || got[0].Requests != 100 || got[0].Cost != 4_000_000 {
		t.Errorf("an agent with two models: %+v", got)
	}
}

// TestSorted: whatever is asked for has an order, and rows of one value have the same one each time.
func TestSorted(t *testing.T) {
	t.Parallel()
	all := []margin.Sum{
		{Name: "b", Tokens: 1, Cost: 5_000_000, Revenue: 1_00},
		{Name: "A", Tokens: 2, Cost: 10_000, Revenue: 45_00},
		{Name: "c", Tokens: 2},
	}
	for by, want := range map[string]string{
		"name": "Abc", "-name": "cbA", "tokens": "bAc", "-tokens": "Acb", "cost": "cAb", "-cost": "bAc", "revenue": "cbA",
		"margin":  "bcA",
		"-margin": "Acb", "nothing": "bAc", "": "bAc",
	} {
		got := ""
		for _, s := range margin.Sorted(append([]margin.Sum{}, all...), by) {
			got += s.Name
		}
		if got != want {
			t.Errorf("%s: %s, want %s", by, got, want)
		}
	}
	for m, want := range map[margin.Micros]int64{0: 0, 4_999: 0, 5_000: 1, 14_999: 1, -5_000: -1, -4_999: 0} {
		if got := m.Cents(); int64(got) != want {
			t.Errorf("%d: %d cents", m, got)
		}
	}
}
