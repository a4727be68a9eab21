package policy_test

import (
	"slices"
	"testing"

	"gatehouse/agentd/policy"
)

// table is the decision table of the design, one column for each level: a asks, r runs, d is denied.
var table = []struct {
	tier     policy.Tier
	unlocked bool
	levels   string // levels 1, 2, 3
}{
	{policy.Green, false, "rrr"},
	{policy.Green, true, "rrr"},
	{policy.Yellow, false, "arr"},
	{policy.Yellow, true, "arr"},
	{policy.YellowExternal, false, "aaa"},
	{policy.YellowExternal, true, "arr"}, // unlocked: as yellow
	{policy.Red, false, "aar"},
	{policy.Red, true, "aar"}, // unlocking sends nothing to the bin
	{policy.CriticalRed, false, "aaa"},
	{policy.CriticalRed, true, "aaa"},
	{policy.Forbidden, false, "ddd"},
	{policy.Forbidden, true, "ddd"},
	{"purple", false, "ddd"},
	{"", true, "ddd"},
}

// opened says for each tier of a window which calls it covers.
var opened = map[policy.Tier][]policy.Tier{
	"":                    nil,
	policy.Green:          nil, // a window is never opened for one, and changes nothing
	policy.Yellow:         {policy.Yellow},
	policy.YellowExternal: {policy.YellowExternal},
	policy.Red:            {policy.Yellow, policy.Red},
	policy.CriticalRed:    nil,
	policy.Forbidden:      nil,
	"purple":              nil,
}

func TestDecide_matrix(t *testing.T) {
	t.Parallel()
	letters := map[byte]policy.Effect{'a': policy.Ask, 'r': policy.Allow, 'd': policy.Deny}
	n := 0
	for _, row := range table {
		for window, covers := range opened {
			for _, level := range []int{-1, 0, 1, 2, 3, 4, 1 << 40} {
				known := level
				if level < 1 || level > 3 {
					known = 1 // what is no level counts as the most careful one
				}
				want := letters[row.levels[known-1]]
				if want == policy.Ask && slices.Contains(covers, row.tier) {
					want = policy.Allow
				}
				in := policy.Input{Tier: row.tier, Level: level, Unlocked: row.unlocked, Window: window}
				if got := policy.Decide(in); got.Effect != want || got.Why == "" {
					t.Errorf("%+v: %+v, want %s", in, got, want)
				}
				n++
			}
		}
	}
	if want := len(table) * len(opened) * 7; n != want {
		t.Errorf("%d rows were checked, want %d", n, want)
	}
}

// strict orders effects by how much they let through.
var strict = map[policy.Effect]int{policy.Allow: 0, policy.Ask: 1, policy.Deny: 2}

func TestDecide_lessAutonomyNeverAllowsMore(t *testing.T) {
	t.Parallel()
	for _, row := range table {
		for window := range opened {
			for level := 1; level < 3; level++ {
				in := policy.Input{Tier: row.tier, Level: level, Unlocked: row.unlocked, Window: window}
				low := policy.Decide(in)
				in.Level++
				if high := policy.Decide(in); strict[low.Effect] < strict[high.Effect] {
					t.Errorf("%+v allows more one level lower", in)
				}
				in.Unlocked, in.Window = true, ""
				if open, locked := policy.Decide(in), policy.Decide(policy.Input{Tier: in.Tier, Level: in.Level}); strict[open.Effect] > strict[locked.Effect] {
					t.Errorf("%+v: unlocking makes it stricter", in)
				}
			}
		}
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	for tier, want := range map[policy.Tier]int{
		policy.Green: 0, policy.Yellow: 480, policy.YellowExternal: 480, policy.Red: 60, policy.CriticalRed: 0, policy.Forbidden: 0, "purple": 0,
	} {
		if got := policy.MaxWindow(tier); got != want {
			t.Errorf("%s: at most %d minutes, want %d", tier, got, want)
		}
		for _, m := range policy.Windows(tier) {
			if m > want {
				t.Errorf("%s: %d minutes are offered", tier, m)
			}
		}
	}
}

func TestRises(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		from, to policy.Tier
		want     bool
	}{
		{policy.Red, policy.Red, false},
		{policy.Red, policy.Yellow, false},
		{policy.Red, policy.YellowExternal, true}, // less risky in rank, but it reaches someone
		{policy.YellowExternal, policy.YellowExternal, false},
		{policy.YellowExternal, policy.Yellow, false},
		{policy.Yellow, policy.Red, true},
		{policy.Red, policy.CriticalRed, true},
		{policy.CriticalRed, "purple", true},
	} {
		if got := policy.Rises(tc.from, tc.to); got != tc.want {
			t.Errorf("%s to %s: %v", tc.from, tc.to, got)
		}
	}
}
