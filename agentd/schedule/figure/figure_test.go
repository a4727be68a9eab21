package figure_test

import (
	"testing"

	"gatehouse/agentd/schedule/figure"
	"gatehouse/agentd/wire"
)

// TestFind: the number stands where the owner says, in the ways in which tools write numbers.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cond wire.ScheduleCondition
		text string
		want float64
		no   bool
	}{
		{wire.ScheduleCondition{}, "Use%\n 43%\n", 43, false},
		{wire.ScheduleCondition{}, "-2.5 degrees", -2.5, false},
		{wire.ScheduleCondition{}, "nothing", 0, true},
		{wire.ScheduleCondition{Find: "free:"}, "used: 1, free: 1,234.5", 1234.5, false},
		{wire.ScheduleCondition{Find: "frei:"}, "frei: 1.234,5", 1234.5, false},
		{wire.ScheduleCondition{Find: "n"}, "n 10,000,000", 10000000, false},
		{wire.ScheduleCondition{Find: "n"}, "n 1,5", 1.5, false},
		{wire.ScheduleCondition{Find: "free:"}, "used: 1", 0, true},
		{wire.ScheduleCondition{Pattern: `(\d+) orders`}, "12 mails, 7 orders", 7, false},
		{wire.ScheduleCondition{Pattern: `(\d+) orders`}, "none", 0, true},
		{wire.ScheduleCondition{Path: "data.1.free"}, `{"data":[{},{"free":12.5}]}`, 12.5, false},
		{wire.ScheduleCondition{Path: "up"}, `{"up":true}`, 1, false},
		{wire.ScheduleCondition{Path: "s"}, `{"s":"9 GB"}`, 9, false},
		{wire.ScheduleCondition{Path: "a.b"}, `{"a":[1]}`, 0, true},
		{wire.ScheduleCondition{Path: "a"}, `{"a":null}`, 0, true},
		{wire.ScheduleCondition{Path: "a"}, `no JSON`, 0, true},
	} {
		got, err := figure.Find(c.cond, c.text)
		if (err != nil) != c.no || got != c.want {
			t.Errorf("%+v in %q: %v, %v", c.cond, c.text, got, err)
		}
	}
}

// TestHolds: what is compared, and how it is said.
func TestHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		is   string
		n    float64
		want bool
		says string
	}{
		{figure.Above, 92, true, "92, which is above 90"},
		{figure.Above, 90, false, "90, not above 90"},
		{figure.Below, 89.5, true, "89.5, which is below 90"},
		{figure.Below, 90, false, "90, not below 90"},
		{figure.Equal, 90, true, "90, which is equal to 90"},
		{figure.Equal, 91, false, "91, not 90"},
	} {
		cond := wire.ScheduleCondition{Is: c.is, Value: 90}
		if got := figure.Holds(cond, c.n); got != c.want || figure.Says(cond, c.n) != c.says {
			t.Errorf("%s %v: %v, %q", c.is, c.n, got, figure.Says(cond, c.n))
		}
	}
}

// TestCheck: what cannot be watched is said.
func TestCheck(t *testing.T) {
	t.Parallel()
	good := wire.ScheduleCondition{Tool: "shell", Args: `{"command":"df"}`, Is: figure.Above, Value: 90}
	if err := figure.Check(good); err != nil {
		t.Error(err)
	}
	for what, edit := range map[string]func(*wire.ScheduleCondition){
		"no tool": func(c *wire.ScheduleCondition) { c.Tool = "" }, "no JSON": func(c *wire.ScheduleCondition) { c.Args = "{" },
		"two places":    func(c *wire.ScheduleCondition) { c.Find, c.Path = "a", "b" },
		"no group":      func(c *wire.ScheduleCondition) { c.Pattern = `\d+` },
		"no pattern":    func(c *wire.ScheduleCondition) { c.Pattern = `(` },
		"no comparison": func(c *wire.ScheduleCondition) { c.Is = "near" },
	} {
		c := good
		edit(&c)
		if figure.Check(c) == nil {
			t.Errorf("%s: taken", what)
		}
	}
}
